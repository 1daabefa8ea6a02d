"""Core memory in the ledger; see `memoryd_actors.keeping.core_memory.CoreRepository`."""

from sqlalchemy import Connection

from memoryd.ledger import core_writing, unfinished
from memoryd.ledger.database import Database
from memoryd.ledger.purges import SqlPurges
from memoryd_actors.keeping.core_memory import Change
from memoryd_client.wire.core_memory import CoreEdit, CoreWrite, Section


class SqlCoreMemory:
    """Keeps the sections of core memory."""

    def __init__(self, database: Database, purges: SqlPurges) -> None:
        self._database = database
        self._purges = purges

    @property
    def leaves(self) -> str:
        return self._purges.leaves

    async def core_sections(self, owner: str, thread: str, *, limit: int) -> list[Section]:
        return await self._database.read(core_writing.sections, owner, thread, limit)

    async def core_edit(self, owner: str, section: Section, edit: CoreEdit, change: Change, actor: str) -> Section:
        now = self._database.clock.now()
        return await self._database.write(core_writing.perform, owner, section, edit, change, actor=actor, now=now)

    async def core_writes(self, owner: str, thread: str, section: str, *, limit: int) -> list[CoreWrite]:
        return await self._database.read(core_writing.writes, owner, thread, section, limit)

    async def core_purge(self, owner: str, thread: str, name: str, *, purge_id: str, actor: str) -> None:
        now = self._database.clock.now()

        def work(connection: Connection) -> None:
            core_writing.purge(connection, owner, thread, name, purge_id=purge_id, actor=actor, now=now)
            self._purges.mark(connection, unfinished.PurgedSection(owner, thread, name))

        await self._database.write(work)
        await self._purges.complete()
