"""The layout of the index, and rows on their way into it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from memoryd.index.words import storable, words_of
from memoryd_actors.ports.embedder import Vectors
from memoryd_actors.ports.index import IndexRow

if TYPE_CHECKING:
    import pyarrow as pa

LAYOUT = "4"
"""Changes when the columns or what stands for a memory do; another layout is rebuilt from the ledger."""


def schema(model: str, dimensions: int) -> "pa.Schema":  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return the table's schema. What the index remembers about itself is metadata of its `sequence` column.

    There it changes in a version of the same table: LanceDB has no transaction across tables.
    """
    import pyarrow as pa

    about = {"model": model, "dimensions": str(dimensions), "layout": LAYOUT, "applied": "0"}
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions), nullable=False),
            pa.field("words", pa.list_(pa.string()), nullable=False),
            pa.field("owner", pa.string(), nullable=False),
            pa.field("scope", pa.string(), nullable=False),
            pa.field("project", pa.string(), nullable=False),
            pa.field("category", pa.string(), nullable=False),
            pa.field("state", pa.string(), nullable=False),
            pa.field("session", pa.string(), nullable=False),
            pa.field("tags", pa.list_(pa.string()), nullable=False),
            pa.field("pinned", pa.bool_(), nullable=False),
            pa.field("agent", pa.string(), nullable=False),
            pa.field("role", pa.string(), nullable=False),
            pa.field("speaker", pa.string(), nullable=False),
            pa.field("importance", pa.int8(), nullable=False),
            pa.field("updated_at", pa.int64(), nullable=False),
            pa.field("sequence", pa.int64(), nullable=False, metadata=about),
        ]
    )


def table(rows: Sequence[IndexRow], dimensions: int) -> "pa.Table":  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return the rows as an Arrow table; of several with one id, the one with the highest sequence.

    Raises:
        ValueError: a vector has another length.

    """
    import pyarrow as pa

    latest: dict[str, IndexRow] = {}
    for row in rows:
        there = latest.get(row.id)
        if there is None or there.sequence <= row.sequence:
            latest[row.id] = row
    kept = list(latest.values())
    vectors = np.stack([row.vector for row in kept]).astype(np.float32, copy=False)
    if vectors.shape != (len(kept), dimensions):
        raise ValueError(f"vectors of shape {vectors.shape} do not fit an index of {dimensions} dimensions")
    plain = schema("", dimensions).remove_metadata()
    arrays: list[pa.Array] = []
    for field in plain:
        match field.name:
            case "vector":
                arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimensions))
            case "words":
                arrays.append(pa.array([words_of(row.text) for row in kept], field.type))
            case "tags":
                arrays.append(pa.array([[storable(tag) for tag in row.tags] for row in kept], field.type))
            case "pinned":
                arrays.append(pa.array([row.pinned for row in kept], field.type))
            case "sequence" | "importance" | "updated_at" as name:
                arrays.append(pa.array([getattr(row, name) for row in kept], field.type))
            case name:
                arrays.append(pa.array([storable(getattr(row, name)) for row in kept], field.type))
    return pa.table(arrays, schema=plain)


def matrix(found: "pa.Table") -> Vectors:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return a table's vectors, a row each."""
    column = found["vector"].combine_chunks()
    flat = cast(Vectors, column.flatten().to_numpy(zero_copy_only=False))
    return flat.reshape(found.num_rows, -1)
