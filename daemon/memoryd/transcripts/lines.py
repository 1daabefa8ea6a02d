"""One line of a transcript, in the form of seed 003: an event with its type, its moment, and its number."""

from datetime import datetime

import msgspec

from memoryd_actors.transcripts import Kept
from memoryd_client.transcripts import Kind, Record


class Line(msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """An event as it is written. Of `content`, `args` and `result` there is the one that its type calls for."""

    type: Kind
    role: str = ""
    tool_name: str = ""
    tool_call_id: str = ""
    content: str = ""
    args: msgspec.Raw = msgspec.Raw()
    """An object where the arguments are one, else text."""
    result: str = ""
    name: str = ""
    timestamp: datetime
    id: str
    seq: int
    size: int = 0
    pushed: bool = False
    covers: int = 0
    turns: int = 0


_encode = msgspec.json.Encoder().encode
decode_line = msgspec.json.Decoder(Line).decode
_decode_text = msgspec.json.Decoder(str).decode


def encoded(kept: Kept, sequence: int) -> bytes:
    """Return an entry as a line, its end of line included."""
    entry = kept.entry
    line = Line(type=entry.kind, role=entry.role, timestamp=kept.at, id=entry.id, seq=sequence, size=entry.size)
    line.pushed, line.covers, line.turns = kept.pushed, kept.covers, kept.turns
    line.tool_call_id = entry.call_id
    match entry.kind:
        case "message":
            line.content, line.name = entry.content, entry.name
        case "tool_call":
            line.args, line.tool_name = _arguments(entry.content), entry.name
        case "tool_result":
            line.result, line.tool_name = entry.content, entry.name
    return _encode(line) + b"\n"


def record(line: Line, session: str) -> Record:
    """Return what a line says."""
    match line.type:
        case "message":
            content = line.content
        case "tool_result":
            content = line.result
        case "tool_call":
            raw = bytes(line.args)
            content = _decode_text(raw) if raw.startswith(b'"') else raw.decode()
    return Record(
        session=session,
        sequence=line.seq,
        id=line.id,
        kind=line.type,
        role=line.role,
        content=content,
        name=line.tool_name or line.name,
        call_id=line.tool_call_id,
        at=line.timestamp,
        size=line.size,
        pushed=line.pushed,
        covers=line.covers,
        turns=line.turns,
    )


def _arguments(content: str) -> msgspec.Raw:
    # Only an object without white space between its parts comes back as it was.
    if content.startswith("{"):
        try:
            raw = content.encode()
            msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
            if msgspec.json.format(raw, indent=-1) == raw:
                return msgspec.Raw(raw)
        except (msgspec.MsgspecError, UnicodeEncodeError):
            pass
    return msgspec.Raw(_encode(content))
