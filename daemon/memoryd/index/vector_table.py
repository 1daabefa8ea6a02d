"""A table of vectors of one model, in a folder or an object store of its own."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from memoryd.index.connection import Connected, connect
from memoryd.index.failures import translated
from memoryd_actors.core.errors import IndexDamaged, Unavailable

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb import AsyncTable

ASIDE = ".set-aside"
_IDENTITY = ("model", "dimensions", "layout")
"""What the table remembers about itself and has to agree; another one begins anew."""


class VectorTable:
    """The table, and the connection that it is read and written through.

    `url` is a local folder or an object store that LanceDB knows. Nothing of LanceDB is imported before it is opened.
    """

    def __init__(
        self,
        url: Path | str,
        name: str,
        schema: "Callable[[str, int], pa.Schema]",  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
        *,
        full_text: str = "",
        share: float = 1.0,
    ) -> None:
        """Prepare; `schema` is that of a model and its dimensions, `full_text` the column whose words are indexed."""
        self.url = str(url)
        self.dimensions = 0
        self._folder = None if "://" in self.url else Path(url)
        self._name = name
        self._schema = schema
        self._full_text = full_text
        self._share = share
        self._connection: Connected | None = None
        self._table: AsyncTable | None = None

    @property
    def cached_bytes(self) -> int:
        """What LanceDB keeps of the table in memory, in bytes, as it estimates it."""
        return 0 if self._connection is None else self._connection.cached_bytes

    @property
    def table(self) -> "AsyncTable":
        """The table.

        Raises:
            Unavailable: it is not open.
        """
        if self._table is None:
            raise Unavailable(f"the index of {self._name} is not open yet", "Try again in a moment.")
        return self._table

    async def open(self, *, model: str, dimensions: int) -> dict[str, str]:
        """Open the table that is there; return what it remembers about itself.

        Raises:
            IndexDamaged: it is not there, cannot be read, or is of another model or layout.
            Unavailable: it may not be read.
        """
        self.close()
        await to_thread.run_sync(self._make_folder)
        with translated(self.url):
            self._connection = await connect(self.url, share=self._share)
            self._table = await self._connection.database.open_table(self._name)
            about = _remembered(await self._table.schema())
            wanted = _remembered(self._schema(model, dimensions))
            # Touches the key, so that a truncated one is noticed now.
            await self._table.query().where("id = ''").select(["id"]).to_arrow()
        if any(about.get(fact) != wanted[fact] for fact in _IDENTITY):
            raise IndexDamaged(self.url, "it is of another model or layout")
        self.dimensions = dimensions
        return about

    async def begin(self, *, model: str, dimensions: int) -> None:
        """Set aside what there is, over what was set aside before, and begin anew.

        Raises:
            DiskFull: there was no space to create it.
        """
        self.close()
        await to_thread.run_sync(self._set_aside)
        with translated(self.url):
            self._connection = await connect(self.url, share=self._share)
            await self._create(model, dimensions)

    async def remember(self, fact: str, value: str) -> None:
        """Note something about the table, in a version of its own."""
        await self.table.update_field_metadata({"path": "sequence", "metadata": {fact: value}})

    async def rewrite(self, keep_versions_s: float, *, where: str = "") -> None:
        """Begin anew with the rows that fit, and what is remembered: no byte of any other row is left.

        Compacting would keep fragments of which little was removed.
        """
        query = self.table.query()
        kept = await (query.where(where) if where else query).to_arrow()
        about = _remembered(await self.table.schema())
        await self._create(about["model"], self.dimensions)
        if kept.num_rows:
            await self.table.add(kept)
        for fact in sorted(about.keys() - set(_IDENTITY)):
            await self.remember(fact, about[fact])
        await self.optimise(keep_versions_s)

    async def optimise(self, keep_versions_s: float) -> dict[str, float]:
        """Compact, extend the indexes, drop what is cached and older versions; return what was done."""
        done = await self.table.optimize(cleanup_older_than=timedelta(seconds=keep_versions_s))
        if self._connection is not None:
            self._connection = await self._connection.anew()
            self._table = await self._connection.database.open_table(self._name)
        return {
            "fragments_removed": float(done.compaction.fragments_removed),
            "fragments_added": float(done.compaction.fragments_added),
            "versions_removed": float(done.prune.old_versions_removed),
            "bytes_removed": float(done.prune.bytes_removed),
        }

    async def discard_aside(self) -> None:
        """Delete what was set aside."""
        if self._folder is not None:
            await to_thread.run_sync(lambda: shutil.rmtree(self._aside(), ignore_errors=True))

    def close(self) -> None:
        """Release files."""
        if self._table is not None:
            self._table.close()  # type: ignore[no-untyped-call]  # LanceDB left it so
        if self._connection is not None:
            self._connection.close()
        self._table = self._connection = None

    async def _create(self, model: str, dimensions: int) -> None:
        from lancedb.index import FTS, BTree

        if self._connection is None:
            raise Unavailable(f"the index of {self._name} is not open")
        database = self._connection.database
        await database.drop_table(self._name, ignore_missing=True)
        self._table = await database.create_table(self._name, schema=self._schema(model, dimensions))
        self.dimensions = dimensions
        if self._full_text:
            words = FTS(base_tokenizer="simple", language="English", stem=True, remove_stop_words=True)
            await self._table.create_index(self._full_text, config=words)
        await self._table.create_index("id", config=BTree())

    def _make_folder(self) -> None:
        if self._folder is not None:
            with translated(self.url):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def _set_aside(self) -> None:
        if self._folder is not None and self._folder.exists():
            shutil.rmtree(self._aside(), ignore_errors=True)
            with translated(self.url):
                self._folder.rename(self._aside())
        self._make_folder()

    def _aside(self) -> Path:
        return Path(self.url + ASIDE)


def _remembered(schema: "pa.Schema") -> dict[str, str]:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return what a table remembers about itself."""
    found: dict[bytes, bytes] = schema.field("sequence").metadata or {}
    return {key.decode(): value.decode() for key, value in found.items()}
