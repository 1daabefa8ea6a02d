"""From a path or URL to an engine whose schema is current, without touching what it does not understand."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection

from memoryd.ledger.failures import corrupt
from memoryd.ledger.tables import HEAD
from memoryd.restoring import damage, dated
from memoryd_actors.core.errors import Unavailable

if TYPE_CHECKING:
    from alembic.config import Config

_MAGIC = b"SQLite format 3\0"
_BUSY_S = 5.0
_FROZEN_S = 10
"""After this many seconds without a word in the middle of a transaction, PostgreSQL rolls it back."""
_MIGRATING = 0x6D656D6F7279 - 1
"""Key of the PostgreSQL advisory lock under which the schema is brought up to date."""
QUICK_CHECK_BYTES = 32 * 1024 * 1024
"""Up to this size the whole file is checked at every start: 3 ms per MB. A larger one is checked with each backup."""


def parse(path_or_url: Path | str) -> tuple[URL, Path | None]:
    """Return the SQLAlchemy URL and, where it is SQLite, the file."""
    if isinstance(path_or_url, str) and "://" in path_or_url:
        url = make_url(path_or_url)
        return url, Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
    file = Path(path_or_url)
    return URL.create("sqlite", database=str(file)), file


def check_file(file: Path, backups: Path | None) -> None:
    """Refuse a file that is damaged; create a missing one, for its owner alone. Blocks.

    Raises:
        LedgerCorrupt: it is no SQLite file, shorter than it says, or fails SQLite's own check.
        OSError: it cannot be read.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # SQLite gives its -wal and -shm files the mode of the database.
    os.close(os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    size = file.stat().st_size
    with file.open("rb") as stream:
        header = stream.read(100)
    if not header:
        if backups is not None and dated(backups):
            raise corrupt(file, "it is empty, yet there are backups of it", backups)
        return
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise corrupt(file, "it is not an SQLite database", backups)
    page = int.from_bytes(header[16:18]) or 1
    page = 65536 if page == 1 else page
    wal = file.with_name(file.name + "-wal")
    pending = wal.exists() and wal.stat().st_size > 0
    # The header's page count holds where the counter beside it agrees; what a WAL still holds need not be in the file.
    if not pending and header[24:28] == header[92:96]:
        expected = page * int.from_bytes(header[28:32])
        if size < expected:
            raise corrupt(file, f"it should have {expected} bytes and has {size}", backups)
    if size <= QUICK_CHECK_BYTES:
        verify(file, backups)


def verify(file: Path, backups: Path | None) -> None:
    """Read the whole file and check its structure. Blocks, about 3 s per GB.

    Raises:
        LedgerCorrupt: SQLite found damage.
    """
    with closing(sqlite3.connect(file, timeout=_BUSY_S)) as connection:
        reason = damage(connection)
    if reason:
        raise corrupt(file, reason, backups)


def create(url: URL, *, readers: int) -> Engine:
    """Return an engine for the writer and that many readers. Opens nothing yet."""
    # An error that ends up in the log names the statement, not what was to be stored.
    if url.get_backend_name() != "sqlite":
        engine = create_engine(url, pool_size=readers + 1, max_overflow=0, pool_pre_ping=True, hide_parameters=True)
        event.listen(engine, "connect", _on_connect_server)
        return engine
    engine = create_engine(
        url,
        pool_size=readers + 1,
        max_overflow=0,
        connect_args={"timeout": _BUSY_S, "check_same_thread": False},
        hide_parameters=True,
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def migrate(engine: Engine, where: str) -> None:
    """Bring the schema to the newest version, in one transaction. Blocks.

    Raises:
        Unavailable: it is newer than this program.
    """
    found = version(engine)
    if found == HEAD:
        return
    if found is not None and found not in _known(_alembic()):
        raise Unavailable(
            f"the ledger at {where} was written by a newer memoryd (schema {found}; this one knows {HEAD})",
            "Update memoryd: pip install --upgrade 'memoryd[daemon]'",
        )
    with engine.execution_options(memoryd_writes=True).begin() as connection:
        if connection.dialect.name == "postgresql":
            # Of several daemons that start together, one migrates, and the others find it done.
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})
            if _version(connection) == HEAD:
                return
        upgrade(connection, HEAD)


def upgrade(connection: Connection, schema: str) -> None:
    """Bring the schema up to a version, in the transaction of the connection. Blocks.

    Raises:
        Unavailable: there is no such version.
    """
    from alembic import command

    config = _alembic()
    if schema not in _known(config):
        raise Unavailable(
            f"there is no version {schema!r} of the ledger's tables; this memoryd knows {HEAD}",
            "Update memoryd: pip install --upgrade 'memoryd[daemon]'",
        )
    config.attributes["connection"] = connection
    command.upgrade(config, schema)


def version(engine: Engine) -> str | None:
    """Return the version of the schema; None where there are no tables. Blocks."""
    with engine.connect() as connection:
        return _version(connection)


def _alembic() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def _known(config: "Config") -> set[str]:
    from alembic.script import ScriptDirectory

    return {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return cast(str | None, connection.execute(text("SELECT version_num FROM alembic_version")).scalar())


def _on_connect_server(connection: DBAPIConnection, _record: object) -> None:
    cursor = connection.cursor()
    # A daemon that is frozen or cut off in the middle of a write must not keep the others from theirs for ever.
    cursor.execute(f"SET idle_in_transaction_session_timeout = '{_FROZEN_S}s'")
    cursor.execute(f"SET lock_timeout = '{2 * _FROZEN_S}s'")
    cursor.close()
    connection.commit()


def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
    # The driver's own transaction control commits behind savepoints; ours begins them itself, below.
    connection.isolation_level = None
    execute: Callable[[str], object] = connection.execute
    execute("PRAGMA journal_mode = WAL")
    # FULL: a commit returns when the disk has it, not when the operating system does.
    execute("PRAGMA synchronous = FULL")
    execute("PRAGMA temp_store = MEMORY")
    execute("PRAGMA journal_size_limit = 67108864")


def _on_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("memoryd_writes", False)
    # A write that begins as a read fails at once when another process writes in between; IMMEDIATE waits its turn.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
