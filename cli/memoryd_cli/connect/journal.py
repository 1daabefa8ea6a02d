"""What connecting did to which file, so that disconnecting can take it back to the byte."""

import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from memoryd_cli.connect.edit import Splice


class ConnectedHost(msgspec.Struct, frozen=True):
    """A host that was connected, everywhere or in one project."""

    host: str
    project: str = ""


class FileEntry(msgspec.Struct):
    """What was done to one file."""

    holders: list[ConnectedHost] = []
    """Those that need it; what is shared goes with the last one."""
    existed: bool = True
    """Whether the file was there before."""
    made: list[str] = []
    """Folders that were made for it, the outermost first."""
    digest: str = ""
    """Of the file as it was left; another one means that somebody has changed it since."""
    splices: list[Splice] = []


class Journal(msgspec.Struct):
    """All of it, by file."""

    files: dict[str, FileEntry] = {}

    def of(self, holder: ConnectedHost) -> list[str]:
        """Return the files that a host needs."""
        return [file for file, done in self.files.items() if holder in done.holders]

    def holders(self) -> set[ConnectedHost]:
        """Return what is connected."""
        return {holder for done in self.files.values() for holder in done.holders}


def load(file: Path) -> Journal:
    """Read the journal; an empty one where there is none or it cannot be read: entries are known without it, too."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Journal)
    except (OSError, msgspec.DecodeError):
        return Journal()


def save(file: Path, journal: Journal) -> None:
    """Write the journal, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace(file, msgspec.json.format(msgspec.json.encode(journal)), mode=0o600)


def digest(text: str) -> str:
    """Return what tells one text from another."""
    return sha256(text.encode()).hexdigest()


def replace(file: Path, content: bytes, *, mode: int | None = None) -> None:
    """Give a file another content, whole or not at all; links, owner and, without a `mode`, its mode stay."""
    file = Path(os.path.realpath(file))
    try:
        before = file.stat()
    except FileNotFoundError:
        before = None
    descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with open(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
            if mode is None:
                mask = os.umask(0)
                os.umask(mask)
                mode = before.st_mode & 0o7777 if before else 0o666 & ~mask
            os.fchmod(descriptor, mode)
            if before:
                with suppress(PermissionError):
                    os.fchown(descriptor, before.st_uid, before.st_gid)
        os.replace(draft, file)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
