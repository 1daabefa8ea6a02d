"""The `Index` port: rows rest in LanceDB, and are searched in memory."""

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from memoryd.config import IndexConfig
from memoryd.index.connection import hand_back
from memoryd.index.failures import translated
from memoryd.index.filters import one_of
from memoryd.index.kept import discard, leave, read, write
from memoryd.index.resident import FILES, Resident
from memoryd.index.tables import LAYOUT, NAME, schema, table
from memoryd.index.vector_table import VectorTable
from memoryd_actors.core.errors import IndexDamaged, Unavailable
from memoryd_actors.core.slices import SLICES
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import IndexRow

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

_DELETED_AT_ONCE = 1000
_AT_ONCE = 20_000
"""Rows up to which a search does not go to another thread: two milliseconds, half of them while the model runs."""
_MOST_DEAD = 0.2
"""Of the slots in memory; more, and upkeep reads the rows anew."""
_MOST_LATER = 0.1
"""Of the rows, how many may not be in the files beside the table; more, and upkeep writes these anew."""


class _Memories(VectorTable):
    """The table of memories, and its rows in memory."""

    resident: Resident | None = None
    """None: they are not read yet."""
    applied = 0
    kept = -1
    """The sequence that the files beside the table reflect; -1: there are none."""

    @property
    def beside(self) -> Path | None:
        """Where they are; None in an object store."""
        return None if "://" in self.url else Path(self.url) / "resident"

    @property
    def of(self) -> dict[str, str]:
        """What they belong to."""
        return {"table": LAYOUT, "files": FILES, "dimensions": str(self.dimensions)}

    def close(self) -> None:
        super().close()
        if self.resident is not None and self.beside is not None:
            leave(self.beside)
        self.resident = None


class LanceIndex:
    """Finds memories by vectors and words; see `memoryd_actors.ports.index.Index`.

    `url` is a local folder or an object store that LanceDB knows. Nothing of LanceDB is imported before `open`.

    Of `mapped_rows` and more, what is searched is also written beside the table, in files that are mapped into memory:
    opening reads only what came later.
    """

    def __init__(self, url: Path | str, config: IndexConfig, *, mapped_rows: int = 5_000) -> None:
        self._mapped_rows = mapped_rows
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
                    self._memories.resident = await self._mapped() or await self._read()
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
                if any(row.sequence <= memories.kept for row in rows):
                    await self._discard()  # opening would read only what is later
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
                    resident = self._memories.resident = await self._read()
                await self._keep(resident)
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
                await self._discard()
                await self._memories.rewrite(self._config.keep_versions_s)
                resident = self._memories.resident = await self._read()
                await self._keep(resident)
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
        self._memories.applied, self._memories.kept = 0, -1

    async def _read(self) -> Resident:
        """Return all rows in memory: 1.5 s of a core for 100,000."""
        resident = Resident(self._memories.dimensions, exact_rows=self._config.ann_rows)
        await self._put(resident)
        return resident

    async def _put(self, resident: Resident, *, where: str = "") -> None:
        import pyarrow as pa

        query = self._memories.table.query()
        async for batch in await (query.where(where) if where else query).to_batches():
            await to_thread.run_sync(resident.put, pa.Table.from_batches([batch]), limiter=self._threads)

    async def _mapped(self) -> Resident | None:
        """Return the rows as they are in the files beside the table, and what came later; None: there are no such."""
        memories = self._memories
        memories.kept = -1
        if memories.beside is None:
            return None
        kept = await to_thread.run_sync(partial(read, memories.beside, of=memories.of), limiter=self._threads)
        if kept is None or kept.sequence > memories.applied:
            return None
        resident = Resident(memories.dimensions, exact_rows=self._config.ann_rows, kept=kept.arrays)
        await self._put(resident, where=f"sequence > {kept.sequence}")
        if resident.rows != await memories.table.count_rows():
            there = await memories.table.query().select(["id"]).to_arrow()
            await to_thread.run_sync(lambda: resident.retain(set(there["id"].to_pylist())), limiter=self._threads)
            if resident.rows != len(there):
                return None
        memories.kept = kept.sequence
        return resident

    async def _keep(self, resident: Resident) -> None:
        """Write the files beside the table where too much is not in them, and map them in the place of what was."""
        memories = self._memories
        if memories.beside is None or resident.rows < self._mapped_rows:
            return
        if memories.kept >= 0 and resident.later <= _MOST_LATER * resident.rows:
            return
        memories.kept = -1
        try:
            written = partial(write, memories.beside, of=memories.of, sequence=memories.applied)
            await to_thread.run_sync(lambda: written(resident.parts()), limiter=self._threads)
        except OSError as problem:
            log.warning("%s was not written, and opening the index will take longer: %s", memories.beside, problem)
            return
        memories.resident = await self._mapped() or resident

    async def _discard(self) -> None:
        if self._memories.beside is not None:
            await to_thread.run_sync(discard, self._memories.beside, limiter=self._threads)
        self._memories.kept = -1

    async def _in_turn(self, work: Callable[[Resident], _Result], *, rows: int = 0) -> _Result:
        """Work with what is in memory while nobody else does; where there is much of it, in a thread."""
        await SLICES.pause()
        async with self._searching:
            resident = self._resident()
            if resident.rows + rows <= _AT_ONCE:
                return work(resident)
            return await to_thread.run_sync(work, resident, limiter=self._readers)

    def _resident(self) -> Resident:
        if self._memories.resident is None:
            raise Unavailable(
                "the index is not open",
                "It is opened, or built anew, by itself; `memoryd status` says what it waits for.",
            )
        return self._memories.resident
