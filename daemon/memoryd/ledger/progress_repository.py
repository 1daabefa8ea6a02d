"""How far jobs have come; see `memoryd_actors.memory.progress.ProgressRepository`."""

from memoryd.ledger import progressing
from memoryd.ledger.database import Database
from memoryd_actors.memory.progress import Progress


class SqlProgress:
    """Keeps how far jobs have come with sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def progress(self, owner: str, session: str, job: str) -> Progress | None:
        return await self._database.read(progressing.get, owner, session, job)

    async def progress_of(self, job: str) -> list[Progress]:
        return await self._database.read(progressing.of, job)

    async def note_progress(self, progress: Progress) -> None:
        await self._database.write(progressing.put, progress, self._database.clock.now())

    async def forget_progress(self, owner: str, session: str) -> int:
        return await self._database.write(progressing.forget, owner, session)
