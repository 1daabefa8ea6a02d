"""A transcript's file line by line, with what cannot be read of it in its place. Changes nothing."""

from collections.abc import Iterator
from datetime import UTC
from typing import IO

import msgspec

from memoryd.transcripts.lines import Line, decode_line, is_count, is_moment


class Place(msgspec.Struct, frozen=True):
    """One line of the file."""

    number: int
    """From 1."""
    offset: int
    """Where it begins, in bytes."""
    text: bytes
    """With its end of line, where it has one."""
    line: Line | None
    """None: it cannot be read, or has a number that the entries around it leave no room for."""

    @property
    def end(self) -> int:
        """Where the next line begins."""
        return self.offset + len(self.text)

    @property
    def damaged(self) -> bool:
        """Whether there was something here that cannot be read."""
        return self.line is None and bool(self.text.strip())


def places(file: IO[bytes]) -> Iterator[Place]:
    """Yield every line of a transcript, in order. Blocks."""
    last = damaged = 0
    ahead: Place | None = None
    """Its number is ahead of its turn: entries before it are missing, or the next line shows it to be wrong."""
    for place in _lines(file):
        number = _number(place)
        if ahead is not None:
            wrong = last < number <= _number(ahead)
            last, damaged = (last, damaged + 1) if wrong else (_number(ahead), 0)
            yield msgspec.structs.replace(ahead, line=None) if wrong else ahead
            ahead = None
        if number <= last:
            damaged += place.damaged or bool(number)
            yield msgspec.structs.replace(place, line=None)
        elif number > last + damaged + 1:
            ahead = place
        else:
            last, damaged = number, 0
            yield place
    if ahead is not None:
        yield ahead


def readable(text: bytes) -> Line | None:
    """Return what a line says, its end of line there or not; None where it cannot be read."""
    try:
        line = decode_line(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    counts = line.seq, line.size, line.covers, line.turns
    if not line.seq or not line.id or not all(map(is_count, counts)):
        return None
    if line.timestamp.tzinfo is None:
        # Somebody wrote it by hand.
        line.timestamp = line.timestamp.replace(tzinfo=UTC)
    return line if is_moment(line.timestamp) else None


def _lines(file: IO[bytes]) -> Iterator[Place]:
    offset = 0
    for number, text in enumerate(file, start=1):
        yield Place(number, offset, text, readable(text))
        offset += len(text)


def _number(place: Place) -> int:
    return 0 if place.line is None else place.line.seq
