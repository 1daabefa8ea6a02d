"""A PostgreSQL server of the tests' own, where its programs and a driver are installed."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text

from memoryd.ledger.tables import metadata

_USER = "postgres"
_PACKAGED = Path("/usr/lib/postgresql")
"""Where Debian puts the programs of each version, off the PATH."""


def missing() -> str:
    """Return what keeps PostgreSQL from being tested here; empty where nothing does."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if _program("initdb") is None or _program("pg_ctl") is None:
        return f"there is no initdb and pg_ctl, neither on the PATH nor in {_PACKAGED}"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and there is no runuser"
    return ""


@contextmanager
def postgresql() -> Generator[str]:
    """Run a server on a socket in a folder of its own; yield the URL of its databases, to be completed by a name."""
    prefix = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
    # A socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    data = folder / "data"
    try:
        if prefix:
            shutil.chown(folder, _USER)
        _run(*prefix, str(_program("initdb")), "-D", str(data), "-U", _USER, "-A", "trust", "--no-sync", "-E", "UTF8")
        # What a disk keeps, is asked of SQLite, with kill -9; here each commit would wait for it.
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c full_page_writes=off"
        pg_ctl = str(_program("pg_ctl"))
        _run(*prefix, pg_ctl, "-D", str(data), "-o", settings, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql+psycopg://{_USER}@/{{name}}?host={folder}"
        finally:
            _run(*prefix, pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


@contextmanager
def database(server: str, name: str) -> Generator[str]:
    """Create an empty database, yield its URL and drop it."""
    engine = create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
        yield server.format(name=name)
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


def empty(url: str) -> None:
    """Make a migrated database as it was when it was new: 6 ms, where another one takes 400."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            connection.execute(table.delete())
        for name in connection.execute(text("SELECT sequencename FROM pg_sequences")).scalars():
            connection.execute(text(f"ALTER SEQUENCE {name} RESTART"))
    engine.dispose()


def _program(name: str) -> Path | None:
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    packaged = [path for path in _PACKAGED.glob(f"*/bin/{name}") if path.parts[-3].isdigit()]
    return max(packaged, key=lambda path: int(path.parts[-3]), default=None)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, cwd="/tmp")
