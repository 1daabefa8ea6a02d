"""Checkpoints in the ledger; see `memoryd_actors.keeping.checkpoints.CheckpointRepository`."""

from collections.abc import Mapping

from sqlalchemy import Connection

from memoryd.ledger import checkpointing, unfinished
from memoryd.ledger.database import Database
from memoryd.ledger.purges import SqlPurges
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.checkpoints import Checkpoint, CheckpointInfo


class SqlCheckpoints:
    """Keeps the states of threads."""

    def __init__(self, database: Database, purges: SqlPurges) -> None:
        self._database = database
        self._purges = purges

    @property
    def leaves(self) -> str:
        return self._purges.leaves

    async def save_checkpoint(
        self,
        owner: str,
        thread: str,
        data: bytes,
        *,
        save_id: str,
        meta: Mapping[str, str],
        expected: int | None,
        keep: int,
        agent: str = "",
    ) -> CheckpointInfo:
        new = checkpointing.NewCheckpoint(owner, thread, data, save_id, meta, expected, agent)
        return await self._database.write(checkpointing.save, new, keep, self._database.clock.now())

    async def load_checkpoint(self, owner: str, thread: str, version: int | None) -> Checkpoint:
        return await self._database.read(checkpointing.load, owner, thread, version)

    async def checkpoints(self, owner: str, thread: str, *, limit: int) -> list[CheckpointInfo]:
        return await self._database.read(checkpointing.kept, owner, thread, limit)

    async def newest_checkpoints(self, owner: str, begin: str, *, before: str, limit: int) -> list[CheckpointInfo]:
        return await self._database.read(checkpointing.newest, owner, begin, before, limit)

    async def delete_checkpoints(
        self, owner: str, thread: str, version: int | None, *, purge: bool, below: bool = False
    ) -> int:

        def work(connection: Connection) -> int:
            gone = checkpointing.remove(connection, owner, thread, version, below=below, purge=purge)
            if purge:
                stands = checkpointing.marked(owner, thread)
                erased = unfinished.PurgedCheckpoints(owner, stands, version, below, len(clean(thread)))
                self._purges.mark(connection, erased)
            return gone

        gone = await self._database.write(work)
        if purge:
            await self._purges.complete()
        return gone
