"""Purges: what is destroyed here, in backups and in the index; see `memoryd_actors.ports.ledger.PurgeRepository`."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from memoryd import restoring
from memoryd.ledger import purging, recording, records, unfinished
from memoryd.ledger.database import Database

NODE = "keeper"


class SqlPurges:
    """Destroys, and finishes what was interrupted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def leaves(self) -> str:
        if self._database.file is not None:
            return ""
        return (
            "the rows are deleted; PostgreSQL's files have their bytes until `VACUUM FULL`, its log and its backups "
            "until they are rotated"
        )

    async def due(self, owner: str, *, limit: int) -> list[str]:
        return await self._database.read(purging.due, owner, self._database.clock.now(), limit)

    async def purge(self, owner: str, ids: Sequence[str], *, actor: str) -> list[str]:
        """Destroy what memories say.

        Raises:
            DiskFull: there is no space to rewrite a file in. The memories are gone from it then, their bytes are not.
        """
        now = self._database.clock.now()

        def work(connection: Connection) -> list[str]:
            operation = records.next_operation(connection)
            doomed = purging.with_merged(connection, owner, ids)
            places = tuple(purging.sessions_of(connection, doomed))
            gone = purging.purge(connection, owner, doomed, actor, now)
            recording.write_operation(connection, operation, NODE)
            if gone:
                self.mark(connection, unfinished.PurgedMemories(tuple(gone), places))
            return gone

        gone = await self._database.write(work)
        await self.finish()
        return gone

    async def purge_session(self, owner: str, session: str) -> None:

        def work(connection: Connection) -> None:
            purging.erase_session(connection, owner, session)
            self.mark(connection, unfinished.PurgedSession(owner, session))

        await self._database.write(work)
        await self.finish()

    def mark(self, connection: Connection, erased: unfinished.Erased) -> None:
        """Note what a transaction has destroyed and `finish` has to take out of the files."""
        unfinished.mark(connection, erased, in_files=self._database.file is not None)

    async def finish(self) -> int:
        left = await self._database.read(unfinished.left_in_files)
        if left and self._database.file is not None:
            await self._database.copy(self._scour, self._database.file, tuple(left.values()))
            await self._database.write(unfinished.gone_from_files, max(left))
        return len(left)

    async def left_in_index(self) -> int:
        return await self._database.read(unfinished.left_in_index)

    async def gone_from_index(self, newest: int) -> None:
        await self._database.write(unfinished.gone_from_index, newest)

    def _scour(self, file: Path, left: Sequence[unfinished.Erased]) -> None:
        def erase(connection: Connection) -> None:
            for erased in left:
                unfinished.erase(connection, erased)

        purging.scour(file)
        for backup in restoring.dated(self._database.backups) if self._database.backups is not None else ():
            purging.erase_in(backup, erase)
