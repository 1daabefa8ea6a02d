"""A memory as a Markdown file with front matter, and what such a file says.

Nothing in a file changes by itself: no dates of access, no counts, no revision. So what one machine writes for a memory
is, byte for byte, what another one writes, and a merge meets only what somebody changed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, cast

import msgspec

from memoryd_actors.memory.settings import FILE
from memoryd_actors.memory.steps import CONTRADICTS, RELATED, SUPERSEDES
from memoryd_client import front_matter
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.memory import ID_PREFIX, Importance, Memory, Source

LINKS: Final = (RELATED, CONTRADICTS, SUPERSEDES)
OTHER_LINKS: Final = "relations"
"""The line of relations that have names of somebody's own."""
_KNOWN: Final = (
    "id",
    "title",
    "category",
    "tags",
    "importance",
    "pinned",
    "speaker",
    "occurred_at",
    "expires_at",
    "files",
    "created_at",
    "source",
    "agent",
    "metadata",
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_ID: Final = re.compile(rf"{ID_PREFIX}[0-9a-z]{{1,60}}")
_MERGING: Final = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


class NoteUnreadable(ValueError):
    """Raised when a file says nothing that could be kept; the message says why."""


class MemoryNote(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file says of a memory. A field whose line is not there has its default, but for `category`."""

    content: str
    headed: bool = True
    """Whether there is front matter at all: without it a file speaks of the content only."""
    id: str = ""
    title: str = ""
    category: str = ""
    """Empty: what its folder says."""
    tags: tuple[str, ...] = ()
    importance: Importance = 3
    pinned: bool = False
    speaker: str = ""
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    files: tuple[str, ...] = ()
    created_at: datetime | None = None
    source: Source = Source.USER
    agent: str = ""
    metadata: dict[str, str] = {}


# --- out


def render(memory: Memory, links: Mapping[str, Sequence[str]]) -> str:
    """Return the file of a memory; `links` are the names of related files by relation."""
    head: dict[str, front_matter.Written] = {"id": memory.id}
    if memory.title:
        head["title"] = memory.title
    head["category"] = memory.category
    if memory.tags:
        head["tags"] = memory.tags
    if memory.importance != 3:
        head["importance"] = memory.importance
    if memory.pinned:
        head["pinned"] = True
    if memory.speaker:
        head["speaker"] = memory.speaker
    if memory.occurred_at is not None:
        head["occurred_at"] = memory.occurred_at.isoformat()
    if memory.expires_at is not None:
        head["expires_at"] = memory.expires_at.isoformat()
    if memory.files:
        head["files"] = memory.files
    head["created_at"] = memory.created_at.isoformat()
    head["source"] = memory.source.value
    if memory.agent:
        head["agent"] = memory.agent
    head |= _written_metadata(memory.metadata)
    head |= _written_links(links)
    return front_matter.joined(head, memory.content)


def _written_metadata(metadata: Mapping[str, str]) -> dict[str, front_matter.Written]:
    """Return each entry as a line of its own, where it may be called so."""
    apart = {name: value for name, value in metadata.items() if not _is_free(name)}
    lines = {name: _structured(value) for name, value in metadata.items() if name not in apart}
    return {**lines, "metadata": cast("front_matter.Written", apart)} if apart else lines


def _written_links(links: Mapping[str, Sequence[str]]) -> dict[str, front_matter.Written]:
    lines: dict[str, front_matter.Written] = {
        relation: [f"[[{name}]]" for name in links[relation]] for relation in LINKS if links.get(relation)
    }
    others = [
        f"{relation} [[{name}]]" for relation in sorted(links) if relation not in LINKS for name in links[relation]
    ]
    return {**lines, OTHER_LINKS: others} if others else lines


def _is_free(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in {*_KNOWN, *LINKS, OTHER_LINKS, "headed", "content"}


def _structured(value: str) -> front_matter.Written:
    """Return a value that was a list or a mapping as one again: `aliases: [login, auth]`."""
    if value[:1] in {"[", "{"}:
        with suppress(ValueError, RecursionError):
            read = json.loads(value)
            if isinstance(read, list | dict) and _as_text(read) == value:
                return cast("front_matter.Written", read)
    return value


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- in


def parse(file: bytes) -> MemoryNote:
    """Return what a file says.

    Raises:
        NoteUnreadable: it is empty, no text, in the middle of a merge, or its front matter cannot be read.
    """
    if not file.strip():
        raise NoteUnreadable("it is empty; what it said stays in memory until the file is deleted")
    try:
        text = file.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as wrong:
        raise NoteUnreadable(f"it is not UTF-8: {wrong.reason} at byte {wrong.start}") from wrong
    if "\0" in text:
        raise NoteUnreadable("it is no text: it has a NUL character")
    if len(_MERGING.findall(text)) > 1:
        raise NoteUnreadable("it has the marks of a merge that waits to be resolved (`<<<<<<<`)")
    if not text.startswith(front_matter.FENCE):
        return MemoryNote(content=_body(text), headed=False)
    try:
        head, body = front_matter.split(text)
        return msgspec.convert({**_fields(head), "content": body}, MemoryNote, strict=False)
    except (front_matter.FrontMatterInvalid, msgspec.ValidationError, ValueError) as wrong:
        raise NoteUnreadable(f"its front matter cannot be read: {wrong}") from wrong


def _fields(head: Mapping[str, front_matter.FieldValue]) -> dict[str, object]:
    """Return the fields of a note; what it calls otherwise becomes metadata, as in an import."""
    given: dict[str, object] = {name: value for name, value in head.items() if name in _KNOWN and value != ""}
    others = {name: _as_text(value) for name, value in head.items() if _is_free(name)}
    apart = given.pop("metadata", {})
    if not isinstance(apart, dict):
        raise NoteUnreadable("`metadata` is no mapping")
    given["metadata"] = {**others, **{str(name): _as_text(value) for name, value in apart.items()}}
    for name in ("tags", "files"):
        if isinstance(one := given.get(name), str):
            given[name] = [one]
    for name in ("occurred_at", "expires_at", "created_at"):
        if isinstance(text := given.get(name), str):
            given[name] = _moment(name, text)
    if (memory_id := given.get("id")) and not (isinstance(memory_id, str) and _ID.fullmatch(memory_id)):
        raise NoteUnreadable("`id` is none of memoryd's: leave the line out, and the file becomes a memory of its own")
    return given


def _moment(name: str, text: str) -> datetime:
    """Return a moment; without a zone it is UTC, wherever the file is read."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as wrong:
        raise NoteUnreadable(
            f"`{name}` is no date: {text[:60]!r}; one is 2026-01-17 or 2026-01-17T09:30:00+01:00"
        ) from wrong


def _body(text: str) -> str:
    return text.removesuffix("\n")


def said_by(memory: Memory, content: str) -> MemoryNote:
    """Return what a memory says as its file would, but for the content."""
    return MemoryNote(
        content=content,
        id=memory.id,
        title=memory.title,
        category=memory.category,
        tags=memory.tags,
        importance=memory.importance,
        pinned=memory.pinned,
        speaker=memory.speaker,
        occurred_at=memory.occurred_at,
        expires_at=memory.expires_at,
        files=memory.files,
        metadata=memory.metadata,
    )


def changes(note: MemoryNote, memory: Memory) -> Changes:
    """Return what a file says otherwise than a memory does."""
    found: dict[str, object] = {}
    if _comparable(note.content, memory) != _comparable(memory.content, memory):
        found["content"] = note.content
    if note.headed:
        if note.category and note.category.casefold() != memory.category:
            found["category"] = note.category
        for name in (
            "title",
            "importance",
            "pinned",
            "speaker",
            "occurred_at",
            "expires_at",
            "metadata",
            "tags",
            "files",
        ):
            if getattr(note, name) != getattr(memory, name):
                found[name] = getattr(note, name)
    return Changes(**found)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - each is the note's own


def _comparable(content: str, memory: Memory) -> str:
    """Return a text as it is compared: editors add and take ends of lines; in a file of an agent they count."""
    text = content.replace("\r\n", "\n")
    return text if memory.category == FILE else text.strip()


def says_the_same(note: MemoryNote, memory: Memory) -> bool:
    """Return whether a file says what its memory says."""
    return changes(note, memory) == Changes()
