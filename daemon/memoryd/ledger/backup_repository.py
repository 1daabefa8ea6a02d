"""Copies of the ledger's file."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memoryd import restoring
from memoryd.ledger import backups, opening
from memoryd.ledger.database import Database
from memoryd.ledger.retention import Retention
from memoryd_actors.core.errors import Refused


class SqlBackups:
    """Copies the file that the ledger is, where it is one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def possible(self) -> bool:
        """Whether dated backups can be made: the ledger is a file, and there is a folder for them."""
        return self._database.file is not None and self._database.backups is not None

    async def copy(self, path: str) -> None:
        """Write a consistent copy to a file that must not exist yet; refused where the ledger is no file."""
        source = self._file()
        await self._database.copy(
            lambda: backups.copy(source, Path(path).expanduser().absolute(), self._database.backups)
        )

    async def dated(self) -> Mapping[Path, datetime]:
        """Return the dated backups there are and when each was made, newest first."""
        folder = self._database.backups
        return {} if folder is None else await self._database.copy(restoring.dated, folder)

    async def copy_dated(self, retention: Retention) -> Path:
        """Write a copy named by date into the backups folder, delete what need not be kept, and return its path."""
        folder = self._database.backups
        if folder is None:
            raise Refused("no folder for backups is configured")
        return await self._database.copy(
            backups.copy_dated, self._file(), folder, self._database.clock.now(), retention
        )

    async def verify(self) -> None:
        """Do what `opening.verify` does; nothing where the ledger is no file."""
        if self._database.file is not None:
            await self._database.copy(opening.verify, self._database.file, self._database.backups)

    def _file(self) -> Path:
        if self._database.file is None:
            raise Refused("only the SQLite ledger is copied by memoryd", "For PostgreSQL use pg_dump.")
        return self._database.file
