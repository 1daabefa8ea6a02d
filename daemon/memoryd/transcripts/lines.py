"""One line of a transcript; see `memoryd_client.transcript_lines`."""

import msgspec

from memoryd_actors.ports.transcripts import Kept
from memoryd_client.transcript_lines import Line, decode_line, encode, line, record
from memoryd_client.wire.transcripts import TranscriptRecord

__all__ = ["Line", "decode_line", "encode", "encoded", "record", "reworded"]


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
