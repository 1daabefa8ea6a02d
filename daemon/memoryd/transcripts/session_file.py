"""One session's file: opened, mended where a crash cut it, appended to, read. Everything here blocks."""

import logging
import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from memoryd.private_folder import private_folder
from memoryd.rewriting import rewriting, sync
from memoryd.transcripts import aside
from memoryd.transcripts import metadata as metadata_file
from memoryd.transcripts.lines import Line, decode_line, encoded, record, reworded
from memoryd.transcripts.mending import mend
from memoryd.transcripts.metadata import Metadata
from memoryd.transcripts.places import LINES, METADATA, session_folder
from memoryd.transcripts.scanning import Place, places, readable
from memoryd.transcripts.seen import SeenIds
from memoryd_actors.ports.transcripts import Kept, Stored
from memoryd_client.wire.transcripts import TranscriptRecord

log = logging.getLogger(__name__)

_EVERY = 64
"""Lines from one remembered place to the next: 16 bytes for 64 lines, and 63 are read for nothing at most."""


class SessionFile:
    """What memory holds of a transcript: ids, a few places in the file, and its metadata."""

    def __init__(self, folder: Path, owner: str, session: str, copy: Path | None = None) -> None:
        """Read the file, if there is one, and mend it, with what the session's folder `copy` has where it must."""
        self.folder = folder
        self.dirty = False
        """Whether the metadata on the disk are older than these."""
        self.spoilt = False
        """Whether a line was damaged since it was read: it is to be read again."""
        self._file = folder / LINES
        self._begin_anew(owner, session)
        self._load(copy)

    def _begin_anew(self, owner: str, session: str) -> None:
        self.metadata = Metadata(id=session, user_id=owner)
        self._seen = SeenIds()
        self._numbers = array("Q")
        self._offsets = array("Q")
        self._damaged: set[int] = set()
        """Where lines begin that cannot be read, in bytes."""

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
            about.project = project
            about.spoke(agent)
        if not about.bytes:
            self._begin()
        self._write(b"".join(lines))
        self._seen.add(fresh)
        for line in lines:
            self._note(decode_line(line), about.bytes)
            about.bytes += len(line)
        self.dirty = True
        return Stored(self.last, len(fresh), len(entries) - len(fresh))

    def read(self, *, after: int, limit: int, characters: int) -> list[TranscriptRecord]:
        """Return entries after that number, oldest first, at most so many and so many characters; at least one."""
        found: list[TranscriptRecord] = []
        for line in self._lines(after + 1):
            if line.seq <= after:
                continue
            entry = record(line, self.metadata.id)
            characters -= len(entry.content)
            if found and characters < 0:
                break
            found.append(entry)
            if len(found) == limit:
                break
        return found

    def get(self, sequences: Sequence[int]) -> dict[int, TranscriptRecord]:
        """Return the entries with these numbers, those that there are."""
        found: dict[int, TranscriptRecord] = {}
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

        Of damaged lines that are kept aside those stay that are in the file still, and are known to be unreadable: of
        one that was mended nobody can tell which entry it was.

        Raises:
            OSError: it is as it was, or what is kept aside is.
        """
        gone = set(sequences)
        count = 0
        damaged: set[bytes] = set()
        # Where a crash comes between, lines that the metadata do not know are read; too few would be taken for damage.
        metadata_file.write(self.folder, msgspec.structs.replace(self.metadata, bytes=0), durable=False)
        with self._file.open("rb") as source, rewriting(self._file) as target:
            for place in places(source):
                text = place.text
                if place.line is not None and place.line.seq in gone:
                    entry = record(place.line, self.metadata.id)
                    if entry.content:
                        text = reworded(entry, "")
                        count += 1
                elif place.damaged:
                    damaged.add(text)
                target.write(text)
        aside.retain(self.folder, damaged)
        return count

    def save(self) -> None:
        """Write the metadata where they changed."""
        if self.dirty:
            metadata_file.write(self.folder, self.metadata, durable=False)
            self.dirty = False

    def _load(self, copy: Path | None) -> None:
        if not self._file.exists():
            return
        known = metadata_file.read(self.folder)
        damaged = self._scan(known)
        if damaged:
            aside.keep(self.folder, damaged)
            for place in damaged:
                log.warning("%s: line %d cannot be read; it is kept in %s", self._file, place.number, aside.ASIDE)
            if copy is not None and mend(self._file, copy):
                self._begin_anew(self.metadata.user_id, self.metadata.id)
                damaged = self._scan(known)
        self.metadata.damaged = len(damaged)
        self._damaged = {place.offset for place in damaged}
        self.dirty = known != self.metadata

    def _scan(self, known: Metadata | None) -> list[Place]:
        """Take in every line; return those that cannot be read."""
        about = self.metadata
        damaged: list[Place] = []
        after = 0
        ids: list[str] = []
        with self._file.open("rb") as file:
            for place in places(file):
                if not place.text.endswith(b"\n") and not self._ended(place, known):
                    break
                about.bytes = place.end + (not place.text.endswith(b"\n"))
                if place.line is None:
                    damaged += [place] * place.damaged
                    after += place.damaged
                    continue
                after = 0
                self._note(place.line, place.offset)
                ids.append(place.line.id)
                if len(ids) == 4096:
                    self._seen.add(ids)
                    ids.clear()
        self._seen.add(ids)
        # What the damaged lines at the end had as numbers is never given out again; nor is what was lost altogether.
        about.last += after
        if known is not None:
            about.project, about.channel_id, about.agents = known.project, known.channel_id, known.agents
            about.last = max(about.last, known.last)
            if damaged and about.created_at is None:
                about.created_at, about.updated_at = known.created_at, known.updated_at
        return damaged

    def _ended(self, place: Place, known: Metadata | None) -> bool:
        """Mend the end of the file; return whether it is a line now."""
        if place.line is not None or (known is not None and known.bytes > place.offset):
            # Whole but for its end, or acknowledged and damaged: it is not what a crash leaves.
            with self._file.open("ab") as file:
                file.write(b"\n")
                file.flush()
                os.fsync(file.fileno())
            return True
        log.warning("%s: its last %d bytes were cut off by a crash", self._file, len(place.text))
        os.truncate(self._file, place.offset)
        return False

    def _begin(self) -> None:
        """Make the files and say whose they are, all of it durable before the first line.

        Else an entry that is sent again after a crash is known, and acknowledged, in a file without a durable name.
        """
        owner = self.folder.parent
        for folder in (owner.parent, owner, self.folder):
            private_folder(folder)
        metadata_file.write(self.folder, self.metadata, durable=False)
        self._file.touch(mode=0o600)
        for named in (self.folder / METADATA, self.folder, owner, owner.parent):
            sync(named)

    def _write(self, data: bytes) -> None:
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
                if at - len(text) in self._damaged:
                    continue
                if (line := readable(text)) is not None:
                    yield line
                elif text.strip():
                    self.spoilt = True


def describe(folder: Path, copy: Path | None = None) -> tuple[Metadata, bool] | None:
    """Return what is known of the session in a folder, and whether its lines have to be read first. Changes nothing.

    None where there are no lines, or nobody can tell whose they are.
    """
    try:
        size = (folder / LINES).stat().st_size
    except OSError:
        return None
    known = metadata_file.read(folder)
    if known is not None:
        # Where it is another, the daemon did not live to write down what it had appended.
        return known, known.bytes != size
    if (named := whose(folder, copy)) is None:
        log.warning("%s: nobody can tell whose session this is: %s cannot be read", folder, METADATA)
        return None
    return Metadata(user_id=named[0], id=named[1]), True


def whose(folder: Path, copy: Path | None) -> tuple[str, str] | None:
    """Return owner and session of a folder whose metadata are lost, as the copy or the sessions beside it tell."""
    session = folder.name.rpartition("-")[0]
    beside = (metadata_file.read(other) for other in folder.parent.iterdir() if other != folder and other.is_dir())
    names = [(about.user_id, session) for about in beside if about is not None]
    if copy is not None and (copied := metadata_file.read(copy)) is not None:
        names.insert(0, (copied.user_id, copied.id))
    return next((named for named in names if session_folder(folder.parent.parent, *named) == folder), None)


def destroy(folder: Path) -> None:
    """Delete the files of a session, the lines first."""
    for name in (LINES, f"{LINES}.new", METADATA, f"{METADATA}.new", aside.ASIDE):
        (folder / name).unlink(missing_ok=True)
    if folder.exists():
        folder.rmdir()
        sync(folder.parent)
