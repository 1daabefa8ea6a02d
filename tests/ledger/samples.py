"""Memories for the tests of the ledger, and a clock that only moves when told to."""

import hashlib
from datetime import UTC, datetime, timedelta

from memoryd_client.wire.memory import Memory, Scope, State, new_memory_id


class HandClock:
    """A clock for tests: one second later at every look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def monotonic(self) -> float:
        return (self.now() - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()


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
