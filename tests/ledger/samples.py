"""Memories for the tests of the ledger, and a clock that only moves when told to."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from memoryd.ledger import SqlLedger
from memoryd_actors.memory.steps import Add
from memoryd_client.wire.memory import Memory, Scope, State, new_memory_id


class HandClock:
    """A clock for tests: one second later at every look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self.elapsed_s = 0.0

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def monotonic(self) -> float:
        """How long something took moves no date."""
        self.elapsed_s += 1.0
        return self.elapsed_s


NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def memory(
    content: str,
    *,
    id: str = "",  # noqa: A002 - it is the field's name
    owner: str = "local",
    scope: Scope = Scope.GLOBAL,
    project: str = "",
    category: str = "fact",
    tags: tuple[str, ...] = (),
    pinned: bool = False,
    session: str = "",
    created_at: datetime = NOON,
    state: State = State.ACTIVE,
) -> Memory:
    return Memory(
        id=id or new_memory_id(),
        owner=owner,
        content=content,
        scope=scope,
        project=project,
        category=category,
        tags=tags,
        pinned=pinned,
        session=session,
        created_at=created_at,
        updated_at=created_at,
        state=state,
        content_hash=digest(content),
    )


async def insert(ledger: SqlLedger, memories: Sequence[Memory], *, actor: str) -> tuple[list[Memory], int]:
    """Store memories in bulk, each owner's as one operation; return them as they stand, and the newest change."""
    standing: dict[int, Memory] = {}
    for owner in dict.fromkeys(one.owner for one in memories):
        mine = [number for number, one in enumerate(memories) if one.owner == owner]
        steps = [Add(memories[number], compared=False) for number in mine]
        applied = await ledger.writes.apply(owner, steps, actor=actor)
        standing |= dict(zip(mine, applied.memories, strict=True))
    return [standing[number] for number in range(len(memories))], await ledger.memories.last_sequence()
