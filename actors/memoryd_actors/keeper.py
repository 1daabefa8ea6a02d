"""The Keeper: every write to memory passes through here, one at a time and in order."""

import hashlib
import logging
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from memoryd_actors.actor import Actor
from memoryd_actors.clean import strip_hidden
from memoryd_actors.errors import Refused
from memoryd_actors.ports import Clock, Ledger, Publisher
from memoryd_actors.redaction import redact
from memoryd_client.memory import MAX_CONTENT_BYTES, Memory, NewMemory, Scope, Source, State
from memoryd_client.messages import Caller, Wrote

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Store:
    """Store memories: all of them or none."""

    memories: tuple[NewMemory, ...]
    caller: Caller


@dataclass(frozen=True, slots=True)
class ChangeState:
    """Forget or restore one memory; `memory_id` may be shortened."""

    memory_id: str
    state: State
    caller: Caller


KeeperMessage = Store | ChangeState


class Keeper(Actor[KeeperMessage, tuple[Memory, ...]]):
    """Admits, stores, forgets and restores; answers once the ledger has it on disk."""

    def __init__(self, ledger: Ledger, clock: Clock, publish: Publisher, on_change: Callable[[int], None]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._on_change = on_change

    async def handle(self, message: KeeperMessage) -> tuple[Memory, ...]:
        """Return the memories as they now stand."""
        match message:
            case Store():
                return await self._store(message)
            case ChangeState():
                return (await self._change_state(message),)
            case _:
                assert_never(message)

    async def _store(self, message: Store) -> tuple[Memory, ...]:
        admitted = [self._admit(new, message.caller) for new in message.memories]
        stored, sequence = await self._ledger.insert(admitted, actor=message.caller.agent)
        self._on_change(sequence)
        for memory, asked in zip(stored, admitted, strict=True):
            event = "ADD" if memory.id == asked.id else "MERGE"
            self._publish(Wrote(event=event, memory_id=memory.id, owner=memory.owner))
        return tuple(stored)

    async def _change_state(self, message: ChangeState) -> Memory:
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        event = "DELETE" if message.state is State.FORGOTTEN else "RESTORE"
        after = await self._ledger.set_state(owner, before.id, message.state, event=event, actor=message.caller.agent)
        self._on_change(await self._ledger.last_sequence())
        self._publish(Wrote(event=event, memory_id=after.id, owner=owner))
        return after

    def _admit(self, new: NewMemory, caller: Caller) -> Memory:
        """Return the memory that is to be stored: hidden blocks stripped, secrets replaced, fields filled in."""
        if len(new.content.encode("utf-8", "replace")) > MAX_CONTENT_BYTES:
            raise Refused(
                f"a memory may have at most {MAX_CONTENT_BYTES // 1024} kB of content",
                "Store the gist, and name the file that has the rest in `files`.",
            )
        content = redact(strip_hidden(new.content)).text.strip()
        if not content:
            raise Refused(
                "there is nothing to remember",
                "The content is empty, or consists of private blocks or of memory that memoryd itself recalled.",
            )
        if new.scope is Scope.PROJECT and not caller.project:
            raise Refused(
                "a memory of scope `project` needs a project",
                "Give the project's folder, or store it with scope `global`.",
            )
        now = self._clock.now()
        return Memory(
            id=new.id,
            owner=caller.owner,
            content=content,
            category=new.category.strip().casefold() or "fact",
            scope=new.scope,
            project=caller.project if new.scope is Scope.PROJECT else "",
            title=redact(new.title).text.strip(),
            tags=tuple(dict.fromkeys(redact(tag).text.strip() for tag in new.tags if tag.strip())),
            metadata={redact(key).text: redact(value).text for key, value in new.metadata.items()},
            importance=new.importance,
            pinned=new.pinned,
            source=new.source,
            speaker=redact(new.speaker).text,
            occurred_at=new.occurred_at,
            session=new.source_session or caller.session,
            source_messages=new.source_messages,
            files=new.files,
            created_at=now,
            updated_at=now,
            trust=initial_trust(new),
            content_hash=content_hash(content),
        )


def initial_trust(new: NewMemory) -> float:
    """Return how far to trust a memory: seed 004 has 1.0 for a user's correction, 0.5 for an agent's inference."""
    if new.trust is not None:
        return new.trust
    if new.category.strip().casefold() == "correction":
        return 1.0
    return 0.8 if new.source is Source.USER else 0.5


def content_hash(content: str) -> str:
    """Return the SHA-256 of a content as it reads: Unicode-normalised, in lower case, white space folded."""
    read = " ".join(unicodedata.normalize("NFKC", content).casefold().split())
    return hashlib.sha256(read.encode("utf-8", "replace")).hexdigest()
