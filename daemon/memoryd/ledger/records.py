"""History: one row for each write to a memory, in its transaction, with what is needed to undo it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from memoryd.ledger.rows import dump, memory_row, to_micros
from memoryd.ledger.tables import history
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.memory import Memory

UNTRACKED = frozenset({"id", "owner", "access_count", "last_accessed_at", "embedding_model", "created_at"})
"""Columns of a memory that no operation changes."""
SHOWN = (
    "title",
    "category",
    "scope",
    "project",
    "importance",
    "pinned",
    "trust",
    "tags",
    "speaker",
    "source",
    "role",
    "occurred_at",
    "session",
    "source_messages",
    "files",
    "metadata",
)
"""What a history says in words when it changed."""
LONGEST_SHOWN = 120
"""Characters of either side."""
ColumnValue = str | int | float | bool | None


class Before(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a write found: kept in its history row as JSON."""

    created: bool = False
    """There was no such memory."""
    columns: dict[str, ColumnValue] = {}
    """What the changed columns held."""


encode_before = msgspec.json.Encoder().encode
decode_before = msgspec.json.Decoder(Before).decode


def next_operation(connection: Connection) -> int:
    """Return a number that no operation has yet: the writer is alone, and rows of the history are never deleted."""
    return (connection.execute(select(func.max(history.c.id))).scalar() or 0) + 1


def difference(before: Memory, after: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns in which two versions of a memory differ: what they held, what they hold."""
    old, new = memory_row(before), memory_row(after)
    changed = [name for name in new if name not in UNTRACKED and new[name] != old[name]]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def shown_changes(before: Memory, after: Memory) -> dict[str, str]:
    """Return what somebody changed about a memory beside its content, by field: "fact → rule"."""
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in SHOWN]
    return {name: f"{_shown(old)} → {_shown(new)}" for name, old, new in pairs if old != new}


def _shown(value: object) -> str:
    if value is None or value == ():
        return "-"
    plain = value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
    return f"{plain[:LONGEST_SHOWN]}…" if len(plain) > LONGEST_SHOWN else plain or "-"


def record(
    memory: Memory,
    event: str,
    actor: str,
    now: datetime,
    *,
    operation: int,
    before: Before,
    old: str = "",
    new: str = "",
    meta: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the history row of one write."""
    return {
        "memory_id": memory.id,
        "owner": memory.owner,
        "event": event,
        "old": old,
        "new": new,
        "actor": clean(actor),
        "meta": dump(dict(meta or {})),
        "ts": to_micros(now),
        "operation": operation,
        "undo": encode_before(before).decode(),
        "category": memory.category,
    }
