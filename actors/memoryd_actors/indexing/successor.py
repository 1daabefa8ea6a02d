"""The indexes of another embedding model, built beside those that serve.

How far they are, they remember themselves: whatever ends the daemon, the next one goes on from there.
"""

import logging
from collections.abc import Callable, Mapping
from time import perf_counter

import anyio

from memoryd_actors.core.errors import IndexDamaged, ModelUnavailable
from memoryd_actors.core.worker import rest
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.ports.embedder import Embedder
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.ports.transcripts import Key, MessageIndex, Transcripts

log = logging.getLogger(__name__)

BATCH = 64
"""Changes embedded and written at a time: what a purge may have to wait for."""
OPTIMISE_CHANGES = 50 * BATCH


class Successor:
    """Follows the ledger and the transcripts like what serves, in steps that whoever builds it asks for."""

    def __init__(
        self,
        ledger: Ledger,
        transcripts: Transcripts,
        *,
        index: Index,
        messages: MessageIndex,
        embedder: Embedder,
        publish: Publisher,
        turn: anyio.Lock,
    ) -> None:
        """Prepare; `turn` is held for each step."""
        self._ledger = ledger
        self._index = index
        self._message_index = messages
        self._embedder = embedder
        self._turn = turn
        self.indexer = Indexer(ledger, index, embedder, publish)
        self.messages = MessageIndexer(transcripts, messages, embedder, publish)
        self.opened = False

    async def build(self, heads: Mapping[Key, int], *, is_busy: Callable[[], bool], wanted: Callable[[], bool]) -> bool:
        """Index all there is, transcripts up to `heads`; return whether that was done, or it is not wanted any more.

        Raises:
            IndexDamaged: an index could not be read; both are empty now.
            ModelUnavailable: there is no model.
        """
        try:
            async with self._turn:
                await self._open()
            more = True
            while more:
                if not wanted():
                    return False
                began = perf_counter()
                more = await self.advance(heads)
                if is_busy():
                    await rest(began)
            async with self._turn:
                await self._index.optimise()
        except IndexDamaged:
            async with self._turn:
                model, dimensions = self._embedder.identity, self._embedder.dimensions
                await self._index.reset(model=model, dimensions=dimensions)
                await self._message_index.reset(model=model, dimensions=dimensions)
                self.opened = False
            raise
        return True

    async def advance(self, heads: Mapping[Key, int]) -> bool:
        """Index the next of what there is; return whether there was anything."""
        async with self._turn:
            if self.indexer.unoptimised >= OPTIMISE_CHANGES:
                await self._index.optimise()
                self.indexer.unoptimised = 0
            return await self.indexer.advance(BATCH) or await self.messages.advance(heads)

    async def complete(self, heads: Mapping[Key, int]) -> None:
        """Index what came last, while nothing is written.

        Raises:
            ModelUnavailable: messages have no vectors.
        """
        while await self.advance(heads):
            pass
        if self.messages.is_lacking:
            raise ModelUnavailable(f"{self._embedder.identity} has not embedded all messages", "It is tried again.")

    async def purge(self) -> None:
        """Destroy what was removed, also by changes that are not followed yet; the turn is held."""
        after, removed = self.indexer.applied, list[str]()
        while changes := await self._ledger.changes.changes_after(after, limit=BATCH):
            after = changes[-1].sequence
            removed += [change.memory_id for change in changes if change.memory is None]
        await self._index.apply([], removed=removed, sequence=self.indexer.applied)
        await self._index.purge()

    async def close(self) -> None:
        """Release files."""
        async with self._turn:
            await self._index.close()
            await self._message_index.close()

    async def _open(self) -> None:
        if self.opened:
            return
        await self._embedder.embed(["ready?"], background=True)
        await self.indexer.open(await self._ledger.changes.last_sequence())
        await self.messages.open()
        self.opened = True
        log.info(
            "the index for %s is built: %d of %d", self._embedder.identity, self.indexer.applied, self.indexer.target
        )
