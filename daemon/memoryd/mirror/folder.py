"""A mirrored folder: what lies in it, read and written so that neither a crash nor an editor loses a word.

Links are not followed, and nothing is written through one: what a repository brings along stays in the folder.
"""

import errno
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd_actors.core.errors import Refused
from memoryd_actors.texts.characters import clean

OWN = ".memoryd"
"""What belongs to the mirror: its marker, and the tombstones."""
MARKER = f"{OWN}/mirror.json"
TOMBSTONES = f"{OWN}/gone"
INDEX = "index.md"
ENDING = ".md"
BESIDE = ".conflict-"
"""In the name of a file that holds what a file said when its memory had changed, too."""
LARGEST = 2 * 1024 * 1024
"""Bytes of a file that is read at all: a memory has at most 64 kB, a file of an agent a megabyte."""
_NEW = f"{OWN}/new"
"""Where files are written before they take their places; what a crash leaves there is swept."""
_FORMAT = 1
_MOMENT = "%Y%m%dT%H%M%S.%fZ"


class Look(msgspec.Struct):
    """What lies in a folder."""

    files: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict[str, tuple[int, int]])
    """When each was modified, in nanoseconds, and its size, by path; notes only."""
    beside: list[str] = msgspec.field(default_factory=list[str])
    """Files that hold the other version of a conflict."""
    others: list[str] = msgspec.field(default_factory=list[str])
    """Links and folders that are called as if they were notes: their names are taken."""
    closed: list[str] = msgspec.field(default_factory=list[str])
    """Folders that cannot be read, each with a slash: nobody knows what is in them."""


def digest(file: bytes) -> str:
    """Return what tells whether a file is as it was."""
    return hashlib.sha256(file).hexdigest()


