"""The way back from a damaged ledger: which backup is sound, and the command that puts it in place.

Known to the ledger, whose refusals carry the command, and to the doctor, which works where the ledger's own packages
are missing; so it needs the standard library alone.
"""

import shlex
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

_STEM, _STAMP = "ledger-", "%Y%m%dT%H%M%S%fZ"
_ASIDE = "damaged"
"""How folders begin that a damaged ledger is moved to."""


def dated_name(at: datetime) -> str:
    """Return the name of a backup taken at that time, aware of its zone."""
    return f"{_STEM}{at.astimezone(UTC):{_STAMP}}.db"


def dated(folder: Path) -> Mapping[Path, datetime]:
    """Return the backups in a folder with the time that their names tell, UTC, newest first. Blocks."""
    found: dict[Path, datetime] = {}
    for file in sorted(folder.glob(f"{_STEM}*.db"), reverse=True):
        try:
            # By name, not by the file's own time: that one changes when backups are moved to another disk.
            found[file] = datetime.strptime(file.stem, _STEM + _STAMP).replace(tzinfo=UTC)
        except ValueError:
            continue  # somebody else's file
    return found


def damage(connection: sqlite3.Connection) -> str:
    """Return what SQLite finds damaged, in a line; empty where it finds nothing. Blocks, about 3 ms per MB."""
    verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if verdict == "ok" else verdict.strip().splitlines()[-1]  # before it stands which database


def flaw(file: Path) -> str:
    """Return what is wrong with a copy of the ledger; empty where it is sound. Blocks, about 3 ms per MB."""
    try:
        # Immutable: looking at a copy leaves no -wal and -shm beside it.
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro&immutable=1", uri=True)) as copy:
            if verdict := damage(copy):
                return verdict
            # A file of no bytes is a sound database, too.
            if copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone() is None:
                return "there is no ledger in it"
            return ""
    except sqlite3.Error as exc:
        return str(exc)


def newest_sound(folder: Path) -> Path | None:
    """Return the newest backup that is sound; None where there is none. Blocks while it reads them."""
    return next((file for file in dated(folder) if not flaw(file)), None)


def hint(file: Path, backups: Path | None) -> str:
    """Say what to do about a damaged ledger, with the command that does it. Blocks while it reads the backups."""
    backup = newest_sound(backups) if backups else None
    if backup is None:
        return f"There is no sound backup. With memoryd stopped, this saves what can be read: {saving(file)}"
    return f"The newest sound backup is {backup}. With memoryd stopped: {putting_back(file, backup)}"


def command(file: Path, backups: Path) -> str:
    """Return the whole way from a damaged ledger to a running daemon, as one command line. Blocks, as `hint` does."""
    backup = newest_sound(backups)
    return f"memoryd stop; {putting_back(file, backup) if backup else saving(file)} && memoryd start"


def putting_back(file: Path, backup: Path) -> str:
    """Return the command that puts a backup in the ledger's place and the damaged files into a folder of their own.

    It may be run again, whatever became of it the first time: every run has a folder of its own.
    """
    return f"{_folder(file)} && {_aside(file)} && cp {shlex.quote(str(backup))} {_quoted(file)}"


def saving(file: Path) -> str:
    """Return the command that puts what SQLite's shell can read of a damaged ledger in its place.

    It says how many memories were saved. Nothing is moved before there is something to put there.
    """
    name = _quoted(file)
    # `.recover` reads more, but Debian's build cannot do it; `.dump` reads from both ends up to the damage.
    read = f"sqlite3 {name} .recover 2>/dev/null || sqlite3 {name} .dump"
    ended = "sed 's/^ROLLBACK; -- due to errors$/COMMIT;/'"
    # Fails where no memory was read.
    counted = "sqlite3 \"$d\"/saved 'SELECT count(*) FROM memories' | grep -v '^0$'"
    return (
        f'{_folder(file)} && {{ ({read}) | {ended} | sqlite3 "$d"/saved 2>/dev/null; {counted}; }} && '
        f'chmod 600 "$d"/saved && {_aside(file)} && mv "$d"/saved {name}'
    )


def set_aside(file: Path) -> list[Path]:
    """Return what was moved aside, beside a ledger: folders with a damaged one, and what ends in `.aside`. Blocks.

    No purge reaches into them: what of a damaged file is whose nobody can tell.
    """
    folders = [one for one in sorted(file.parent.glob(f"{_ASIDE}*/")) if any(one.glob(f"{file.name}*"))]
    return [*folders, *sorted(file.parent.glob("*.aside"))]


def in_words(aside: Sequence[Path]) -> str:
    """Return what was set aside, in words."""
    if not all(one.name.startswith(_ASIDE) for one in aside):
        return "what was set aside"
    return "a damaged ledger that was set aside" if len(aside) == 1 else "damaged ledgers that were set aside"


def removing(folders: Iterable[Path]) -> str:
    """Return the command that destroys folders and files."""
    return f"rm -r {shlex.join(map(str, folders))}"


def _folder(file: Path) -> str:
    return f"d=$(mktemp -d {shlex.quote(str(file.parent / f'{_ASIDE}-XXXXXX'))})"


def _aside(file: Path) -> str:
    # -wal and -journal belong to the damaged file and would be replayed over whatever takes its place: where one of
    # them cannot be moved, nothing may.
    name = _quoted(file)
    return f'(for s in "" -wal -shm -journal; do test ! -e {name}$s || mv {name}$s "$d" || exit 1; done)'


def _quoted(file: Path) -> str:
    return shlex.quote(str(file))
