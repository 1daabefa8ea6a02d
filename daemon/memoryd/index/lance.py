"""The `Index` port: rows rest in LanceDB, and are searched in memory."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from memoryd.config import IndexConfig
from memoryd.index.connection import hand_back
from memoryd.index.failures import translated
from memoryd.index.filters import one_of
from memoryd.index.resident import Resident
from memoryd.index.tables import NAME, schema, table
from memoryd.index.vector_table import VectorTable
from memoryd_actors.core.errors import IndexDamaged, Unavailable
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import IndexRow

_Result = TypeVar("_Result")

_DELETED_AT_ONCE = 1000
_AT_ONCE = 20_000
"""Rows up to which a search does not go to another thread: two milliseconds, half of them while the model runs."""
_MOST_DEAD = 0.2
"""Of the slots in memory; more, and upkeep reads the rows anew."""


class _Memories(VectorTable):
    """The table of memories, and its rows in memory."""

    resident: Resident | None = None
    """None: they are not read yet."""
    applied = 0

    def close(self) -> None:
        super().close()
        self.resident = None


class LanceIndex:
    """Finds memories by vectors and words; see `memoryd_actors.ports.index.Index`.

    `url` is a local folder or an object store that LanceDB knows. Nothing of LanceDB is imported before `open`.
    """

    def __init__(self, url: Path | str, config: IndexConfig) -> None:
        self._memories = _Memories(url, NAME, schema)
        self._config = config
        self._threads = CapacityLimiter(1)
        self._searching = anyio.Lock(fast_acquire=True)
        self._readers = CapacityLimiter(1)
        # LanceDB retries conflicting commits and may give up; writes that take turns never conflict.
        self._turn = anyio.Lock()

    @property
    def cached_bytes(self) -> int:
        """What LanceDB keeps of the index in memory, in bytes, as it estimates it."""
        return self._memories.cached_bytes

    async def open(self, *, model: str, dimensions: int) -> int:
        """Open or create the table and return the last sequence applied; see the port.

        Raises:
            DiskFull: there was no space to create it.
            Unavailable: it may not be read.
        """
        async with self._turn:
            try:
                about = await self._memories.open(model=model, dimensions=dimensions)
                with translated(self._memories.url):
                    self._memories.applied = int(about["applied"])
                    await self._load()
            except IndexDamaged:
                await self._begin(model=model, dimensions=dimensions)
            return self._memories.applied

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return candidates from both sides, best cosine first; see the port.

        Raises:
            Unavailable: the index is not open.
        """

        def search(resident: Resident) -> list[Candidate]:
            # Embedded just before another model's index was put in place: the words find what they find.
            asked = None if vector is None or len(vector) != resident.dimensions else vector
            return resident.search(vector=asked, words=words, visible=visible, limit=limit)

        return await self._in_turn(search)

    async def statistics(self, stems: Sequence[str], visible: Visibility) -> StoreStatistics:
        """Return how rare words are among what is visible; see the port.

        Raises:
            Unavailable: the index is not open.
        """
        return await self._in_turn(lambda resident: resident.statistics(stems, visible))

    async def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those memories that are here; see the port.

        Raises:
            Unavailable: the index is not open.
        """
        return await self._in_turn(lambda resident: resident.vectors(ids))

    async def apply(self, rows: Sequence[IndexRow], *, removed: Sequence[str], sequence: int) -> None:
        """Upsert and remove in one batch; see the port. A row never replaces one of a later sequence.

        Raises:
            DiskFull: there is no space; what was applied before is still there.
            Unavailable: the index is not open, or damaged.
        """
        dimensions = self._resident().dimensions
        batch = await to_thread.run_sync(table, rows, dimensions, limiter=self._threads) if rows else None
        async with self._turn:
            memories, found = self._memories, self._memories.table
            with translated(memories.url):
                if batch is not None and self._resident().rows == 0:
                    await found.add(batch)
                elif batch is not None:
                    upsert = found.merge_insert("id").when_matched_update_all(
                        where="source.sequence >= target.sequence"
                    )
                    await upsert.when_not_matched_insert_all().execute(batch)
                for start in range(0, len(removed), _DELETED_AT_ONCE):
                    await found.delete(one_of("id", removed[start : start + _DELETED_AT_ONCE]))
                if sequence > memories.applied:
                    # After the data: a crash in between applies the batch again, which changes nothing.
                    await memories.remember("applied", str(sequence))
                    memories.applied = sequence
            await self._in_turn(lambda resident: resident.change(batch, removed), rows=len(rows))

    async def optimise(self) -> dict[str, float]:
        """Compact, drop old versions and what is cached of them; see the port.

        Raises:
            DiskFull: there is no space; the index serves on as it is.
            Unavailable: the index is not open, or damaged.
        """
        began = time.monotonic()
        async with self._turn:
            resident = self._resident()
            with translated(self._memories.url):
                done = await self._memories.optimise(self._config.keep_versions_s)
                if resident.dead > _MOST_DEAD * resident.rows:
                    resident = await self._load()
        await hand_back()
        return {**done, "rows": float(resident.rows), "seconds": time.monotonic() - began}

    async def reset(self, *, model: str, dimensions: int) -> None:
        """Throw everything away, what was set aside as well, and begin anew at sequence 0.

        Raises:
            DiskFull: there was no space to create it.
        """
        async with self._turn:
            await self._begin(model=model, dimensions=dimensions)
            await self._memories.discard_aside()

    async def purge(self) -> None:
        """Rewrite the table so that no byte of what was removed is left, in it or set aside; see the port.

        Where this is interrupted, the index is built anew from the ledger.

        Raises:
            DiskFull: there is no space.
            Unavailable: the index is not open, or damaged.
        """
        async with self._turn:
            with translated(self._memories.url):
                await self._memories.rewrite(self._config.keep_versions_s)
                await self._load()
            await self._memories.discard_aside()

    async def count(self) -> int:
        return await self._in_turn(lambda resident: resident.rows)

    async def close(self) -> None:
        async with self._turn:
            self._memories.close()

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Let nobody search or write for the moment."""
        async with self._turn, self._searching:
            yield

    def exchange(self, other: "LanceIndex") -> None:
        """Have what the other one has, and give it what was here; both are `held`."""
        self._memories, other._memories = other._memories, self._memories

    async def _begin(self, *, model: str, dimensions: int) -> None:
        await self._memories.begin(model=model, dimensions=dimensions)
        self._memories.resident = Resident(dimensions, exact_rows=self._config.ann_rows)
        self._memories.applied = 0

    async def _load(self) -> Resident:
        """Read all rows into memory: 1 s of a core for 100,000, beside reading them."""
        import pyarrow as pa

        resident = Resident(self._memories.dimensions, exact_rows=self._config.ann_rows)
        async for batch in await self._memories.table.query().to_batches():
            rows = pa.Table.from_batches([batch])
            await to_thread.run_sync(resident.put, rows, limiter=self._threads)
        self._memories.resident = resident
        return resident

    async def _in_turn(self, work: Callable[[Resident], _Result], *, rows: int = 0) -> _Result:
        """Work with what is in memory while nobody else does; where there is much of it, in a thread."""
        async with self._searching:
            resident = self._resident()
            if resident.rows + rows <= _AT_ONCE:
                return work(resident)
            return await to_thread.run_sync(work, resident, limiter=self._readers)

    def _resident(self) -> Resident:
        if self._memories.resident is None:
            raise Unavailable("the index is not open")
        return self._memories.resident
