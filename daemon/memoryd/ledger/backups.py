"""Consistent copies of the SQLite file, taken while it is in use and checked before they count."""

import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from memoryd.ledger.failures import corrupt
from memoryd.ledger.retention import Retention, kept
from memoryd.restoring import dated, dated_name, flaw
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION


def copy(source: Path, target: Path, backups: Path | None) -> None:
    """Write a consistent, sound copy to a file that must not exist yet; it appears whole or not at all. Blocks.

    Raises:
        Refused: the file exists, or its folder does not.
        LedgerCorrupt: what was copied is damaged, and so is the source; the hint names the newest sound backup.
        OSError, sqlite3.Error: it cannot be written.
    """
    if not target.parent.is_dir():
        raise Refused(f"there is no folder {target.parent}", "Create it, or name another file.")
    if target.exists():
        raise Refused(f"{target} exists already", "Name a file that does not exist yet.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    _remove(part)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        # Not created: where the source has gone away, an empty copy would pass for a backup.
        live_url = f"file:{quote(str(source))}?mode=rw"
        with closing(sqlite3.connect(live_url, uri=True)) as live, closing(sqlite3.connect(part)) as still:
            live.backup(still)
            # The copy inherits WAL mode; as one plain file it can be moved and read anywhere.
            still.execute("PRAGMA journal_mode = DELETE")
            # What a purge has still to take out of transcripts is for those of today, not for those of a way back.
            if still.execute("SELECT 1 FROM sqlite_master WHERE name = 'progress'").fetchone():
                still.execute("DELETE FROM progress WHERE job IN (?, ?)", (PURGED_ENTRIES, PURGED_SESSION))
                still.commit()
        # Pages are copied as they are, damage included: 2.8 ms per MB tell whether this copy is worth keeping.
        if reason := flaw(part):
            raise corrupt(source, reason, backups)
        _sync(part)
        try:
            # A link, unlike a rename, never replaces a file that appeared meanwhile.
            os.link(part, target)
        except FileExistsError as exc:
            raise Refused(f"{target} exists already", "Name a file that does not exist yet.") from exc
    finally:
        _remove(part)
    _sync(target.parent)


def copy_dated(source: Path, folder: Path, at: datetime, retention: Retention) -> Path:
    """Write a copy named by date into the folder, then delete those that need not be kept; return the copy. Blocks.

    Raises:
        LedgerCorrupt: what was copied is damaged; nothing was deleted.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in broken_off(folder):
        left.unlink(missing_ok=True)
    target = folder / dated_name(at)
    copy(source, target, folder)
    there = dated(folder)
    lasting = kept(there.values(), retention)
    for old, moment in there.items():
        # The new one stays even where others claim to come from the future.
        if moment not in lasting and old != target:
            old.unlink(missing_ok=True)
    return target


def broken_off(folder: Path) -> list[Path]:
    """Return what is left of dated copies that a process was killed over. Blocks."""
    return list(folder.glob(".ledger-*.part*"))


def _remove(part: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        part.with_name(part.name + suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
