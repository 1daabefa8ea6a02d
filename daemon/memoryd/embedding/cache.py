"""The local cache: one folder per model and precision, complete and checked or not there at all."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

MANIFEST = "manifest.json"
_STAGING = ".staging-"


class Damaged(Exception):
    """Raised when a cached file is not what the manifest says."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry holds and where it came from."""

    files: dict[str, str]
    """SHA-256 of each file by its name, hexadecimal."""
    source: str
    """In words."""
    origin: str = ""
    """SHA-256 of the file that it was made from, where it was made here."""
    v: int = 1


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read(entry: Path) -> Manifest | None:
    """Return the manifest of an entry whose files are all as they were written, or None where there is no entry.

    Raises:
        Damaged: a file is missing, cannot be read or has changed.
    """
    if not entry.is_dir():
        return None
    try:
        manifest = msgspec.json.decode((entry / MANIFEST).read_bytes(), type=Manifest)
        for name, digest in manifest.files.items():
            if sha256(entry / name) != digest:
                raise Damaged(f"{entry / name} has changed since it was written")
    except (OSError, msgspec.DecodeError) as exc:
        raise Damaged(f"{entry}: {exc}") from exc
    return manifest


def write(entry: Path, build: Callable[[Path], tuple[str, str]]) -> Manifest:
    """Build an entry in a folder aside, and put it in place at once, instead of what is there.

    `build` fills the folder that it is given and returns the manifest's `source` and `origin`. Call it under `locked`.
    """
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=entry.parent))
    try:
        source, origin = build(staging)
        files = sorted(path for path in staging.iterdir() if path.is_file())
        manifest = Manifest(files={path.name: sha256(path) for path in files}, source=source, origin=origin)
        (staging / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
        for path in [*files, staging / MANIFEST, staging]:
            _sync(path)
        if entry.exists():
            entry.rename(Path(tempfile.mkdtemp(prefix=_STAGING, dir=entry.parent)) / entry.name)
        staging.rename(entry)
        _sync(entry.parent)
    finally:
        _sweep(entry.parent)
    return manifest


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Hold the folder for oneself, against other processes too; wait for whoever holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _sweep(folder)
        yield


def _sweep(folder: Path) -> None:
    """Remove what was staged and not finished; whoever holds the lock knows that nobody is at it."""
    for left in folder.glob(f"{_STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
