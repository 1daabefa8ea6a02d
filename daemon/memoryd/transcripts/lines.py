"""One line of a transcript; see `memoryd_client.transcript_lines`."""

from datetime import UTC, datetime

import msgspec

from memoryd_actors.ports.transcripts import Kept
from memoryd_client.transcript_lines import Line, decode_line, encode, line, record
from memoryd_client.wire.transcripts import TranscriptRecord

__all__ = ["Line", "decode_line", "encode", "encoded", "is_count", "is_moment", "record", "reworded"]

_HIGHEST = 2**53
"""No transcript has so many entries: a number beyond it is damage."""


def is_count(number: int) -> bool:
    """Return whether a transcript can have so many of something."""
    return 0 <= number < _HIGHEST


def is_moment(moment: datetime) -> bool:
    """Return whether a moment has a zone, and is one in UTC: of the first and the last hours some are none."""
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return False
    return moment.tzinfo is not None


def reworded(written: TranscriptRecord, content: str) -> bytes:
    """Return an entry with another content as a line, its end of line included."""
    return encode(line(msgspec.structs.replace(written, content=content, size=0))) + b"\n"


def encoded(kept: Kept, sequence: int) -> bytes:
    """Return an entry as a line, its end of line included."""
    entry = kept.entry
    written = TranscriptRecord(
        session="",
        sequence=sequence,
        id=entry.id,
        kind=entry.kind,
        role=entry.role,
        content=entry.content,
        name=entry.name,
        call_id=entry.call_id,
        at=kept.at,
        size=entry.size,
        pushed=kept.pushed,
        covers=kept.covers,
        turns=kept.turns,
    )
    return encode(line(written)) + b"\n"
