"""What both clients ask: requests built from the arguments of their methods."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypedDict, Unpack

from memoryd_client.arguments import converted, end, end_of_life, moment, texts
from memoryd_client.base.errors import InvalidArgument, RequestFailed, WrongType
from memoryd_client.wire.checkpoints import MAX_CHECKPOINT_BYTES, SaveCheckpoint
from memoryd_client.wire.core_memory import new_write_id
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memories import MAX_IMPORT_BATCH
from memoryd_client.wire.memory import Importance, NewMemory, Scope, Source
from memoryd_client.wire.protocol import MAX_FRAME_BYTES, encode
from memoryd_client.wire.transcripts import Role, SearchMessages

_OTHER_FIELDS: Final = 16 * 1024
"""Bytes that a memory takes besides its content, at most, as far as they count here."""
_MAX_CHUNK_BYTES: Final = MAX_FRAME_BYTES // 2


class MemoryFields(TypedDict, total=False):
    """What may be said about a memory besides its content; the defaults are NewMemory's."""

    id: str
    """Draw it yourself (`new_memory_id`) to be able to repeat the call without storing twice."""
    category: str
    scope: Scope | Literal["project", "global"]
    title: str
    tags: Sequence[str]
    importance: Importance
    """1 trivial, 3 ordinary, 5 vital."""
    pinned: bool
    speaker: str
    """Who said it."""
    occurred_at: datetime | str | None
    """When it happened or was said; as text, ISO 8601. Without a zone: local time."""
    source: Source | Literal["user", "agent", "extracted", "imported"]
    source_session: str
    source_messages: tuple[int, int] | None
    """First and last message of that session."""
    files: Sequence[str]
    metadata: Mapping[str, str]
    trust: float | None
    expires_at: datetime | str | None
    """When it is forgotten by itself."""
    ttl: timedelta | str | None
    """How long until then, instead: a time span, or "30m", "12h", "7d", "2w"."""


class ChangedFields(TypedDict, total=False):
    """What an update may change; what is not given stays as it is."""

    content: str
    category: str
    title: str
    tags: Sequence[str]
    importance: Importance
    pinned: bool
    speaker: str
    occurred_at: datetime | str | None
    files: Sequence[str]
    metadata: Mapping[str, str]
    trust: float
    expires_at: datetime | str | None
    """None: it stays."""
    ttl: timedelta | str | None


class Narrowing(TypedDict, total=False):
    """Which memories come into question; nothing given: all active ones of this project and the global ones."""

    scope: Literal["all", "project", "global", "everywhere"]
    category: str
    """One category; `categories` for several."""
    categories: Sequence[str]
    states: Sequence[str]
    tags: Sequence[str]
    pinned: bool | None
    stored_by: str
    """Stored by this agent."""
    session: str
    speaker: str
    role: str
    importance_min: Importance | None
    importance_max: Importance | None
    updated_after: datetime | str | None
    """Last written then or later; as text, ISO 8601. Without a zone: UTC."""
    updated_before: datetime | str | None


def new_memory(content: str, **fields: Unpack[MemoryFields]) -> NewMemory:
    """Return a memory on its way in.

    Raises:
        TypeError: a field does not exist.
        ValueError: `occurred_at` is not a date, or a field has a value that it cannot have.
    """
    _read_ttl(fields)
    moments = {
        "occurred_at": _moment("occurred_at", fields.get("occurred_at")),
        "expires_at": _moment("expires_at", fields.get("expires_at")),
    }
    # Through builtins, so that lists become tuples, text becomes a scope, and a wrong value is found here.
    _refuse_unknown(fields, MemoryFields, "a memory has no field")
    return converted({**fields, "content": content, **moments}, NewMemory)


def changes(**fields: Unpack[ChangedFields]) -> Changes:
    """Return what an update changes.

    Raises:
        TypeError: a field does not exist.
        ValueError: `occurred_at` is not a date, or a field has a value that it cannot have.
    """
    _refuse_unknown(fields, ChangedFields, "an update has no field")
    _read_ttl(fields)
    given: dict[str, object] = {**fields}
    if "occurred_at" in fields:
        given["occurred_at"] = _moment("occurred_at", fields["occurred_at"])
    if "expires_at" in fields:
        given["expires_at"] = _moment("expires_at", fields["expires_at"])
    return converted(given, Changes)


