"""Another embedding model: its index is built beside the one that serves, and takes its place when it is complete.

How far it is, the new index itself remembers: whatever ends the daemon, the next one goes on from there.
"""

import logging
import math
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import anyio

from memoryd_actors.core.errors import DaemonError, IndexDamaged, ModelUnavailable
from memoryd_actors.core.worker import Worker, rest
from memoryd_actors.indexing.embedded import embedded
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.ports.embedder import Embedder
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, MessageIndex, Transcripts
from memoryd_client.wire.events import Warned

log = logging.getLogger(__name__)

BATCH = 64
"""Changes embedded and written at a time: what a purge may have to wait for."""
OPTIMISE_BATCHES = 50
RETRY_S = 60.0

SpareIndex = Literal["previous", "unfinished"]
"""An index beside the one that serves: that which can be gone back to, or that which is built."""


@dataclass(frozen=True, slots=True)
class Successor:
    """What is to take the place of what serves."""

    embedder: Embedder
    index: Index
    messages: MessageIndex


@dataclass(slots=True)
class _Building:
    """A successor, and how far it is."""

    successor: Successor
    messages: MessageIndexer
    opened: bool = False
    applied: int = 0
    batches: int = 0


class Reembedder:
    """Brings a successor up to what there is and has it put in place; `run` it in a task group."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        transcripts: Transcripts,
        indexer: Indexer,
        messages: MessageIndexer,
        publish: Publisher,
        prepare: Callable[[], Awaitable[Successor | None]],
        put_in_place: Callable[[Successor], Awaitable[None]],
        destroy_all_but: Callable[[Collection[SpareIndex]], Awaitable[None]],
        is_busy: Callable[[], bool],
    ) -> None:
        """Prepare.

        `prepare` returns what the configuration asks for, and the same again for as long as it asks for the same; None
        where that serves already. `destroy_all_but` destroys every index but the one that serves and those named.
        """
        self._ledger = ledger
        self._transcripts = transcripts
        self._indexer = indexer
        self._messages = messages
        self._publish = publish
        self._prepare = prepare
        self._put_in_place = put_in_place
        self._destroy_all_but = destroy_all_but
        self._is_busy = is_busy
        self._building: _Building | None = None
        self._step = anyio.Lock()
        """Held for each step of the building; taken after the locks of the indexers that serve, never before."""
        self._worker = Worker(self._work, complain=self._complain, retry_s=RETRY_S)
        self.run = self._worker.run
        self.target = 0
        self.problem: DaemonError | None = None
        indexer.also_purge = self._purge
        messages.also_forget = self._forget

    @property
    def building(self) -> str:
        """The identity of the model whose index is built; empty: none is."""
        return self._building.successor.embedder.identity if self._building else ""

    @property
    def progress(self) -> Mapping[str, float]:
        """How far the building is, in changes of the ledger and in messages still to come."""
        if self._building is None:
            return {}
        return {
            "applied": self._building.applied,
            "target": max(self.target, self._indexer.target),
            "messages_behind": self._building.messages.behind,
        }

    def look(self) -> None:
        """Look anew at what is wanted."""
        self.problem = None
        self._worker.kick()

    async def _work(self) -> float:
        wanted = await self._prepare()
        if wanted is not (self._building.successor if self._building else None):
            async with self._step:
                if self._building is not None:
                    await self._building.successor.index.close()
                    await self._building.successor.messages.close()
                self._building = None if wanted is None else self._begun(wanted)
        await self._destroy_all_but({"previous", "unfinished"})
        self.problem = None
        if self._building is not None and await self._build(self._building):
            await self._switch(self._building)
        return math.inf

    def _begun(self, successor: Successor) -> _Building:
        indexer = MessageIndexer(self._transcripts, successor.messages, successor.embedder, self._publish)
        return _Building(successor, indexer)

    async def _build(self, building: _Building) -> bool:
        """Index all there is; return whether that was done, or something else is wanted meanwhile."""
        try:
            async with self._step:
                await self._open(building)
            more = True
            while more:
                if self._worker.kicked:
                    return False
                began = perf_counter()
                async with self._step:
                    more = await self._advance(building) or await building.messages.advance(self._messages.heads)
                if self._is_busy():
                    await rest(began)
            async with self._step:
                await building.successor.index.optimise()
        except IndexDamaged as damaged:
            async with self._step:
                model, dimensions = building.successor.embedder.identity, building.successor.embedder.dimensions
                await building.successor.index.reset(model=model, dimensions=dimensions)
                await building.successor.messages.reset(model=model, dimensions=dimensions)
                self._building = self._begun(building.successor)
            raise damaged from None
        return True

    async def _open(self, building: _Building) -> None:
        if building.opened:
            return
        embedder, index = building.successor.embedder, building.successor.index
        await embedder.embed(["ready?"], background=True)
        building.applied = await index.open(model=embedder.identity, dimensions=embedder.dimensions)
        self.target = await self._ledger.changes.last_sequence()
        if building.applied > self.target:  # the ledger was restored from a backup
            await index.reset(model=embedder.identity, dimensions=embedder.dimensions)
            building.applied = 0
        await building.messages.open()
        building.opened = True
        log.info("the index for %s is built: %d of %d", embedder.identity, building.applied, self.target)

    async def _advance(self, building: _Building) -> bool:
        """Index the next batch of changes; return whether there was one."""
        changes = await self._ledger.changes.changes_after(building.applied, limit=BATCH)
        if not changes:
            return False
        batch = await embedded(changes, building.successor.embedder, background=True)
        await building.successor.index.apply(batch.rows, removed=batch.removed, sequence=batch.sequence)
        building.applied = batch.sequence
        building.batches += 1
        if building.batches % OPTIMISE_BATCHES == 0:
            await building.successor.index.optimise()
        return True

    async def _switch(self, building: _Building) -> None:
        """Put the successor in place while neither index moves, and nothing that was written is missing in it."""

        async def memories() -> int:
            await self._messages.exchange(building.messages, everything)
            return building.applied

        async def everything() -> None:
            async with self._step:
                while await self._advance(building) or await building.messages.advance(self._messages.heads):
                    pass
                if building.messages.is_lacking:
                    raise ModelUnavailable(f"{identity} has not embedded all messages", "It is tried again.")
                await self._put_in_place(building.successor)
                self._building = None

        identity = self.building
        await self._indexer.exchange(memories)
        log.info("the index of %s serves", identity)
        await self._destroy_all_but({"previous", "unfinished"})
        await self._ledger.changes.set_embedding_model(identity)

    async def _purge(self) -> None:
        """Destroy what was removed also in what is built, and all that is kept from before."""
        async with self._step:
            building, kept = self._building, set[SpareIndex]()
            if building is not None and building.opened:
                kept.add("unfinished")
                index, after, removed = building.successor.index, building.applied, list[str]()
                while changes := await self._ledger.changes.changes_after(after, limit=BATCH):
                    after = changes[-1].sequence
                    removed += [change.memory_id for change in changes if change.memory is None]
                await index.apply([], removed=removed, sequence=building.applied)
                await index.purge()
            await self._destroy_all_but(kept)

    async def _forget(self, key: Key) -> None:
        """Destroy what was said in a session also in what is built, and all that is kept from before."""
        async with self._step:
            building, kept = self._building, set[SpareIndex]()
            if building is not None and building.opened:
                kept.add("unfinished")
                await building.messages.forget(key)
            await self._destroy_all_but(kept)

    def _complain(self, problem: DaemonError) -> None:
        if str(problem) != str(self.problem):
            log.warning("the embedding model is not changed: %s", problem)
            message = f"the embedding model is not changed: {problem}"
            self._publish(Warned(component="embedding", message=message, hint=problem.hint))
        self.problem = problem
