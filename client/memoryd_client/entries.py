"""Entries on their way into a transcript: made, and cut into as many as one request takes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

import msgspec

from memoryd_client.wire.transcripts import MAX_APPENDED, Entry, Kind, TranscriptRecord

MAX_APPENDED_BYTES: Final = 2 * 1024 * 1024
"""Text in one request, half of the largest frame. Of a single entry that is longer only the beginning is sent."""


def entry(content: str | bytes, *, role: str = "user", kind: Kind = "message", name: str = "") -> Entry:
    """Return an entry; bytes that are no UTF-8 become replacement signs."""
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    return Entry(content=text, role=role, kind=kind, name=name)


def chunked_records(records: Sequence[TranscriptRecord]) -> Iterator[tuple[TranscriptRecord, ...]]:
    """Cut entries that are brought in into as many as one request takes, by number and by size."""
    return _cut(records)


def chunked(entries: Sequence[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Cut entries into as many as one request takes, by number and by size."""
    return _cut(map(_fitting, entries))


_Said = TypeVar("_Said", Entry, TranscriptRecord)


def _cut(said: Iterable[_Said]) -> Iterator[tuple[_Said, ...]]:
    chunk: list[_Said] = []
    room = MAX_APPENDED_BYTES
    for item in said:
        size = _bytes(item.content) + 2_000
        if chunk and (len(chunk) == MAX_APPENDED or size > room):
            yield tuple(chunk)
            chunk, room = [], MAX_APPENDED_BYTES
        chunk.append(item)
        room -= size
    if chunk:
        yield tuple(chunk)


def _fitting(item: Entry) -> Entry:
    # Cut at the end: what is private is told by where it begins.
    if _bytes(item.content) <= MAX_APPENDED_BYTES:
        return item
    width = 1 if item.content.isascii() else 4
    kept = item.content[: MAX_APPENDED_BYTES // width]
    return msgspec.structs.replace(item, content=kept, size=max(item.size, len(item.content)))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else 4 * len(text)
