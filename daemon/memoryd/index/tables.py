"""The layout of the index, and rows on their way into it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from memoryd.index.words import storable, words_of
from memoryd_actors.ports.embedder import Vector, Vectors
from memoryd_actors.ports.index import IndexRow

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "memories"
LAYOUT = "5"
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
            pa.field("counts", pa.list_(pa.int32()), nullable=False),
            pa.field("spans", pa.list_(pa.int32()), nullable=False),
            pa.field("passages", pa.list_(pa.list_(pa.float32(), dimensions)), nullable=False),
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
    vectors = _flat([row.vector for row in kept], dimensions)
    words = [[words_of(text) for text in (row.text, *(passage.text for passage in row.passages))] for row in kept]
    plain = schema("", dimensions).remove_metadata()
    arrays: list[pa.Array] = []
    for field in plain:
        match field.name:
            case "vector":
                arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(vectors), dimensions))
            case "passages":
                ends = np.cumsum([0, *(len(row.passages) for row in kept)])
                further = _flat([passage.vector for row in kept for passage in row.passages], dimensions)
                flat = pa.FixedSizeListArray.from_arrays(pa.array(further), dimensions)
                arrays.append(pa.ListArray.from_arrays(pa.array(ends, pa.int32()), flat))
            case "words":
                arrays.append(pa.array([[word for part in parts for word in part] for parts in words], field.type))
            case "counts":
                arrays.append(pa.array([[len(part) for part in parts] for parts in words], field.type))
            case "spans":
                arrays.append(pa.array([_spans(row) for row in kept], field.type))
            case "tags":
                arrays.append(pa.array([[storable(tag) for tag in row.tags] for row in kept], field.type))
            case "pinned":
                arrays.append(pa.array([row.pinned for row in kept], field.type))
            case "sequence" | "importance" | "updated_at" as name:
                arrays.append(pa.array([getattr(row, name) for row in kept], field.type))
            case name:
                arrays.append(pa.array([storable(getattr(row, name)) for row in kept], field.type))
    return pa.table(arrays, schema=plain)


def _flat(vectors: Sequence[Vector], dimensions: int) -> Vector:
    if not vectors:
        return np.empty(0, np.float32)
    stacked = np.stack(vectors).astype(np.float32, copy=False)
    if stacked.shape[1] != dimensions:
        raise ValueError(f"vectors of shape {stacked.shape} do not fit an index of {dimensions} dimensions")
    return stacked.ravel()


def _spans(row: IndexRow) -> list[int]:
    if not row.passages:
        return []
    return [0, row.passages[0].start, *(place for passage in row.passages for place in (passage.start, passage.end))]


def matrix(found: "pa.Table") -> Vectors:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return a vector for each passage of each row; rows of short memories have one."""
    first = _numbers(found["vector"].combine_chunks().flatten()).reshape(found.num_rows, -1)
    lists = found["passages"].combine_chunks()
    more = lists.value_lengths().to_numpy(zero_copy_only=False)
    if not more.any():
        return first
    begins = np.arange(found.num_rows) + np.cumsum(more) - more
    vectors = np.empty((found.num_rows + int(more.sum()), first.shape[1]), np.float32)
    further = np.ones(len(vectors), np.bool_)
    further[begins] = False
    vectors[begins] = first
    vectors[further] = _numbers(lists.flatten().flatten()).reshape(-1, first.shape[1])
    return vectors


def _numbers(flat: "pa.Array") -> Vector:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    return cast(Vector, flat.to_numpy(zero_copy_only=False))
