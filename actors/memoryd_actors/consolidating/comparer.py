"""Compares what was stored in bulk, or without a model, with what is there: later, once the index has it."""

import logging
from collections.abc import Sequence
from time import perf_counter

import anyio

from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import (
    ActorError,
    ActorStopped,
    ActorTimeout,
    DiskFull,
    LedgerCorrupt,
    Refused,
    Unavailable,
)
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.consolidation import comparable, judged, plan_stored
from memoryd_actors.keeping.neighbours import Neighbours
from memoryd_actors.keeping.orders import KeeperMessage, Perform
from memoryd_actors.memory.steps import MarkCompared
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.memory import Memory

log = logging.getLogger(__name__)

BATCH = 64
RETRY_S = 60.0
"""Until it is tried again after the ledger or the index failed."""
KEEPER_S = 60.0
INDEX_S = 60.0
ACTOR = "memoryd"
NODE = "comparer"
"""Who writes, in the history."""


class Comparer:
    """Works through the memories whose neighbours nobody has looked at; `run` it in a task group."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        index: Index,
        indexer: Indexer,
        neighbours: Neighbours,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        checker: Checker | None = None,
    ) -> None:
        """Prepare; `checker` decides what is in doubt afterwards, where there is somebody to ask."""
        self._ledger = ledger
        self._index = index
        self._indexer = indexer
        self._neighbours = neighbours
        self._keeper = keeper
        self._checker = checker
        self.compared = 0

    async def run(self) -> None:
        """Follow the index until cancelled."""
        done = -1
        while True:
            await self._indexer.wait_beyond(done)
            done = self._indexer.applied
            try:
                while batch := await self._ledger.uncompared(limit=BATCH):
                    # What another daemon wrote beside these has to be in the index that they are compared by.
                    newest = await self._ledger.last_sequence()
                    if not await self._indexer.wait_for(newest, deadline_s=INDEX_S):
                        raise Unavailable("the index is behind the ledger")
                    await self._compare(batch)
                if self._checker is not None:
                    await self._checker.settle()
            except ActorStopped:
                return  # the daemon goes down; what is not compared is taken up by the next one
            except (Refused, ActorError) as problem:
                log.warning("not compared yet: %s", problem)
                done = -1
                await anyio.sleep(RETRY_S)

    async def _compare(self, batch: Sequence[Memory]) -> None:
        vectors = await self._index.vectors([memory.id for memory in batch])
        for memory in batch:
            began = perf_counter()
            vector = vectors.get(memory.id)
            if vector is None or memory.revision > 1:
                # What was changed may be in the index as it was before.
                vector = await self._neighbours.embed(memory)
            try:
                await self._compare_one(memory, vector)
            except (Unavailable, DiskFull, LedgerCorrupt, ActorStopped, ActorTimeout):
                raise
            except Exception as problem:  # a supervisor: one memory must not keep all others waiting, nor the daemon
                log.warning("%s stands uncompared: %s", memory.id, problem, exc_info=not isinstance(problem, Refused))
                await self._keeper.ask(Perform(memory.owner, (MarkCompared((memory.id,)),), ACTOR), deadline_s=KEEPER_S)
            self.compared += 1
            # As much rest as work: nobody waits for this, and somebody may want the machine.
            await anyio.sleep(perf_counter() - began)

    async def _compare_one(self, memory: Memory, vector: Vector) -> None:
        near = await self._neighbours.of(memory, vector)
        verdicts = [judged(memory, one) for one in comparable(memory, near)]
        steps = (*plan_stored(memory, near, verdicts), MarkCompared((memory.id,)))
        await self._keeper.ask(Perform(memory.owner, steps, ACTOR, NODE), deadline_s=KEEPER_S)
