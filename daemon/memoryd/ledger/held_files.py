"""The files of an SQLite ledger, and whether what is written to them is still there for the next start."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from memoryd.in_place import InPlace
from memoryd_actors.core.errors import Unavailable


class HeldFiles:
    """The database, which is held for life, and its write-ahead log, which is held as long as the writer's connection.

    SQLite writes on to files that were deleted, and says nothing of it.
    """

    def __init__(self, file: Path) -> None:
        """Remember the database, which is open."""
        self._database = InPlace(file, "the ledger")
        self._database.note()
        self._log = InPlace(file.with_name(file.name + "-wal"), "the ledger's write-ahead log")
        self._of: object = None
        """The connection that the log belongs to."""

    def check_database(self) -> None:
        """Do nothing where the database is in its place.

        Raises:
            Unavailable: it is not.
        """
        self._database.check()

    def check(self, connection: Connection) -> None:
        """Do nothing where both are in their places. Call it before a transaction begins.

        What a deleted log holds is brought into the database, from which the next start reads it.

        Raises:
            Unavailable: one of them is not.
        """
        self._database.check()
        raw: Any = connection.connection.driver_connection
        if raw is not self._of:
            self._of = raw
            self._log.forget()
        try:
            self._log.check()
        except Unavailable:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            raise

    def written(self) -> None:
        """Remember the log, which is there once something was written."""
        self._log.note()
