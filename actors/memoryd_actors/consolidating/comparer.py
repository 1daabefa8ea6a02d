"""Compares what was stored in bulk, or without a model, with what is there: later, once the index has it."""

import logging
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import ActorTimeout, DiskFull, LedgerCorrupt, Unavailable
from memoryd_actors.core.worker import Worker, attempt, repeat_purged, rest
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.merging import compare_with, plan_stored, select_comparable
from memoryd_actors.keeping.neighbours import Neighbours, nearest
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
        self._done = -1
        """The change up to which everything is compared."""
        worker = Worker(self._work, complain=lambda why: log.warning("not compared yet: %s", why), retry_s=RETRY_S)
        self.run = worker.run
        self.compared = 0

    async def _work(self) -> float:
        """Follow the index."""
        done, self._done = self._done, -1
        await self._indexer.wait_beyond(done)
        done = self._indexer.applied
        while batch := await self._ledger.uncompared(limit=BATCH):
            # What another daemon wrote beside these has to be in the index that they are compared by.
            newest = await self._ledger.last_sequence()
            if not await self._indexer.wait_for(newest, deadline_s=INDEX_S):
                raise Unavailable("the index is behind the ledger")
            await self._compare(batch)
        if self._checker is not None:
            await repeat_purged(self._checker.settle)
        self._done = done
        return 0.0

    async def _compare(self, batch: Sequence[Memory]) -> None:
        vectors = await self._index.vectors([memory.id for memory in batch])
        for memory in batch:
            began = perf_counter()
            vector = vectors.get(memory.id)
            if vector is None or memory.revision > 1:
                # What was changed may be in the index as it was before.
                vector = await self._neighbours.embed(memory)
            problem = await attempt(partial(self._compare_one, memory, vector))
            if isinstance(problem, Unavailable | DiskFull | LedgerCorrupt | ActorTimeout):
                raise problem
            if problem is not None:
                log.warning("%s stands uncompared: %s", memory.id, problem)
                await self._keeper.ask(Perform(memory.owner, (MarkCompared((memory.id,)),), ACTOR), deadline_s=KEEPER_S)
            self.compared += 1
            await rest(began)

    async def _compare_one(self, memory: Memory, vector: Vector) -> None:
        near = await self._neighbours.find(memory, vector)
        verdicts = [compare_with(memory, one) for one in select_comparable(memory, near)]
        steps = (*plan_stored(memory, near, verdicts), MarkCompared((memory.id,)))
        message = Perform(memory.owner, steps, ACTOR, NODE, similarity=nearest(near))
        await self._keeper.ask(message, deadline_s=KEEPER_S)
