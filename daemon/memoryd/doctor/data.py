"""The ledger, the index derived from it, its backups, and whether the clock fits what it holds."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import msgspec

from memoryd import restoring
from memoryd.config import Config
from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd.doctor.generation import memories_index
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION
from memoryd_client.base.paths import Paths
from memoryd_client.wire.status import ComponentStatus, Status

_EARLIEST_YEAR = 2024
"""memoryd did not exist before: a clock that says so has never been set."""
_TOLERATED = timedelta(minutes=2)
_BACKUPS_MISSED = 3
"""A laptop sleeps; a backup is missed only after this many periods."""
_TURN_ON = "memoryd config set ledger.backup_hours 24"


class LedgerFacts(msgspec.Struct, frozen=True):
    """What a sound ledger says about itself."""

    schema: str
    """The newest migration applied; empty: none yet."""
    memories: int = 0
    last_sequence: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    """Of the changes, UTC."""
    purges: int = 0
    """Those that are not finished."""


class Unsound(Exception):
    """Raised when the ledger's file is damaged or cannot be read."""


def read_ledger(file: Path) -> LedgerFacts:
    """Check the SQLite file and return what it says; changes nothing. Blocks, about 3 ms per MB.

    Raises:
        Unsound: it is damaged or cannot be read; the message says how.
    """
    try:
        with closing(read_only(file)) as connection:
            if reason := restoring.damage(connection):
                raise Unsound(reason)
            return _facts(connection)
    except sqlite3.Error as exc:
        raise Unsound(str(exc)) from exc


def read_only(file: Path) -> sqlite3.Connection:
    """Open the SQLite file; whatever is asked changes nothing, and leaves nothing beside it."""
    # Reading would otherwise leave the files of a write-ahead log behind; one that is there has to be read, though.
    wal = file.with_name(file.name + "-wal")
    mode = "mode=ro" if wal.exists() and wal.stat().st_size else "immutable=1"
    return sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, timeout=5)


def _facts(connection: sqlite3.Connection) -> LedgerFacts:
    tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "alembic_version" not in tables:
        return LedgerFacts("")
    version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    schema = str(version[0]) if version else ""
    if not {"memories", "changes"} <= tables:
        return LedgerFacts(schema)
    count = int(connection.execute("SELECT count(*) FROM memories").fetchone()[0])
    last, oldest, newest = connection.execute("SELECT max(sequence), min(ts), max(ts) FROM changes").fetchone()
    return LedgerFacts(schema, count, int(last or 0), _moment(oldest), _moment(newest), _purges(connection, tables))


def _purges(connection: sqlite3.Connection, tables: Collection[str]) -> int:
    """Return how many purges have left something; older schemas note none, or fewer."""
    count = 0
    if "purges" in tables:
        count += int(connection.execute("SELECT count(*) FROM purges").fetchone()[0])
    if "progress" in tables:
        query = "SELECT count(*) FROM progress WHERE job IN (?, ?)"
        count += int(connection.execute(query, (PURGED_ENTRIES, PURGED_SESSION)).fetchone()[0])
    return count


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def ledger_file(paths: Paths, config: Config) -> Path:
    """Return where the ledger is, unless it is a database that daemons share."""
    return Path(config.ledger.url.removeprefix("sqlite:///")) if config.ledger.url else paths.ledger


def examine_data(paths: Paths, config: Config, status: Status | None, now: datetime) -> Iterator[Finding]:
    """Look at ledger, index, backups and clock; `now` is aware of its zone."""
    facts: LedgerFacts | None = None
    if config.ledger.url and not config.ledger.url.startswith("sqlite:///"):
        # Not even its host is shown: the URL holds a password.
        yield ok("ledger", "the ledger is in the database of ledger.url; the daemon checks it when it starts")
    else:
        file = ledger_file(paths, config)
        try:
            facts = read_ledger(file) if file.exists() else None
        except Unsound as exc:
            yield fail("ledger", f"{file} is damaged: {exc}", restoring.command(file, paths.backups))
        except OSError as exc:
            yield fail("ledger", f"{file} cannot be read: {exc.strerror}", f"ls -l {quoted(file)}")
        else:
            yield _schema(file, facts)
            if facts is not None and facts.purges:
                yield _unfinished(facts.purges, status)
        if aside := restoring.set_aside(file):
            yield _set_aside(aside)
        yield _backups(paths, config, file, facts, now)
    yield _index(paths, config, facts, status)
    yield _clock(facts, now)


def _schema(file: Path, facts: LedgerFacts | None) -> Finding:
    if facts is None:
        return ok("ledger", f"there is no {file} yet; the first start makes it")
    try:
        from memoryd.ledger.tables import HEAD
    except ModuleNotFoundError:
        return ok(
            "ledger", f"{file} is sound; whether its schema is current cannot be told without the missing packages"
        )
    if facts.schema > HEAD:
        return fail(
            "ledger",
            f"{file} was written by a newer memoryd (schema {facts.schema}; this one knows {HEAD})",
            "pip install --upgrade 'memoryd[daemon]'",
        )
    behind = "" if facts.schema == HEAD else "; the next start brings its schema up to date"
    return ok("ledger", f"{file} is sound; memories in it: {facts.memories}{behind}")


