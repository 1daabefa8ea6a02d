"""The `Index` port: rows rest in LanceDB, and are searched in memory."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from memoryd.config import IndexConfig
from memoryd.index import folder
from memoryd.index.connection import Connected, connect, hand_back
from memoryd.index.failures import translated
from memoryd.index.filters import one_of
from memoryd.index.resident import Resident
from memoryd.index.tables import table
from memoryd_actors.core.errors import IndexDamaged, Unavailable
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import IndexRow

if TYPE_CHECKING:
    from lancedb import AsyncTable

_Result = TypeVar("_Result")

_DELETED_AT_ONCE = 1000
_AT_ONCE = 20_000
"""Rows up to which a search does not go to another thread: two milliseconds, half of them while the model runs."""
_MOST_DEAD = 0.2
"""Of the slots in memory; more, and upkeep reads the rows anew."""


class LanceIndex:
    """Finds memories by vectors and words; see `memoryd_actors.ports.index.Index`.

    `url` is a local folder or an object store that LanceDB knows. Nothing of LanceDB is imported before `open`.
    """

    def __init__(self, url: Path | str, config: IndexConfig) -> None:
        self.url = str(url)
        self._folder = None if "://" in self.url else Path(url)
        self._config = config
        self._connection: Connected | None = None
        self._table: AsyncTable | None = None
        self._resident = Resident(0, exact_rows=config.ann_rows)
        self._dimensions = 0
        self._applied = 0
        self._threads = CapacityLimiter(1)
        self._searching = anyio.Lock(fast_acquire=True)
        self._readers = CapacityLimiter(1)
        # LanceDB retries conflicting commits and may give up; writes that take turns never conflict.
        self._turn = anyio.Lock()

    @property
    def cached_bytes(self) -> int:
        """What LanceDB keeps of the index in memory, in bytes, as it estimates it."""
        return 0 if self._connection is None else self._connection.cached_bytes

    async def open(self, *, model: str, dimensions: int) -> int:
        """Open or create the table and return the last sequence applied; see the port.

        Raises:
            DiskFull: there was no space to create it.
            Unavailable: it may not be read.
        """
        async with self._turn:
            if self._folder is not None:
                await to_thread.run_sync(self._make_folder, limiter=self._threads)
            try:
                with translated(self.url):
                    self._connection = await connect(self.url)
                    found, self._applied = await folder.opened(
                        self._connection.database, model=model, dimensions=dimensions
                    )
                    self._dimensions = dimensions
                    self._resident = await self._load(found)
                    self._table = found
            except (IndexDamaged, folder.ModelChanged):
                await self._begin(model=model, dimensions=dimensions)
            return self._applied

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return candidates from both sides, best cosine first; see the port.

        Raises:
            Unavailable: the index is not open.
        """

        def search(resident: Resident) -> list[Candidate]:
            # Embedded just before another model's index was put in place: the words find what they find.
            asked = None if vector is None or len(vector) != self._dimensions else vector
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
        self._opened()
        dimensions = self._dimensions
        batch = await to_thread.run_sync(table, rows, dimensions, limiter=self._threads) if rows else None
        async with self._turn:
            found = self._opened()
            with translated(self.url):
                if batch is not None and self._resident.rows == 0:
                    await found.add(batch)
                elif batch is not None:
                    upsert = found.merge_insert("id").when_matched_update_all(
                        where="source.sequence >= target.sequence"
                    )
                    await upsert.when_not_matched_insert_all().execute(batch)
                for start in range(0, len(removed), _DELETED_AT_ONCE):
                    await found.delete(one_of("id", removed[start : start + _DELETED_AT_ONCE]))
                if sequence > self._applied:
                    # After the data: a crash in between applies the batch again, which changes nothing.
                    await folder.remember(found, applied=sequence)
                    self._applied = sequence
            await self._in_turn(lambda resident: resident.change(batch, removed), rows=len(rows))

    async def optimise(self) -> dict[str, float]:
        """Compact, drop old versions and what is cached of them; see the port.

        Raises:
            DiskFull: there is no space; the index serves on as it is.
            Unavailable: the index is not open, or damaged.
        """
        began = time.monotonic()
        async with self._turn:
            found = self._opened()
            with translated(self.url):
                done = await folder.clean_up(found, self._config.keep_versions_s)
                self._connection, self._table = await self._anew()
                if self._resident.dead > _MOST_DEAD * self._resident.rows:
                    self._resident = await self._load(self._table)
        await hand_back()
        return {**done, "rows": float(self._resident.rows), "seconds": time.monotonic() - began}

    async def reset(self, *, model: str, dimensions: int) -> None:
        """Throw everything away, what was set aside as well, and begin anew at sequence 0.

        Raises:
            DiskFull: there was no space to create it.
        """
        async with self._turn:
            await self._begin(model=model, dimensions=dimensions)
            if self._folder is not None:
                await to_thread.run_sync(folder.discard_aside, self._folder, limiter=self._threads)

    async def purge(self) -> None:
        """Rewrite the table so that no byte of what was removed is left, in it or set aside; see the port.

        Compacting would keep fragments of which little was removed. Where this is interrupted, the index is built anew
        from the ledger.

        Raises:
            DiskFull: there is no space.
            Unavailable: the index is not open, or damaged.
        """
        async with self._turn:
            found = self._opened()
            with translated(self.url):
                kept = await found.to_arrow()
                about = await folder.remembered(found)
                if self._connection is None:
                    return
                found = await folder.begin(self._connection.database, model=about["model"], dimensions=self._dimensions)
                if kept.num_rows:
                    await found.add(kept)
                await folder.remember(found, applied=self._applied)
                await folder.clean_up(found, self._config.keep_versions_s)
                self._connection, self._table = await self._anew()
                self._resident = await self._load(self._table)
            if self._folder is not None:
                await to_thread.run_sync(folder.discard_aside, self._folder, limiter=self._threads)

    async def count(self) -> int:
        return await self._in_turn(lambda resident: resident.rows)

    async def close(self) -> None:
        async with self._turn:
            self._release()

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Let nobody search or write for the moment."""
        async with self._turn, self._searching:
            yield

    def exchange(self, other: "LanceIndex") -> None:
        """Have what the other one has, and give it what was here; both are `held`."""
        self.url, other.url = other.url, self.url
        self._folder, other._folder = other._folder, self._folder
        self._connection, other._connection = other._connection, self._connection
        self._table, other._table = other._table, self._table
        self._resident, other._resident = other._resident, self._resident
        self._dimensions, other._dimensions = other._dimensions, self._dimensions
        self._applied, other._applied = other._applied, self._applied

    async def _begin(self, *, model: str, dimensions: int) -> None:
        self._release()
        if self._folder is not None:
            await to_thread.run_sync(folder.set_aside, self._folder, limiter=self._threads)
            await to_thread.run_sync(self._make_folder, limiter=self._threads)
        with translated(self.url):
            self._connection = await connect(self.url)
            self._table = await folder.begin(self._connection.database, model=model, dimensions=dimensions)
        self._resident = Resident(dimensions, exact_rows=self._config.ann_rows)
        self._dimensions = dimensions
        self._applied = 0

    async def _anew(self) -> tuple[Connected, "AsyncTable"]:
        """Return another connection and its table, which has in memory what a search needs, and nothing else."""
        if self._connection is None:
            raise Unavailable("the index is not open")
        connection = await self._connection.anew()
        return connection, await connection.database.open_table(folder.NAME)

    async def _load(self, found: "AsyncTable") -> Resident:
        """Read all rows into memory: 1 s of a core for 100,000, beside reading them."""
        import pyarrow as pa

        resident = Resident(self._dimensions, exact_rows=self._config.ann_rows)
        async for batch in await found.query().to_batches():
            rows = pa.Table.from_batches([batch])
            await to_thread.run_sync(resident.put, rows, limiter=self._threads)
        return resident

    async def _in_turn(self, work: Callable[[Resident], _Result], *, rows: int = 0) -> _Result:
        """Work with what is in memory while nobody else does; where there is much of it, in a thread."""
        self._opened()
        async with self._searching:
            if self._resident.rows + rows <= _AT_ONCE:
                return work(self._resident)
            return await to_thread.run_sync(work, self._resident, limiter=self._readers)

    def _opened(self) -> "AsyncTable":
        if self._table is None:
            raise Unavailable("the index is not open")
        return self._table

    def _release(self) -> None:
        if self._table is not None:
            self._table.close()  # type: ignore[no-untyped-call]  # LanceDB left it so
        if self._connection is not None:
            self._connection.close()
        self._table = self._connection = None
        self._resident = Resident(0, exact_rows=0)

    def _make_folder(self) -> None:
        if self._folder is not None:
            with translated(self.url):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
