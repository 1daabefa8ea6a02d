"""The Keeper: every write to memory passes through here, one at a time and in order."""

from collections.abc import Callable, Sequence
from typing import Protocol, assert_never

import msgspec

from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import BY_AGENT
from memoryd_actors.core.actor import Actor
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.changing import Changing
from memoryd_actors.keeping.gatekeeper import Gatekeeper
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import (
    Adopt,
    DecideProposal,
    EditMemory,
    KeeperMessage,
    LinkMemories,
    Perform,
    PurgeMemories,
    SetState,
    Store,
    StoreFindings,
    TakeBack,
    op,
)
from memoryd_actors.keeping.performing import NODE, Operations
from memoryd_actors.keeping.storing import Storing
from memoryd_actors.keeping.surroundings import NeighbourLookup
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.steps import RevertOperation
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.caller import PERSON
from memoryd_client.wire.events import Wrote
from memoryd_client.wire.memory import Memory


class Remembering(Protocol):
    """Has in memory what is purged; the Memory actor is one."""

    def begin_purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed."""
        ...

    def end_purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are destroyed, or were not after all: those that were merged into them, too."""
        ...


class Keeper(Actor[KeeperMessage, tuple[Memory, ...]]):
    """Admits, compares, stores and changes; answers once the ledger has it on disk."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        gate: Gatekeeper,
        view: MemoryView,
        neighbours: Neighbours,
        clock: Clock,
        publish: Publisher,
        on_change: Callable[[int], None],
        recall: Remembering,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._on_change = on_change
        self._recall = recall
        self._gate = gate
        self._operations = operations = Operations(ledger.writes, publish, on_change)
        surroundings = NeighbourLookup(neighbours, clock)
        self._storing = Storing(gate=gate, view=view, operations=operations, surroundings=surroundings)
        self._changing = Changing(
            ledger=ledger.memories, gate=gate, operations=operations, surroundings=surroundings, clock=clock
        )

    async def handle(self, message: KeeperMessage) -> tuple[Memory, ...]:
        """Return the memories as they now stand."""
        began = self._operations.began_s = self._clock.monotonic()
        owner, session, agent = self._whose(message)
        self._operations.session = session
        try:
            return await self._handle(message)
        except Refused:
            node = message.node if isinstance(message, Perform) else NODE
            took_ms = (self._clock.monotonic() - began) * 1000
            failed = Happened(owner, node, op(message), "error", thread=session, agent=agent, duration_ms=took_ms)
            self._ledger.events.record([failed])
            raise

    async def _handle(self, message: KeeperMessage) -> tuple[Memory, ...]:  # noqa: PLR0911 - one case a message
        match message:
            case Store():
                return await self._storing.store(message)
            case StoreFindings():
                return await self._storing.bring(message)
            case Adopt():
                return await self._storing.adopt(message)
            case SetState():
                return await self._changing.set_state(message)
            case EditMemory():
                return await self._changing.edit(message)
            case LinkMemories():
                return await self._changing.link(message)
            case DecideProposal():
                return await self._changing.answer(message)
            case TakeBack():
                caller = message.caller
                step = RevertOperation(
                    message.operation, by_user=caller.agent == PERSON, most_trust=BY_AGENT if caller.is_agent else 1.0
                )
                return (await self._operations.perform(caller.owner, [step], self._gate.sign(caller)))[0]
            case Perform():
                stored, _ = await self._operations.perform(
                    message.owner, message.steps, message.actor, message.node, similarity=message.similarity
                )
                return stored
            case PurgeMemories():
                return await self._purge(message)
            case _:
                assert_never(message)

    async def _purge(self, message: PurgeMemories) -> tuple[Memory, ...]:
        there = await self._ledger.memories.get(message.owner, message.ids)
        gone: Sequence[str] = message.ids
        self._recall.begin_purge(message.ids)
        try:
            gone = await self._ledger.purges.purge(
                message.owner,
                message.ids,
                actor=message.actor,
                session=message.session,
                told=message.told,
                looked_at=message.looked_at,
            )
        finally:
            self._recall.end_purge(gone)
        self._on_change(await self._ledger.memories.last_sequence())
        for memory_id in gone:
            self._publish(Wrote(event="PURGE", memory_id=memory_id, owner=message.owner))
        return tuple(msgspec.structs.replace(one, content="", title="") for one in there.values())

    def _whose(self, message: KeeperMessage) -> tuple[str, str, str]:
        """Return for whom an order is, and in which session and by whom it was given; empty where in none."""
        if isinstance(message, Adopt | Perform | PurgeMemories):
            return message.owner, message.session, message.actor
        return message.caller.owner, message.caller.session, self._gate.sign(message.caller)