def filters(**narrowing: Unpack[Narrowing]) -> Filters:
    """Return the filters for a search or a listing.

    Raises:
        TypeError: a filter does not exist.
        ValueError: one has a value that it cannot have.
    """
    _refuse_unknown(narrowing, Narrowing, "there is no filter")
    category = narrowing.pop("category", "")
    if category:
        narrowing["categories"] = (*texts("categories", narrowing.get("categories", ())), category)
    given = {("agent" if key == "stored_by" else key): value for key, value in narrowing.items()}
    for key in ("updated_after", "updated_before"):
        if isinstance(text := given.get(key), str):
            given[key] = moment(key, text)
    return converted(given, Filters)


def chunks(memories: Sequence[NewMemory]) -> Iterator[tuple[NewMemory, ...]]:
    """Cut memories into as many as one request takes, by number and by size."""
    chunk: list[NewMemory] = []
    size = 0
    for memory in memories:
        # Twice the characters at least: what cannot be encoded as it is gets mended later, and may grow.
        try:
            bytes_here = len(encode(memory)) if memory.content.isascii() else 4 * len(memory.content)
        except UnicodeEncodeError:
            bytes_here = 4 * len(memory.content) + _OTHER_FIELDS
        if chunk and (len(chunk) >= MAX_IMPORT_BATCH or size + bytes_here > _MAX_CHUNK_BYTES):
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(memory)
        size += bytes_here
    if chunk:
        yield tuple(chunk)


def new_checkpoint(
    thread: str, data: bytes, meta: Mapping[str, str] | None = None, expected: int | None = None
) -> SaveCheckpoint:
    """Return a state on its way in.

    Raises:
        RequestFailed: it is larger than 3.5 MiB, which is what a frame has room for.
        WrongType: it is something else.
    """
    if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`data` is of type {type(data).__name__}, and has to be bytes", "Encode it first.")
    if meta is not None and not isinstance(meta, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`meta` is of type {type(meta).__name__}, and has to be a mapping of texts", "Give a dict.")
    if len(data) > MAX_CHECKPOINT_BYTES:
        raise RequestFailed(
            Failure(
                code="too_large",
                message=f"the checkpoint has {len(data)} bytes and may have {MAX_CHECKPOINT_BYTES} (3.5 MiB)",
                hint="Compress it, or keep what is large in a file and save where it is.",
            )
        )
    return SaveCheckpoint(id=new_write_id(), thread=thread, data=data, meta=dict(meta or {}), expected=expected)


def _refuse_unknown(given: Mapping[str, object], kind: type, what: str) -> None:
    if unknown := given.keys() - kind.__annotations__.keys():
        raise TypeError(f"{what} {', '.join(sorted(unknown))}")


def _read_ttl(fields: MemoryFields | ChangedFields) -> None:
    """Put the moment that a `ttl` means into its place.

    Raises:
        InvalidArgument: it is no time span to come, or `expires_at` is given, too.
    """
    if "ttl" not in fields:
        return
    given = fields.pop("ttl")
    if given is not None and fields.get("expires_at") is not None:
        raise InvalidArgument("`ttl` and `expires_at` both say when it is forgotten", "Give one of the two.")
    if given is None:
        fields.setdefault("expires_at", None)
        return
    fields["expires_at"] = end_of_life(given)


def _moment(name: str, given: datetime | str | None) -> datetime | None:
    at = moment(name, given) if isinstance(given, str) else given
    if isinstance(at, datetime):
        try:
            if at.tzinfo is None:
                at = at.astimezone()
            at.astimezone(UTC)  # as it travels, and as it is kept
        except (OverflowError, OSError, ValueError):
            raise InvalidArgument(
                f"`{name}` is outside the calendar: {at.isoformat()}", "Give a year from 2 to 9998."
            ) from None
    return at


class Sought(TypedDict, total=False):
    """By which criteria messages are searched."""

    by: Literal["both", "meaning", "words"]
    session: str
    scope: Literal["everywhere", "project"]
    """Where no session is named, `project`: those of this project or of none, and this one."""
    since: datetime | str | None
    """As text: ISO 8601. Without a zone: UTC."""
    until: datetime | str | None
    """As `since`; a date without a time means the end of that day."""
    role: Role
    kind: Literal["", "message", "tool_call", "tool_result"]
    search_archived: bool
    related: bool
    """Only what has to do with the query."""
    limit: int
    offset: int


def search_messages(query: str, **sought: Unpack[Sought]) -> SearchMessages:
    """Return the request for a search.

    Raises:
        TypeError: there is no such criterion.
        ValueError: one has a value that it cannot have.
    """
    _refuse_unknown(sought, Sought, "there is no criterion")
    given: dict[str, object] = {"query": query, **sought}
    for key in ("since", "until"):
        if isinstance(text := given.get(key), str):
            given[key] = end(key, text) if key == "until" else moment(key, text)
    return converted(given, SearchMessages)
