"""The layout of the table of messages, and rows on their way into it."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from memoryd.index.filters import literal, one_of
from memoryd.index.words import indexable, storable
from memoryd_actors.ports.transcripts import Key, MessageRow, Wanted

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "messages"
LAYOUT = "2"
PLACE = ("session", "sequence")
SHOWN = (*PLACE, "text", "kind", "role", "name", "at")
"""What a search reads of what it finds."""


def row_id(owner: str, session: str, sequence: int) -> str:
    """Return the key by which a row is replaced."""
    return f"{_digest((owner, session))}:{sequence}"


def predicate(wanted: Wanted) -> str:
    """Return the filter: the owner always, then whatever else is asked for."""
    clauses = [f"owner = {literal(wanted.owner)}"]
    named = {"session": wanted.session, "role": wanted.role, "kind": wanted.kind}
    clauses += [f"{column} = {literal(value)}" for column, value in named.items() if value]
    if wanted.sessions is not None:
        clauses.append(one_of("session", sorted(wanted.sessions)) if wanted.sessions else "false")
    if wanted.since is not None:
        clauses.append(f"at >= {wanted.since}")
    if wanted.until is not None:
        clauses.append(f"at < {wanted.until}")
    return " AND ".join(clauses)


def of_session(key: Key) -> str:
    """Return the filter for the rows of one session."""
    return f"owner = {literal(key[0])} AND session = {literal(key[1])}"


def schema(model: str, dimensions: int) -> "pa.Schema":  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return the table's schema; what it remembers about itself is metadata of its `sequence` column."""
    import pyarrow as pa

    about = {"model": model, "dimensions": str(dimensions), "layout": LAYOUT}
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions)),
            pa.field("text", pa.string(), nullable=False),
            pa.field("owner", pa.string(), nullable=False),
            pa.field("session", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("role", pa.string(), nullable=False),
            pa.field("name", pa.string(), nullable=False),
            pa.field("at", pa.int64(), nullable=False),
            pa.field("sequence", pa.int64(), nullable=False, metadata=about),
        ]
    )


def table(rows: Sequence[MessageRow], dimensions: int) -> "pa.Table":  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    """Return the rows as an Arrow table, those without a vector with none."""
    import pyarrow as pa

    plain = schema("", dimensions).remove_metadata()
    flat = np.zeros((len(rows), dimensions), np.float32)
    for place, row in enumerate(rows):
        if row.vector is not None:
            flat[place] = row.vector
    missing = pa.array([row.vector is None for row in rows], pa.bool_())
    columns: dict[str, pa.Array] = {
        "id": pa.array([row_id(row.owner, row.session, row.sequence) for row in rows], pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), dimensions, mask=missing),
        "text": pa.array([indexable(row.text) for row in rows], pa.string()),
        "at": pa.array([row.at for row in rows], pa.int64()),
        "sequence": pa.array([row.sequence for row in rows], pa.int64()),
    }
    for name in ("owner", "session", "kind", "role", "name"):
        columns[name] = pa.array([storable(getattr(row, name)) for row in rows], pa.string())
    return pa.table([columns[field.name] for field in plain], schema=plain)


def _digest(key: Key) -> str:
    return sha256("\0".join(key).encode("utf-8", "surrogatepass")).hexdigest()[:24]
