"""The folder that the index lies in: opened, begun anew, or set aside when it cannot be used."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.index.tables import FILTER_COLUMNS, LAYOUT, schema
from memoryd.index.words import match_query
from memoryd_actors.core.errors import MemorydError

if TYPE_CHECKING:
    from lancedb import AsyncConnection, AsyncTable

NAME = "memories"
ASIDE = ".set-aside"


class ModelChanged(MemorydError):
    """Raised when the index holds vectors of another model, or has another layout."""


async def begin(connection: "AsyncConnection", *, model: str, dimensions: int) -> "AsyncTable":
    """Create the empty table with its word index and the key by which rows are replaced."""
    from lancedb.index import FTS, BTree

    await connection.drop_table(NAME, ignore_missing=True)
    table = await connection.create_table(NAME, schema=schema(model, dimensions))
    # Stemming and stop words are worth ten points of BM25. `simple` cuts at everything that is no letter or digit.
    await table.create_index(
        "text", config=FTS(base_tokenizer="simple", language="English", stem=True, remove_stop_words=True)
    )
    await table.create_index("id", config=BTree())
    return table


async def opened(connection: "AsyncConnection", *, model: str, dimensions: int) -> tuple["AsyncTable", int, int]:
    """Return the table, the last sequence applied and the number of rows its ANN index was trained on.

    Raises:
        ModelChanged: it was built with another model or layout.
        RuntimeError, ValueError, OSError: LanceDB cannot read it.

    """
    table = await connection.open_table(NAME)
    about = await remembered(table)
    if (about.get("model"), about.get("dimensions"), about.get("layout")) != (model, str(dimensions), LAYOUT):
        raise ModelChanged(f"the index was built with {about.get('model')!r}, layout {about.get('layout')}")
    await probe(table, dimensions)
    return table, int(about["applied"]), int(about["trained"])


async def probe(table: "AsyncTable", dimensions: int) -> None:
    """Touch every file once, so that a truncated one is noticed now; the indexes are in memory afterwards."""
    await table.query().select(["sequence", *FILTER_COLUMNS]).to_arrow()
    await warm(table, dimensions)


async def warm(table: "AsyncTable", dimensions: int) -> None:
    """Have the indexes in memory before somebody waits for them."""
    await table.query().nearest_to([1.0] + [0.0] * (dimensions - 1)).limit(1).select(["id", "_distance"]).to_arrow()
    await table.query().nearest_to_text(match_query("memory")).limit(1).select(["id", "_score"]).to_arrow()
    await table.query().where("id = ''").select(["id"]).to_arrow()


async def remembered(table: "AsyncTable") -> dict[str, str]:
    """Return what the index remembers about itself."""
    found: dict[bytes, bytes] = (await table.schema()).field("sequence").metadata or {}
    return {key.decode(): value.decode() for key, value in found.items()}


async def remember(table: "AsyncTable", **facts: int) -> None:
    """Note facts about the index in a version of their own."""
    await table.update_field_metadata(
        {"path": "sequence", "metadata": {key: str(value) for key, value in facts.items()}}
    )


async def clean_up(table: "AsyncTable", keep_versions_s: float) -> dict[str, float]:
    """Compact, extend the indexes and delete versions that are older; return what was done."""
    done = await table.optimize(cleanup_older_than=timedelta(seconds=keep_versions_s))
    return {
        "fragments_removed": float(done.compaction.fragments_removed),
        "fragments_added": float(done.compaction.fragments_added),
        "versions_removed": float(done.prune.old_versions_removed),
        "bytes_removed": float(done.prune.bytes_removed),
    }


def set_aside(folder: Path) -> Path | None:
    """Rename the folder out of the way, over what was set aside before; None where there is none. Blocks."""
    if not folder.exists():
        return None
    aside = folder.with_name(folder.name + ASIDE)
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
    return aside


def discard_aside(folder: Path) -> None:
    """Delete what was set aside. Blocks."""
    shutil.rmtree(folder.with_name(folder.name + ASIDE), ignore_errors=True)
