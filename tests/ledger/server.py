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

_USER = "postgres"


def missing() -> str:
    """Return what keeps PostgreSQL from being tested here; empty where nothing does."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        return "initdb and pg_ctl are not on the PATH"
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
        _run(*prefix, "initdb", "-D", str(data), "-U", _USER, "-A", "trust", "--no-sync", "-E", "UTF8")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
        _run(*prefix, "pg_ctl", "-D", str(data), "-o", settings, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql+psycopg://{_USER}@/{{name}}?host={folder}"
        finally:
            _run(*prefix, "pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
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


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, cwd="/tmp")
