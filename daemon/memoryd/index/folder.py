"""The folder that the index lies in: opened, begun anew, or set aside when it cannot be used."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd.index.tables import LAYOUT, schema
from memoryd_actors.core.errors import DaemonError

if TYPE_CHECKING:
    from lancedb import AsyncConnection, AsyncTable

NAME = "memories"
ASIDE = ".set-aside"


class ModelChanged(DaemonError):
    """Raised when the index holds vectors of another model, or has another layout."""


async def begin(connection: "AsyncConnection", *, model: str, dimensions: int) -> "AsyncTable":
    """Create the empty table with the key by which rows are replaced."""
    from lancedb.index import BTree

    await connection.drop_table(NAME, ignore_missing=True)
    table = await connection.create_table(NAME, schema=schema(model, dimensions))
    await table.create_index("id", config=BTree())
    return table


async def opened(connection: "AsyncConnection", *, model: str, dimensions: int) -> tuple["AsyncTable", int]:
    """Return the table and the last sequence applied.

    Raises:
        ModelChanged: it was built with another model or layout.
        RuntimeError, ValueError, OSError: LanceDB cannot read it.
    """
    table = await connection.open_table(NAME)
    about = await remembered(table)
    if (about.get("model"), about.get("dimensions"), about.get("layout")) != (model, str(dimensions), LAYOUT):
        raise ModelChanged(f"the index was built with {about.get('model')!r}, layout {about.get('layout')}")
    # Touches the key, so that a truncated one is noticed now; what else there is is read anyway.
    await table.query().where("id = ''").select(["id"]).to_arrow()
    return table, int(about["applied"])


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
