"""A line of a transcript: an event with its type, its moment, and its number."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from memoryd_client.arguments import mended
from memoryd_client.base.errors import InvalidArgument
from memoryd_client.wire.transcripts import Entry, Kind, TranscriptRecord


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
    session: str = ""
    """Where lines of several sessions stand in one file: of which one this is."""


class GivenLine(Line, kw_only=True, omit_defaults=True, rename="camel"):
    """An event as another program may have written it, which knows no ids and numbers."""

    id: str = ""
    seq: int = 0


class Header(msgspec.Struct, kw_only=True, omit_defaults=True, frozen=True, tag_field="type", tag="session"):
    """The line with which a session begins in a file of several."""

    session: str
    project: str = ""
    agent: str = ""


FORMS: Final = {
    "message": '{"type": "message", "role": "user", "content": "...", "timestamp": "2026-01-31T12:00:00Z"}',
    "tool_call": '{"type": "tool_call", "toolName": "...", "args": {}, "timestamp": "2026-01-31T12:00:00Z"}',
    "tool_result": '{"type": "tool_result", "toolCallId": "...", "result": "...", "timestamp": "2026-01-31T12:00:00Z"}',
}
"""What a line looks like, by its type."""
_CONTENT: Final = {"message": "content", "tool_call": "args", "tool_result": "result"}
_SHARED: Final = ("toolName", "toolCallId", "timestamp")
_MEANT: Final = {
    "tool_name": "toolName",
    "tool": "toolName",
    "tool_call_id": "toolCallId",
    "tool_use_id": "toolCallId",
    "call_id": "toolCallId",
    "callId": "toolCallId",
    "input": "args",
    "arguments": "args",
    "output": "result",
    "text": "content",
    "time": "timestamp",
    "ts": "timestamp",
    "at": "timestamp",
    "date": "timestamp",
    "created_at": "timestamp",
    "sent_at": "timestamp",
}
"""What other programs call a field of a line, and what it is called here: both are taken."""
_LONGEST_SHOWN: Final = 100
"""Characters of a value that a refusal repeats."""
encode = msgspec.json.Encoder().encode
decode_line = msgspec.json.Decoder(Line).decode
_decode_given = msgspec.json.Decoder(GivenLine).decode
_decode_header = msgspec.json.Decoder(Header).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_entry = msgspec.json.Decoder(Entry).decode
_decode_text = msgspec.json.Decoder(str).decode


class _Kind(msgspec.Struct):
    type: str


_kind = msgspec.json.Decoder(_Kind).decode


def line(entry: TranscriptRecord) -> Line:
    """Return an entry as a line, without its session."""
    made = Line(type=entry.kind, role=entry.role, timestamp=entry.at, id=entry.id, seq=entry.sequence, size=entry.size)
    made.pushed, made.covers, made.turns = entry.pushed, entry.covers, entry.turns
    made.tool_call_id = entry.call_id
    match entry.kind:
        case "message":
            made.content, made.name = entry.content, entry.name
        case "tool_call":
            made.args, made.tool_name = _arguments(entry.content), entry.name
        case "tool_result":
            made.result, made.tool_name = entry.content, entry.name
    return made


def record(line: Line, session: str) -> TranscriptRecord:
    """Return what a line says."""
    match line.type:
        case "message":
            content = line.content
        case "tool_result":
            content = line.result
        case "tool_call":
            raw = bytes(line.args)
            content = _decode_text(raw) if raw.startswith(b'"') else raw.decode()
    return TranscriptRecord(
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


def decode_any(text: bytes) -> Line | Header:
    """Return what a line of an exported file is.

    Raises:
        msgspec.MsgspecError: neither an event nor the beginning of a session.
    """
    return _decode_header(text) if _kind(text).type == "session" else _event(text)


def _event(text: bytes) -> GivenLine:
    """Return an event as another program may have written it: a result may be any JSON, also as `content`.

    Raises:
        msgspec.MsgspecError: it is none; where a field has another name than here, the message says which it is.
    """
    fields = _decode_fields(text)
    wanted = _CONTENT.get(_kind(text).type, "")
    if wanted == "result" and "result" not in fields and "content" in fields:
        fields["result"] = fields.pop("content")
    for name in list(fields):
        meant = wanted if name in _CONTENT.values() else _MEANT.get(name)
        if meant and name != meant and meant not in fields and meant in {wanted, *_SHARED}:
            if name in _CONTENT.values():
                raise msgspec.ValidationError(f"in a line of this type `{name}` is called `{meant}`")
            fields[meant] = fields.pop(name)
    result = bytes(fields.get("result", b""))
    if result and not result.startswith(b'"'):
        said = "" if result == b"null" else msgspec.json.format(result, indent=-1).decode()
        fields["result"] = msgspec.Raw(encode(said))
    try:
        given = _decode_given(encode(fields))
    except msgspec.ValidationError as wrong:
        name = str(wrong).rpartition("`$.")[2].rstrip("`")
        raise msgspec.ValidationError(f"{wrong}: {_shown(fields[name])}" if name in fields else str(wrong)) from wrong
    try:
        given.timestamp.astimezone(UTC)
    except OverflowError:
        what = f"`timestamp` is a moment that UTC has no date for: {_shown(fields['timestamp'])}"
        raise msgspec.ValidationError(what) from None
    return given


def _shown(value: msgspec.Raw) -> str:
    text = bytes(value).decode(errors="replace")
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def form_of(text: bytes) -> str:
    """Return what a line is to look like, of the type that this one has, if any."""
    try:
        return FORMS.get(_kind(text).type, FORMS["message"])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return FORMS["message"]


def identified(found: Line, text: bytes, before: int) -> Line:
    """Return a line with an id: its own, else one of its text and how often that stood `before` it.

    The same file brought in twice is then known the second time.
    """
    said = hashlib.sha256(b"%d %b" % (before, text.strip())).hexdigest()
    return found if found.id else msgspec.structs.replace(found, id=said[:24])


def decode_event(text: bytes, before: int) -> Entry:
    """Return an entry from a line that has a `type`, or is an entry itself. See `identified`.

    Raises:
        msgspec.MsgspecError: it is no such line.
    """
    try:
        _kind(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _entry(text)
    made = record(identified(_event(text), text, before), "")
    return Entry(
        id=made.id,
        kind=made.kind,
        role=made.role,
        content=made.content,
        name=made.name,
        call_id=made.call_id,
        at=made.at,
        size=made.size,
    )


def _entry(text: bytes) -> Entry:
    """Return an entry; the arguments of a call, and its result, may be any JSON."""
    read = text.decode(errors="replace")
    fields = _decode_fields(read)
    content = bytes(fields.get("content", b""))
    if fields.get("kind") and _decode_text(fields["kind"]) != "message" and content.startswith((b"{", b"[")):
        read = encode({**fields, "content": msgspec.json.format(content, indent=-1).decode()}).decode()
    return _decode_entry(read)


class Events:
    """Reads events as mappings: lines with a `type`, or the fields of entries. See `decode_event`."""

    def __init__(self) -> None:
        self._stood = Counter[bytes]()

    def __call__(self, given: Mapping[str, object]) -> Entry:
        """Return one as an entry.

        Raises:
            InvalidArgument: it is none.
        """
        try:
            text = encode(mended(given))
            found = decode_event(text, self._stood[text])
        except (msgspec.MsgspecError, TypeError, RecursionError) as exc:
            form = FORMS.get(str(given.get("type")), FORMS["message"])
            hint = f'One is {{"role": "user", "content": "..."}}, or {form}.'
            raise InvalidArgument(f"`entries` has {str(given)[:60]}, which is no event: {exc}", hint) from exc
        self._stood[text] += 1
        return found


def exported(entry: TranscriptRecord) -> bytes:
    """Return an entry as a line that names its session, its end of line included."""
    made = line(entry)
    made.session = entry.session
    return encode(made) + b"\n"


def _arguments(content: str) -> msgspec.Raw:
    # Only an object without white space between its parts comes back as it was.
    if content.startswith("{"):
        try:
            raw = content.encode()
            msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
            if msgspec.json.format(raw, indent=-1) == raw:
                return msgspec.Raw(raw)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            pass
    return msgspec.Raw(encode(content))
