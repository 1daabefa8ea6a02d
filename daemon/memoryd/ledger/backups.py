"""Consistent copies of the SQLite file, taken while it is in use."""

import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from memoryd_actors.errors import Refused


def copy(source: Path, target: Path) -> None:
    """Write a consistent copy to a file that must not exist yet; it appears whole or not at all. Blocks.

    Raises:
        Refused: the file exists, or its folder does not.
        OSError, sqlite3.Error: it cannot be written.

    """
    if not target.parent.is_dir():
        raise Refused(f"there is no folder {target.parent}", "Create it, or name another file.")
    if target.exists():
        raise Refused(f"{target} exists already", "Name a file that does not exist yet.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(part)) as still:
            live.backup(still)
            # The copy inherits WAL mode; as one plain file it can be moved and read anywhere.
            still.execute("PRAGMA journal_mode = DELETE")
        _sync(part)
        try:
            # A link, unlike a rename, never replaces a file that appeared meanwhile.
            os.link(part, target)
        except FileExistsError as exc:
            raise Refused(f"{target} exists already", "Name a file that does not exist yet.") from exc
    finally:
        part.unlink(missing_ok=True)
    _sync(target.parent)


def copy_dated(source: Path, folder: Path, at: datetime, keep: int) -> Path:
    """Write a copy named by date into the folder, delete all but the newest `keep`, and return it. Blocks."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = folder / f"ledger-{at:%Y%m%dT%H%M%S%fZ}.db"
    copy(source, target)
    for old in sorted(folder.glob("ledger-*.db"))[:-keep]:
        old.unlink(missing_ok=True)
    return target


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
