"""What the databases raise, as what memoryd raises."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError

from memoryd.restoring import hint
from memoryd.rewriting import is_disk_full
from memoryd_actors.core.errors import DiskFull, LedgerCorrupt, Refused, Unavailable

_SCARCE_BYTES = 64 * 1024
_PG_DISK_FULL = "53100"


@contextmanager
def translated(where: str, file: Path | None, backups: Path | None) -> Generator[None]:
    """Translate errors of the database below, and of its file.

    Raises:
        DiskFull: there is no space.
        LedgerCorrupt: SQLite finds the file damaged, or not its own.
        Unavailable: locked by another process, not readable, not reachable, no driver.
        Refused: a number is greater than a column holds.
    """
    try:
        with of_database(where, file, backups):
            yield
    except OSError as exc:
        if is_disk_full(exc):
            raise DiskFull(where) from exc
        raise Unavailable(
            f"the ledger at {where} cannot be used: {exc.strerror or exc}", "Check the path and its permissions."
        ) from exc


@contextmanager
def of_database(where: str, file: Path | None, backups: Path | None) -> Generator[None]:
    """Do what `translated` does, where other files are at work, too: what happens to them is left as it is."""
    try:
        yield
    except DBAPIError as exc:
        if isinstance(exc.orig, sqlite3.Error):
            _raise_sqlite(exc.orig, where, file, backups)
        if getattr(exc.orig, "sqlstate", None) == _PG_DISK_FULL:
            raise DiskFull(where) from exc
        if isinstance(exc, OperationalError | InterfaceError):
            reason = str(exc.orig).strip().partition("\n")[0]
            raise Unavailable(
                f"the ledger at {where} does not answer: {reason}", "Is the server running, and ledger.url right?"
            ) from exc
        if isinstance(exc, DataError):
            raise _too_great(exc.orig) from exc
        raise
    except OverflowError as exc:
        raise _too_great(exc) from exc
    except sqlite3.Error as exc:
        _raise_sqlite(exc, where, file, backups)
        raise
    except (NoSuchModuleError, ModuleNotFoundError) as exc:
        raise Unavailable(
            f"no driver for the ledger at {where}: {exc}",
            "For PostgreSQL: pip install 'memoryd[postgres]', and ledger.url = postgresql+psycopg://...",
        ) from exc


def corrupt(file: Path, reason: str, backups: Path | None) -> LedgerCorrupt:
    """Return the refusal for a damaged file; its hint has the way back. Blocks while it looks for a sound backup."""
    return LedgerCorrupt(f"the ledger {file} is damaged: {reason}; it was left as it is", hint(file, backups))


def _too_great(error: BaseException | None) -> Refused:
    reason = str(error).strip().partition("\n")[0]
    return Refused(f"the ledger cannot hold a value: {reason}", "Give a smaller number.")


def _raise_sqlite(error: sqlite3.Error, where: str, file: Path | None, backups: Path | None) -> None:
    # An error of the sqlite3 module itself, like a wrong thread, has no code: that is a bug and stays one.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            raise DiskFull(where) from error
        case sqlite3.SQLITE_IOERR:
            if file is not None and _scarce(file):
                raise DiskFull(where) from error
            raise Unavailable(
                f"the ledger {where} cannot be read or written: {error}", "See the kernel's log for disk errors."
            ) from error
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            if file is not None:
                raise corrupt(file, str(error), backups) from error
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            raise Unavailable(
                f"the ledger {where} is locked by another process", f"`fuser {where}` shows which; try again."
            ) from error
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            raise Unavailable(
                f"the ledger {where} cannot be opened: {error}", "Check the path and its permissions."
            ) from error
        case _:
            return


def _scarce(file: Path) -> bool:
    try:
        room = os.statvfs(file.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _SCARCE_BYTES
