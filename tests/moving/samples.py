"""Rows for every table of a ledger, with any texts and numbers, as far as the tables allow."""

from typing import Any

from hypothesis import strategies as st
from sqlalchemy import Boolean, Float, Integer, LargeBinary, Table
from sqlalchemy.sql.sqltypes import BigInteger

from memoryd.ledger.all_rows import LEFT
from memoryd.ledger.tables import metadata

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
_UNIQUE = {"memories": {"id", "content_hash"}, "core_writes": {"write_id"}, "checkpoints": {"thread"}}
_ENDS = {"from_id", "to_id", "older_id", "newer_id"}
_JSON = {"files": "[]", "sources": "[]", "tags": "[]", "metadata": "{}", "meta": "{}", "undo": ""}


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Draw the rows of every table."""
    return {
        name: [_row(draw, table, number) for number in range(1, draw(st.integers(0, 3)) + 1)]
        for name, table in metadata.tables.items()
        if name not in LEFT
    }


def _row(draw: st.DrawFn, table: Table, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in table.c:
        kind = column.type
        if column.primary_key and isinstance(kind, Integer):
            row[column.name] = number * 7
        elif column.nullable and draw(st.booleans()):
            row[column.name] = None
        elif isinstance(kind, Boolean):
            row[column.name] = draw(st.booleans())
        elif isinstance(kind, Float):
            row[column.name] = draw(st.floats(allow_nan=False, allow_infinity=False, width=64))
        elif isinstance(kind, BigInteger):
            row[column.name] = draw(st.integers(-(2**63), 2**63 - 1))
        elif isinstance(kind, Integer):
            row[column.name] = draw(st.integers(-(2**31), 2**31 - 1))
        elif isinstance(kind, LargeBinary):
            row[column.name] = draw(st.binary(max_size=20))
        elif column.name in _JSON:
            row[column.name] = _JSON[column.name]
        else:
            unique = column.primary_key or column.name in _UNIQUE.get(table.name, ()) or column.name in _ENDS
            row[column.name] = draw(TEXTS) + (f"~{number}" if unique else "")
    if table.name == "progress":
        row["job"] = f"job~{number}"
    return row
