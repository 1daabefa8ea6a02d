"""One session's file: opened, mended where a crash cut it, appended to, read. Everything here blocks."""

import logging
import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from memoryd.private_folder import private_folder
from memoryd.transcripts import metadata as metadata_file
from memoryd.transcripts.lines import Line, decode_line, encoded, record, reworded
from memoryd.transcripts.metadata import Metadata
from memoryd.transcripts.places import LINES, METADATA
from memoryd.transcripts.seen import SeenIds
from memoryd_actors.conversations.transcripts import Kept, Stored
from memoryd_client.transcripts import Record

log = logging.getLogger(__name__)

_EVERY = 64
"""Lines from one remembered place to the next: 16 bytes for 64 lines, and 63 are read for nothing at most."""


class SessionFile:
    """What memory holds of a transcript: ids, a few places in the file, and its metadata."""

    def __init__(self, folder: Path, owner: str, session: str) -> None:
        """Read the file, if there is one, and mend it."""
        self.folder = folder
        self.metadata = Metadata(id=session, user_id=owner)
        self.dirty = False
        """Whether the metadata on the disk are older than these."""
        self._file = folder / LINES
        self._seen = SeenIds()
        self._numbers = array("Q")
        self._offsets = array("Q")
        self._load()

    @property
    def last(self) -> int:
        """The number of the newest entry."""
        return self.metadata.last

    def append(self, entries: Sequence[Kept], *, project: str, agent: str) -> Stored:
        """Add the entries whose ids are new, with one write and one fsync.

        Raises:
            OSError: nothing was added.
        """
        fresh: dict[str, Kept] = {}
        for kept in entries:
            if kept.entry.id not in self._seen:
                fresh.setdefault(kept.entry.id, kept)
        if not fresh:
            return Stored(self.last, 0, len(entries))
        lines = [encoded(kept, number) for number, kept in enumerate(fresh.values(), start=self.last + 1)]
        about = self.metadata
        if not all(kept.covers for kept in fresh.values()):
            # A summary is spoken from nowhere.
            about.project, about.channel_id = project, agent
        if not about.bytes:
            self._begin()
        self._write(b"".join(lines))
        self._seen.add(fresh)
        for line in lines:
            self._note(decode_line(line), about.bytes)
            about.bytes += len(line)
        self.dirty = True
        return Stored(self.last, len(fresh), len(entries) - len(fresh))

    def read(self, *, after: int, limit: int, characters: int) -> list[Record]:
        """Return entries after that number, oldest first, at most so many and so many characters; at least one."""
        found: list[Record] = []
        for line in self._lines(after + 1):
            if line.seq <= after:
                continue
            one = record(line, self.metadata.id)
            characters -= len(one.content)
            if found and characters < 0:
                break
            found.append(one)
            if len(found) == limit:
                break
        return found

    def get(self, sequences: Sequence[int]) -> dict[int, Record]:
        """Return the entries with these numbers, those that there are."""
        found: dict[int, Record] = {}
        lines: Iterator[Line] = iter(())
        line: Line | None = None
        for number in sorted({number for number in sequences if 0 < number <= self.last}):
            if line is None or number - line.seq > _EVERY:
                lines = self._lines(number)
                line = next(lines, None)
            while line is not None and line.seq < number:
                line = next(lines, None)
            if line is not None and line.seq == number:
                found[number] = record(line, self.metadata.id)
        return found

    def erase(self, sequences: Sequence[int]) -> int:
        """Rewrite the file without the words of these entries; return how many had some. Read it again afterwards.

        Raises:
            OSError: it is as it was.
        """
        gone = set(sequences)
        count = 0
        new = self._file.with_name(f"{LINES}.new")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with self._file.open("rb") as source, open(handle, "wb") as target:
            for text in source:
                line = _decoded(text)
                one = None if line is None or line.seq not in gone else record(line, self.metadata.id)
                if one is not None and one.content:
                    target.write(reworded(one, ""))
                    count += 1
                else:
                    target.write(text)
            target.flush()
            os.fsync(target.fileno())
        new.replace(self._file)
        _sync(self.folder)
        return count

    def save(self) -> None:
        """Write the metadata where they changed."""
        if self.dirty:
            metadata_file.write(self.folder, self.metadata, durable=False)
            self.dirty = False

    def _load(self) -> None:
        try:
            file = self._file.open("rb")
        except FileNotFoundError:
            return
        known = metadata_file.read(self.folder)
        if known is not None:
            self.metadata.project, self.metadata.channel_id = known.project, known.channel_id
        damaged = 0
        ids: list[str] = []
        with file:
            at = 0
            for text in file:
                line = _decoded(text)
                at += len(text)
                if line is None:
                    damaged += 1
                    continue
                self._note(line, at - len(text))
                # What follows the last readable line goes; what is between two stays where it is.
                self.metadata.bytes = at
                ids.append(line.id)
                if len(ids) == 4096:
                    self._seen.add(ids)
                    ids.clear()
        self._seen.add(ids)
        if at > self.metadata.bytes:
            log.warning("%s: its last %d bytes were cut off by a crash", self._file, at - self.metadata.bytes)
            os.truncate(self._file, self.metadata.bytes)
        elif damaged:
            log.warning("%s: %d lines cannot be read", self._file, damaged)
        self.dirty = known != self.metadata

    def _begin(self) -> None:
        """Make the folder and say whose it is, before the first line."""
        private_folder(self.folder.parent.parent)
        private_folder(self.folder.parent)
        private_folder(self.folder)
        metadata_file.write(self.folder, self.metadata, durable=True)

    def _write(self, data: bytes) -> None:
        new = not self.metadata.bytes
        file = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(file, view) :]
                os.fsync(file)
            except OSError:
                os.ftruncate(file, self.metadata.bytes)
                raise
        finally:
            os.close(file)
        if new:
            # The names of file and folders are durable with the folders that hold them.
            for folder in (self.folder, self.folder.parent, self.folder.parent.parent):
                _sync(folder)

    def _note(self, line: Line, offset: int) -> None:
        if self.metadata.entry_count % _EVERY == 0:
            self._numbers.append(line.seq)
            self._offsets.append(offset)
        self.metadata.count(line)

    def _lines(self, number: int) -> Iterator[Line]:
        """Yield the lines from a remembered place at or before that number on, as far as they are acknowledged."""
        place = bisect_right(self._numbers, number) - 1
        if not self._numbers:
            return
        at, end = self._offsets[max(place, 0)], self.metadata.bytes
        with self._file.open("rb") as file:
            file.seek(at)
            while at < end and (text := file.readline()):
                at += len(text)
                if (line := _decoded(text)) is not None:
                    yield line


def describe(folder: Path) -> Metadata | None:
    """Return what is known of the session in a folder; None where nobody can tell whose it is."""
    known = metadata_file.read(folder)
    if known is None:
        return None
    try:
        size = (folder / LINES).stat().st_size
    except OSError:
        return None
    if known.bytes == size:
        return known
    # The daemon did not live to write down what it had appended.
    return SessionFile(folder, known.user_id, known.id).metadata


def destroy(folder: Path) -> None:
    """Delete the files of a session, the lines first."""
    for name in (LINES, f"{LINES}.new", METADATA, f"{METADATA}.new"):
        (folder / name).unlink(missing_ok=True)
    if folder.exists():
        folder.rmdir()
        _sync(folder.parent)


def _decoded(text: bytes) -> Line | None:
    if not text.endswith(b"\n"):
        return None
    try:
        return decode_line(text)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _sync(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
