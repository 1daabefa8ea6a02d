"""The Keeper: every write to memory passes through here, one at a time and in order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import msgspec

from memoryd_actors.actor import Actor
from memoryd_actors.admission import admit, signed
from memoryd_actors.errors import Refused
from memoryd_actors.ports import Clock, IgnoredFiles, Ledger, Publisher
from memoryd_actors.project_files import NO_FILES, ProjectFiles, quoted_files
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_client.memory import MAX_CONTENT_BYTES, Memory, NewMemory, State
from memoryd_client.messages import Caller, Wrote


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

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        publish: Publisher,
        on_change: Callable[[int], None],
        embedding_model: str = "",
        *,
        rules: Rules = DEFAULT,
        files: IgnoredFiles | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._on_change = on_change
        self._embedding_model = embedding_model
        self._rules = rules
        self._files = files

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
        admitted = self._admitted(message, await self._seen(message))
        stored, sequence = await self._ledger.insert(admitted, actor=signed(message.caller, self._rules))
        self._on_change(sequence)
        for memory, asked in zip(stored, admitted, strict=True):
            event = "ADD" if memory.id == asked.id else "MERGE"
            self._publish(Wrote(event=event, memory_id=memory.id, owner=memory.owner))
        return tuple(stored)

    async def _seen(self, message: Store) -> ProjectFiles:
        """Return what the project says about the files that the memories name, and its variables."""
        if self._files is None:
            return NO_FILES
        named = [
            path for new in message.memories for path in (*new.files, *quoted_files(new.content[:MAX_CONTENT_BYTES]))
        ]
        return await self._files.look(message.caller.project, named)

    def _admitted(self, message: Store, seen: ProjectFiles) -> list[Memory]:
        now = self._clock.now()
        admitted: list[Memory] = []
        for number, new in enumerate(message.memories, 1):
            try:
                memory, _ = admit(new, message.caller, now, self._rules, seen)
                admitted.append(msgspec.structs.replace(memory, embedding_model=self._embedding_model))
            except Refused as refused:
                if len(message.memories) == 1:
                    raise
                # All of them or none: whoever sends a thousand has to know which one it is.
                raise Refused(f"memory {number} of {len(message.memories)}: {refused}", refused.hint) from refused
        return admitted

    async def _change_state(self, message: ChangeState) -> Memory:
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        event = "DELETE" if message.state is State.FORGOTTEN else "RESTORE"
        after = await self._ledger.set_state(
            owner, before.id, message.state, event=event, actor=signed(message.caller, self._rules)
        )
        self._on_change(await self._ledger.last_sequence())
        self._publish(Wrote(event=event, memory_id=after.id, owner=owner))
        return after
