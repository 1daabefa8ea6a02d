"""What is known of mirrored folders: where they are, and what each file said when it and its memory last said the same.

It rests in a file of its own beside the ledger: folders belong to a machine, and several may share a ledger. Nothing is
lost with it: a file that says what its memory says is known again, and of two that differ both are kept.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread

T = TypeVar("T")
_TABLES = """
CREATE TABLE IF NOT EXISTS mirrors (
    folder TEXT PRIMARY KEY, mark TEXT NOT NULL, owner TEXT NOT NULL, project TEXT, since TEXT NOT NULL,
    "on" INTEGER NOT NULL, cursor INTEGER NOT NULL, edges INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS files (
    folder TEXT NOT NULL, path TEXT NOT NULL, memory_id TEXT NOT NULL, revision INTEGER NOT NULL,
    digest TEXT NOT NULL, written TEXT NOT NULL, named TEXT NOT NULL,
    modified_ns INTEGER NOT NULL, size INTEGER NOT NULL,
    own INTEGER NOT NULL,
    PRIMARY KEY (folder, path)
);
CREATE TABLE IF NOT EXISTS projects (
    folder TEXT NOT NULL, name TEXT NOT NULL, project TEXT NOT NULL, PRIMARY KEY (folder, name)
);
"""


class MirrorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which folder mirrors what."""

    folder: str
    mark: str
    """What the folder's own marker file says: another folder in its place is not taken for it."""
    owner: str
    project: str | None
    """None: all projects, and what belongs to none."""
    since: str
    on: bool = True
    cursor: int = 0
    """The ledger's change up to which the files are written."""
    edges: int = 0
    """The line of the history up to which they show the links that somebody made."""

    @property
    def name(self) -> str:
        """Who the history says wrote what came from its files."""
        return f"mirror:{Path(self.folder).name}"


class FileRow(msgspec.Struct, frozen=True, kw_only=True):
    """A file and its memory, as they were when both last said the same."""

    path: str
    memory_id: str
    revision: int
    digest: str
    """Of the file's bytes."""
    written: str
    """Of what would be written for the memory without its links: those that memory finds by itself change no file."""
    named: str
    """The title and category that its path was made of."""
    modified_ns: int = 0
    size: int = -1
    own: bool = False
    """Whether this machine wrote it first: only then does it follow the names of what is linked. Two machines that
    write theirs into one file would meet in every merge."""


class MirrorStates:
    """The file of states. Every method is one transaction; a crash leaves the one before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._limiter = CapacityLimiter(1)

    async def mirrors(self) -> list[MirrorSettings]:
        """Return all mirrors that were ever turned on here, by their folders; none where no file is there."""
        if not await to_thread.run_sync(self._path.exists):
            return []
        return await self._do(_mirrors)

    async def put(self, settings: MirrorSettings) -> None:
        """Note a mirror, in the place of what was known of its folder."""
        await self._do(lambda connection: _put(connection, settings))

    async def begin(self, settings: MirrorSettings) -> None:
        """Note a mirror as one of which nothing is known yet."""

        def work(connection: sqlite3.Connection) -> None:
            for table in ("files", "projects"):
                connection.execute(f"DELETE FROM {table} WHERE folder = ?", [settings.folder])  # noqa: S608 - no input
            _put(connection, settings)

        await self._do(work)

    async def rows(self, folder: str) -> list[FileRow]:
        """Return what is known of the files of a folder."""
        return await self._do(lambda connection: _rows(connection, folder))

    async def projects(self, folder: str) -> dict[str, str]:
        """Return the projects by the names of their folders."""
        query = "SELECT name, project FROM projects WHERE folder = ?"
        return await self._do(lambda connection: dict(connection.execute(query, [folder]).fetchall()))

    async def name_project(self, folder: str, name: str, project: str) -> None:
        """Note which project a folder is of."""
        row = (folder, name, project)
        await self._do(lambda connection: connection.execute("INSERT OR REPLACE INTO projects VALUES (?, ?, ?)", row))

    async def save(self, settings: MirrorSettings, rows: Iterable[FileRow], gone: Iterable[str]) -> None:
        """Note files as they are now, and the paths at which none is any more: of these no byte is left."""
        kept, left = list(rows), list(gone)
        await self._do(lambda connection: _save(connection, settings, kept, left))

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def run() -> T:
            with closing(sqlite3.connect(self._path, timeout=30)) as connection, connection:
                self._path.chmod(0o600)
                connection.execute("PRAGMA secure_delete = ON")
                connection.executescript(_TABLES)
                return work(connection)

        return await to_thread.run_sync(run, limiter=self._limiter)


def read_mirrors(path: Path) -> list[MirrorSettings]:
    """Return the mirrors of a home for whoever looks at it from outside; nothing is changed. Blocks."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return _mirrors(connection)


def _mirrors(connection: sqlite3.Connection) -> list[MirrorSettings]:
    columns = 'folder, mark, owner, project, since, "on", cursor, edges'
    rows = connection.execute(f"SELECT {columns} FROM mirrors ORDER BY folder").fetchall()  # noqa: S608 - no input
    names = [column.strip('" ') for column in columns.split(",")]
    return [msgspec.convert(dict(zip(names, row, strict=True)), MirrorSettings, strict=False) for row in rows]


def _put(connection: sqlite3.Connection, settings: MirrorSettings) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO mirrors VALUES (:folder, :mark, :owner, :project, :since, :on, :cursor, :edges)",
        msgspec.structs.asdict(settings),
    )


def _rows(connection: sqlite3.Connection, folder: str) -> list[FileRow]:
    names = FileRow.__struct_fields__
    query = f"SELECT {', '.join(names)} FROM files WHERE folder = ?"  # noqa: S608 - no input
    rows = connection.execute(query, [folder])
    return [msgspec.convert(dict(zip(names, row, strict=True)), FileRow, strict=False) for row in rows]


def _save(connection: sqlite3.Connection, settings: MirrorSettings, rows: list[FileRow], gone: list[str]) -> None:
    _put(connection, settings)
    connection.executemany("DELETE FROM files WHERE folder = ? AND path = ?", [(settings.folder, one) for one in gone])
    connection.executemany(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(settings.folder, *msgspec.structs.astuple(row)) for row in rows],
    )
