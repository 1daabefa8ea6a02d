"""Transcripts line by line, as they stand in files or in a ledger: out of there, and into an empty folder. Blocks."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from msgspec import UNSET, Raw
from sqlalchemy import Connection

from memoryd.ledger import transcribing
from memoryd.moving.archive import ArchiveLine, SessionHead
from memoryd.private_folder import private_folder
from memoryd.rewriting import sync
from memoryd.transcripts import metadata
from memoryd.transcripts.metadata import Metadata
from memoryd.transcripts.places import LINES, session_folder
from memoryd.transcripts.scanning import readable
from memoryd.transcripts.session_file import describe
from memoryd_actors.core.errors import Refused


def out_of(root: Path, left_out: list[str]) -> Iterator[ArchiveLine]:
    """Yield the lines of every session below a folder; what nobody can tell the owner of is named in `left_out`.

    What is written down meanwhile may be in it or not; a line that is not whole yet is not.
    """
    for owner in _folders(root):
        for folder in _folders(owner):
            if (described := describe(folder)) is not None:
                yield from _lines(folder, described[0])
            elif (folder / LINES).exists():
                left_out.append(f"{folder}: nobody can tell whose session this is")


def out_of_ledger(connection: Connection) -> Iterator[ArchiveLine]:
    """Yield the lines of every session in a ledger."""
    for found in transcribing.everything(connection):
        about = found.about
        head = SessionHead(owner=found.key[0], session=found.key[1], project=about.project, agent=about.channel_id)
        yield ArchiveLine(session=head)
        for text in transcribing.lines(connection, found.number):
            yield _archived(text)
        yield ArchiveLine(last=about.last)


def are_in(root: Path) -> bool:
    """Return whether there is a transcript below a folder."""
    return any((folder / LINES).exists() for owner in _folders(root) for folder in _folders(owner))


class TranscriptsWriter:
    """Writes transcripts into a folder that has none; durable when it is left without an error."""

    def __init__(self, root: Path) -> None:
        self._root = private_folder(root)
        self._open = ExitStack()
        self._head: SessionHead | None = None
        self._file: IO[bytes] | None = None

    def add(self, line: ArchiveLine) -> None:
        """Take the next line of an archive that belongs to a transcript.

        Raises:
            Refused: a session comes twice, or a line comes without one.
        """
        if line.session is not None:
            self._begin(line.session)
        elif self._file is None or self._head is None:
            raise Refused("the archive has a line that belongs to no transcript")
        elif line.last is UNSET:
            self._file.write(bytes(line.line) if isinstance(line.line, Raw) else line.damaged or b"")
            self._file.write(b"\n")
        else:
            self._end(self._head, self._file, line.last)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        if error is None:
            for folder in (*_folders(self._root), self._root):
                sync(folder)

    def _folder(self, head: SessionHead) -> Path:
        return session_folder(self._root, head.owner, head.session)

    def _begin(self, head: SessionHead) -> None:
        if self._file is not None:
            raise Refused("the archive has a transcript that does not end")
        folder = self._folder(head)
        private_folder(folder.parent)
        private_folder(folder)
        try:
            descriptor = os.open(folder / LINES, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError as exc:
            raise Refused(f"the archive has the session {head.session!r} twice") from exc
        self._head = head
        self._file = self._open.enter_context(os.fdopen(descriptor, "wb"))

    def _end(self, head: SessionHead, file: IO[bytes], last: int) -> None:
        file.flush()
        os.fsync(file.fileno())
        self._open.close()
        self._file = None
        folder = self._folder(head)
        # What else there is to know is told from the lines, when the session is read for the first time.
        about = Metadata(id=head.session, user_id=head.owner, channel_id=head.agent, project=head.project, last=last)
        metadata.write(folder, about, durable=True)


def _lines(folder: Path, about: Metadata) -> Iterator[ArchiveLine]:
    head = SessionHead(owner=about.user_id, session=about.id, project=about.project, agent=about.channel_id)
    yield ArchiveLine(session=head)
    last = about.last
    offset = 0
    with (folder / LINES).open("rb") as file:
        for text in file:
            line = readable(text)
            whole = text.endswith(b"\n") or line is not None or about.bytes > offset
            if not whole:
                break  # cut off by a crash, or not written to its end yet
            offset += len(text)
            last = max(last, line.seq if line is not None else 0)
            yield _archived(text.removesuffix(b"\n"))
    yield ArchiveLine(last=last)


def _archived(text: bytes) -> ArchiveLine:
    exactly = text == text.strip() and readable(text) is not None
    return ArchiveLine(line=Raw(text)) if exactly else ArchiveLine(damaged=text)


def _folders(root: Path) -> list[Path]:
    return sorted(folder for folder in root.iterdir() if folder.is_dir()) if root.exists() else []
