"""The `Index` port over LanceDB."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import CapacityLimiter, to_thread

from memoryd.config import IndexConfig
from memoryd.index import folder
from memoryd.index.addresses import Addresses
from memoryd.index.connection import Connected, connect, hand_back
from memoryd.index.failures import translated
from memoryd.index.filters import one_of
from memoryd.index.search import Searched, search, vectors_of
from memoryd.index.tables import FILTER_COLUMNS, VECTOR_INDEX, table
from memoryd_actors.core.errors import IndexDamaged, Unavailable
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import IndexRow

if TYPE_CHECKING:
    from lancedb import AsyncTable

_RETRAIN = 3
"""The ANN index is trained anew when the table has grown by this factor: its partitions no longer fit."""
_DELETED_AT_ONCE = 1000
QUANTISED_BITS = 4
"""Per dimension. Recall@10 at 50,000 rows when the query is unlike everything stored, with 100 vectors refined: 1 bit
.54 to .57, 2 bits .94 to .95, 4 bits 1.00, all at 3 to 4 ms. Near queries hide this: 1 bit finds all of them."""


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
        self._addresses = Addresses()
        self._dimensions = 0
        self._applied = 0
        self._trained = 0
        self._rows = 0
        self._threads = CapacityLimiter(1)
        # LanceDB retries conflicting commits and may give up; writes that take turns never conflict. Searches do not
        # wait: each sees a version of its own.
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
                    self._table, self._applied, self._trained = await folder.opened(
                        self._connection.database, model=model, dimensions=dimensions
                    )
                    self._rows = await self._table.count_rows()
                    self._addresses = Addresses()
                    await self._addresses.load(self._table)
                    self._dimensions = dimensions
            except (IndexDamaged, folder.ModelChanged):
                await self._begin(model=model, dimensions=dimensions)
            return self._applied

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return candidates from both sides, best cosine first; see the port.

        Raises:
            Unavailable: the index is not open, or damaged.

        """
        found = self._opened()
        if not self._rows:
            return []
        try:
            with translated(self.url):
                return await search(
                    Searched(found, self._addresses),
                    rows=self._rows,
                    vector=vector,
                    words=words,
                    visible=visible,
                    limit=limit,
                )
        except IndexDamaged:
            if not await self._replaced(found):
                raise
            return await self.search(vector=vector, words=words, visible=visible, limit=limit)

    async def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those memories that are here; see the port.

        Raises:
            Unavailable: the index is not open, or damaged.

        """
        found = self._opened()
        if not ids or not self._rows:
            return {}
        try:
            with translated(self.url):
                return await vectors_of(found, ids)
        except IndexDamaged:
            if not await self._replaced(found):
                raise
            return await self.vectors(ids)

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
                if batch is not None and self._rows == 0:
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
                self._rows = await found.count_rows()

    async def optimise(self) -> dict[str, float]:
        """Compact, extend or build the indexes, drop old versions and what is cached of them; see the port.

        Raises:
            DiskFull: there is no space; the index serves on as it is.
            Unavailable: the index is not open, or damaged.

        """
        began = time.monotonic()
        async with self._turn:
            found = self._opened()
            with translated(self.url):
                built = await self._build(found)
                done = await folder.clean_up(found, self._config.keep_versions_s)
                self._connection, self._table = await self._anew()
                found = self._table
                await self._addresses.load(found)
                self._rows = await found.count_rows()
        await hand_back()
        return {**done, "ann_built": float(built), "rows": float(self._rows), "seconds": time.monotonic() - began}

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
                self._trained = 0
                found = await folder.begin(self._connection.database, model=about["model"], dimensions=self._dimensions)
                if kept.num_rows:
                    await found.add(kept)
                await folder.remember(found, applied=self._applied)
                await self._build(found)
                await folder.clean_up(found, self._config.keep_versions_s)
                connection, found = await self._anew()
                # Addresses may be given again in a new table: what lay at them before must not be found there.
                addresses = Addresses()
                await addresses.load(found)
                rows = await found.count_rows()
                # Not before it is whole: who searches meanwhile finds the old one gone, and waits for this one.
                self._connection, self._table, self._addresses, self._rows = connection, found, addresses, rows
            if self._folder is not None:
                await to_thread.run_sync(folder.discard_aside, self._folder, limiter=self._threads)

    async def count(self) -> int:
        """Return the number of rows."""
        with translated(self.url):
            return await self._opened().count_rows()

    async def close(self) -> None:
        """Release files. A closed index may be opened again."""
        async with self._turn:
            self._release()

    async def _begin(self, *, model: str, dimensions: int) -> None:
        self._release()
        if self._folder is not None:
            await to_thread.run_sync(folder.set_aside, self._folder, limiter=self._threads)
            await to_thread.run_sync(self._make_folder, limiter=self._threads)
        with translated(self.url):
            self._connection = await connect(self.url)
            self._table = await folder.begin(self._connection.database, model=model, dimensions=dimensions)
        self._addresses = Addresses()
        self._dimensions = dimensions
        self._applied = self._trained = self._rows = 0

    async def _build(self, found: "AsyncTable") -> bool:
        rows = await found.count_rows()
        threshold = self._config.ann_rows
        if rows < max(threshold, 1) or rows < self._trained * _RETRAIN:
            return False
        from lancedb.index import Bitmap, IvfRq

        # Its default of one partition per 8,192 rows is searched whole up to 300,000 rows, which keeps the recall under
        # narrow filters that 316 small partitions lose (.976 to .994).
        quantised = IvfRq(distance_type="cosine", num_bits=QUANTISED_BITS)
        await found.create_index("vector", config=quantised, name=VECTOR_INDEX, replace=True)
        for column in FILTER_COLUMNS:
            # Only from here on: beside the exact scan they turn it into single reads, five times as slow.
            await found.create_index(column, config=Bitmap(), replace=True)
        await folder.remember(found, trained=rows)
        self._trained = rows
        await found.prewarm_index(VECTOR_INDEX)
        return True

    async def _anew(self) -> tuple[Connected, "AsyncTable"]:
        """Return another connection and its table, which has in memory what a search needs, and nothing else."""
        if self._connection is None:
            raise Unavailable("the index is not open")
        connection = await self._connection.anew()
        table = await connection.database.open_table(folder.NAME)
        await folder.warm(table, self._dimensions)
        if self._trained:
            await table.prewarm_index(VECTOR_INDEX)
        return connection, table

    async def _replaced(self, found: "AsyncTable") -> bool:
        """Return whether a purge has put another table in the place of this one, or is about to; wait for it then."""
        if self._table is found:
            async with self._turn:
                pass
        return self._table is not found

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

    def _make_folder(self) -> None:
        if self._folder is not None:
            with translated(self.url):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