def _unfinished(purges: int, status: Status | None) -> Finding:
    what = f"{purges} purges are not finished: what was purged is gone from memory, not yet from the disk"
    part = status.components.get("ledger") if status is not None else None
    if part is not None and part.message:
        what = f"{what}. {part.message}"
    return warn("purges", what, "memoryd status" if status is not None else "memoryd start")


def _set_aside(folders: list[Path]) -> Finding:
    named = ", ".join(map(str, folders))
    what = f"{restoring.in_words(folders)} may have what was purged since, or is going to be: {named}"
    return warn("ledger", what, f"{restoring.removing(folders)}  # when nothing of it is needed any more")


def _backups(paths: Paths, config: Config, ledger: Path, facts: LedgerFacts | None, now: datetime) -> Finding:
    taken = restoring.dated(paths.backups)
    if not taken:
        return _no_backup(paths, config, ledger, facts, now)
    newest = next(iter(taken))
    if flaw := restoring.flaw(newest):
        sound = restoring.newest_sound(paths.backups)
        others = f"the newest sound one is {sound}" if sound else "there is no sound one"
        return warn("backups", f"the newest backup, {newest}, is damaged: {flaw}; {others}", "memoryd backup")
    said = f"the newest backup is {(now - taken[newest]).total_seconds() / 3600:.0f} hours old, and sound"
    if config.ledger.backup_hours == 0:
        return warn("backups", f"backups are turned off; {said}", _TURN_ON)
    return warn("backups", said, "memoryd backup") if now - taken[newest] > _due(config) else ok("backups", said)


def _no_backup(paths: Paths, config: Config, ledger: Path, facts: LedgerFacts | None, now: datetime) -> Finding:
    if config.ledger.backup_hours == 0:
        return warn("backups", "backups are turned off", _TURN_ON)
    if facts is None and ledger.exists():
        return warn("backups", f"there is no backup in {paths.backups}", "mend the ledger first, then: memoryd backup")
    if facts is None or facts.oldest is None:
        return ok("backups", "there is nothing to back up yet")
    if now - facts.oldest > _due(config):
        return warn("backups", f"there is no backup in {paths.backups}", "memoryd backup")
    return ok("backups", "the first backup is not due yet")


def _due(config: Config) -> timedelta:
    return timedelta(hours=config.ledger.backup_hours * _BACKUPS_MISSED)


def _index(paths: Paths, config: Config, facts: LedgerFacts | None, status: Status | None) -> Finding:
    if status is not None and "index" in status.components:
        return _index_by_daemon(status.components["index"], status.components.get("model"), facts)
    if config.index.url:
        return ok("index", "it is in the object store of index.url, which was not called")
    folder = memories_index(paths)
    if not folder.exists():
        return ok("index", "there is none yet; the daemon builds it from the ledger")
    table = folder / "memories.lance"
    if not folder.is_dir() or (table.exists() and not _filled(table / "_versions")):
        mend = f"mv {quoted(folder)} {quoted(folder)}.aside  # the next start builds it from the ledger"
        return fail("index", f"{folder} is not a LanceDB folder that can be opened", mend)
    until = f" (the ledger's last change is {facts.last_sequence})" if facts else ""
    return ok("index", f"{folder} is there; how far it is, only a running daemon knows{until}")


def _index_by_daemon(part: ComponentStatus, model: ComponentStatus | None, facts: LedgerFacts | None) -> Finding:
    if part.state in {"degraded", "failed"}:
        if model is not None and part.message == model.message:
            return warn("index", "it waits for the model", "memoryd status")
        return fail("index", part.message or "it cannot be used", part.hint or "memoryd reindex")
    applied, behind = int(part.numbers.get("applied", 0)), int(part.numbers.get("behind", 0))
    last = max(applied + behind, facts.last_sequence if facts else 0)
    if applied < last:
        return ok("index", f"it is being brought up to date: change {applied} of {last}")
    return ok("index", f"it holds everything up to change {applied}")


def _filled(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _clock(facts: LedgerFacts | None, now: datetime) -> Finding:
    said = f"it is {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    mend = "sudo timedatectl set-ntp true"
    if now.year < _EARLIEST_YEAR:
        return fail("clock", f"{said}, says the clock: it has not been set", mend)
    if facts is not None and facts.newest is not None and now + _TOLERATED < facts.newest:
        return warn("clock", f"{said}, says the clock, and the newest memory is of {facts.newest:%Y-%m-%d %H:%M}", mend)
    return ok("clock", said)
