"""How far jobs have come; see `memoryd_actors.memory.progress.ProgressRepository`."""

from sqlalchemy import Connection

from memoryd.ledger import progressing, purge_count
from memoryd.ledger.database import Database
from memoryd_actors.memory.progress import PURGED_SESSION, Progress


class SqlProgress:
    """Keeps how far jobs have come with sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def progress(self, owner: str, session: str, job: str) -> Progress | None:
        return await self._database.read(progressing.get, owner, session, job)

    async def progress_of(self, job: str) -> list[Progress]:
        return await self._database.read(progressing.of, job)

    async def purges(self, owner: str, session: str = "") -> int:
        return await self._database.read(purge_count.count, owner, session)

    async def note_progress(self, progress: Progress) -> None:
        await self._database.write(progressing.put, progress, self._database.clock.now())

    async def forget_progress(self, owner: str, session: str) -> int:
        def work(connection: Connection) -> int:
            if progressing.get(connection, owner, session, PURGED_SESSION) is not None:
                # Its transcript is gone only now: what read it before is not written.
                purge_count.raise_count(connection, owner, self._database.clock.now())
            return progressing.forget(connection, owner, session)

        return await self._database.write(work)