class MirrorFolder:
    """The files of one folder. Everything blocks."""

    def __init__(self, root: Path) -> None:
        self.root = root

    # --- the marker

    def mark(self) -> str:
        """Return what the marker says; empty where there is none."""
        try:
            said = json.loads(self.read(MARKER) or b"")
            return str(said["mirror"]) if isinstance(said, dict) and said.get("format") == _FORMAT else ""
        except (OSError, ValueError, KeyError):
            return ""

    def put_mark(self) -> str:
        """Make the folder where it is missing, mark it where it is not, and return its mark."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if mark := self.mark():
            return mark
        mark = secrets.token_hex(8)
        (self.root / OWN).mkdir(mode=0o700, exist_ok=True)
        self._replace(MARKER, (json.dumps({"format": _FORMAT, "mirror": mark}) + "\n").encode())
        # The index page is made of the files, by each machine for itself: in a repository it would meet itself in every
        # merge.
        ignore = self.root / ".gitignore"
        if not ignore.exists():
            self._replace(".gitignore", f"/{INDEX}\n/{_NEW}\n*{BESIDE}*{ENDING}\n".encode())
        return mark

    def repository(self) -> bool:
        """Return whether the folder is, or is in, a git repository, which keeps what files said."""
        return any((folder / ".git").exists() for folder in (self.root, *self.root.parents))

    # --- what is there

    def look(self) -> Look:
        """Return what lies in the folder. Ten thousand files take some 50 ms."""
        found = Look()
        folders = [""]
        while folders:
            prefix = folders.pop()
            try:
                with os.scandir(self.root / prefix) as entries:
                    folders += [f"{prefix}{name}/" for name in self._note(found, prefix, entries)]
            except (FileNotFoundError, NotADirectoryError):
                continue
            except PermissionError:
                found.closed.append(prefix)
        return found

    def _note(self, found: Look, prefix: str, entries: Iterable[os.DirEntry[str]]) -> Iterator[str]:
        """Note what lies in one folder; the folders in it come back."""
        for entry in entries:
            if entry.name.startswith((".", "~", "#")):
                continue
            path = f"{prefix}{entry.name}"
            with suppress(FileNotFoundError):
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
                if not is_note(path):
                    continue
                if not entry.is_file(follow_symlinks=False):
                    found.others.append(path)
                elif BESIDE in entry.name:
                    found.beside.append(path)
                else:
                    status = entry.stat(follow_symlinks=False)
                    found.files[path] = (status.st_mtime_ns, status.st_size)

    def read(self, path: str) -> bytes | None:
        """Return a file; None where there is none any more.

        Raises:
            OSError: it cannot be read, or is none.
        """
        try:
            handle = os.open(self.root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "it is no file", path)
            return file.read(LARGEST + 1)

    def status(self, path: str) -> tuple[int, int] | None:
        """Return when a file was modified and its size; None where there is none."""
        try:
            status = os.lstat(self.root / path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_mtime_ns, status.st_size

    # --- what is written

    def write(self, path: str, content: bytes, *, instead_of: str | None) -> tuple[int, int] | None:
        """Write a file whole, or not at all; return when it was modified and its size.

        `instead_of` is the digest of the file whose place it takes; None: there is none. None, and nothing written,
        where that is no longer so. It is on disk only after `sync`.

        Raises:
            OSError: it cannot be written.
        """
        target = self._inside(path)
        new = self._temporary(content)
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if instead_of is None:
                os.link(new, target)  # fails where something is there
            else:
                there = self.read(path)
                if there is None or digest(there) != instead_of:
                    return None
                new.replace(target)
        except FileExistsError:
            return None
        finally:
            new.unlink(missing_ok=True)
        return self.status(path)

    def replace(self, path: str, content: bytes) -> None:
        """Write a file that is the mirror's alone, whatever was there."""
        if self.read(path) != content:
            self._replace(path, content)

    def move(self, path: str, to: str) -> bool:
        """Give a file another path, if none is there; return whether it has it now."""
        target = self._inside(to)
        if os.path.lexists(target) or not os.path.lexists(self._inside(path)):
            return False
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.root / path).rename(target)
        self._tidy(path)
        return True

    def remove(self, path: str, *, as_it_was: str | None) -> bool:
        """Delete a file, and folders that are empty then; not where it is no longer as it was, if that is said.

        Return whether it is gone.
        """
        try:
            there = self.read(path)
        except OSError:
            return False
        if there is not None:
            if as_it_was is not None and digest(there) != as_it_was:
                return False
            self._inside(path).unlink(missing_ok=True)
        self._tidy(path)
        return True

    def _tidy(self, path: str) -> None:
        """Delete the folders of a path that are empty."""
        for folder in Path(path).parents:
            if folder != Path():
                with suppress(OSError):
                    (self.root / folder).rmdir()

    def sync(self, paths: Iterable[str]) -> None:
        """Bring files onto the disk, and their names."""
        files = list(paths)
        if len(files) > 64:
            os.sync()  # one by one, a thousand took seconds
            return
        for one in {*files, *(str(Path(path).parent) for path in files)}:
            with suppress(FileNotFoundError):
                handle = os.open(self.root / one, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)

    def sweep(self) -> None:
        """Delete what a crash left half written."""
        for left in (self.root / _NEW).glob("*"):
            left.unlink(missing_ok=True)

    def _temporary(self, content: bytes) -> Path:
        new = self.root / _NEW / secrets.token_hex(8)
        new.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return new

    def _replace(self, path: str, content: bytes) -> None:
        target = self._inside(path)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._temporary(content).replace(target)

    def _inside(self, path: str) -> Path:
        """Return where a path leads, if that is within the folder.

        Raises:
            Refused: a link leads out of it.
        """
        target = self.root / path
        parent = os.path.realpath(target.parent)
        root = os.path.realpath(self.root)
        if parent != root and not parent.startswith(f"{root}{os.sep}"):
            raise Refused(f"{target} leads out of the mirrored folder", "Take the link away, and put a folder there.")
        return target

    # --- tombstones

    def tombstones(self) -> dict[str, datetime]:
        """Return which memories are said to be gone, and since when: their files are not there because of that."""
        found: dict[str, datetime] = {}
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(self.root / TOMBSTONES):
                memory_id, _, said = name.partition("@")
                with suppress(ValueError):
                    moment = datetime.strptime(said, _MOMENT).replace(tzinfo=UTC)
                    found[memory_id] = max(moment, found.get(memory_id, moment))
        return found

    def bury(self, memory_id: str, moment: datetime, why: str) -> None:
        """Say that a memory is gone: a file whose name has all of it, so that two machines' never meet in a merge."""
        self._replace(f"{TOMBSTONES}/{memory_id}@{moment.astimezone(UTC).strftime(_MOMENT)}", f"{why}\n".encode())

    def unbury(self, memory_ids: set[str]) -> None:
        """Take back that memories are gone."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(self.root / TOMBSTONES):
                if name.partition("@")[0] in memory_ids:
                    (self.root / TOMBSTONES / name).unlink(missing_ok=True)


def is_note(path: str) -> bool:
    """Return whether a path can be that of a memory: not the index, nor what editors leave for a moment."""
    name = path.rpartition("/")[2]
    return (
        name.endswith(ENDING)
        and not name.startswith((".", "~", "#"))
        and path.casefold() not in {INDEX, "readme.md"}
        and clean(path) == path
    )
