"""Memories, history and changes between their structs and their rows."""

from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, cast

import msgspec
from sqlalchemy import RowMapping

from memoryd_actors.core.errors import Refused
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory, Scope, Source, State

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)

_strings = msgspec.json.Decoder(tuple[str, ...]).decode
_mapping = msgspec.json.Decoder(dict[str, str]).decode
_span = msgspec.json.Decoder(tuple[int, int]).decode


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970; a moment without a zone is UTC.

    Raises:
        Refused: its zone pushes it out of the calendar, and nobody could read it again.
    """
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    micros = (aware - _EPOCH) // timedelta(microseconds=1)
    if not _FIRST <= micros <= _LAST:
        raise Refused(
            f"{moment.isoformat()} is outside the calendar, which in UTC goes from year 1 to year 9999",
            "Give another date, or none.",
        )
    return micros


def from_micros(micros: int) -> datetime:
    """Return the moment, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def dump(value: tuple[str, ...] | dict[str, str] | tuple[int, int]) -> str:
    """Return the JSON text of a small value."""
    cleaned: object = value
    if isinstance(value, dict):
        cleaned = {clean(key): clean(item) for key, item in value.items()}
    else:
        cleaned = [clean(item) if isinstance(item, str) else item for item in value]
    return msgspec.json.encode(cleaned).decode()


def memory_row(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory.

    Raises:
        Refused: one of its dates is outside the calendar.
    """
    return {name: _column(value) for name, value in msgspec.structs.asdict(memory).items()}


def _column(value: Any) -> Any:
    """Return what a column holds of a field: a small value as JSON, a moment as microseconds, a text as it can be."""
    match value:
        case Enum():
            return value.value
        case str():
            return clean(value)
        case datetime():
            return to_micros(value)
        case tuple() | dict():
            return dump(value)
        case _:
            return value


def memory_of(row: RowMapping | dict[str, Any]) -> Memory:
    """Return the memory that columns say."""
    span = cast(str | None, row["source_messages"])
    return Memory(
        id=row["id"],
        owner=row["owner"],
        content=row["content"],
        category=row["category"],
        scope=Scope(row["scope"]),
        project=row["project"],
        title=row["title"],
        tags=_strings(row["tags"]),
        metadata=_mapping(row["metadata"]),
        importance=row["importance"],
        pinned=bool(row["pinned"]),
        source=Source(row["source"]),
        speaker=row["speaker"],
        occurred_at=_moment(row["occurred_at"]),
        session=row["session"],
        source_messages=None if span is None else _span(span),
        files=_strings(row["files"]),
        created_at=from_micros(row["created_at"]),
        updated_at=from_micros(row["updated_at"]),
        last_accessed_at=_moment(row["last_accessed_at"]),
        access_count=row["access_count"],
        strength=row["strength"],
        sources=_strings(row["sources"]),
        trust=row["trust"],
        state=State(row["state"]),
        superseded_by=row["superseded_by"],
        content_hash=row["content_hash"],
        embedding_model=row["embedding_model"],
        agent=row["agent"],
        role=row["role"],
        revision=row["revision"],
        purge_at=_moment(row["purge_at"]),
        expires_at=_moment(row["expires_at"]),
    )


def cleaned(memory: Memory) -> Memory:
    """Return the memory as it will be read back."""
    return memory_of(memory_row(memory))


def history_of(row: RowMapping) -> HistoryEntry:
    """Return the history entry that a row holds."""
    return HistoryEntry(
        sequence=row["id"],
        memory_id=row["memory_id"],
        event=row["event"],
        at=from_micros(row["ts"]).isoformat(),
        actor=row["actor"],
        old=row["old"],
        new=row["new"],
        meta=_mapping(row["meta"]),
        operation=row["operation"],
    )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
