"""Purges: what is destroyed here, in backups and in the index; see `memoryd_actors.ports.ledger.PurgeRepository`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio
from sqlalchemy import Connection

from memoryd import restoring
from memoryd.ledger import progressing, purge_count, purging, recording, records, transcribing, unfinished
from memoryd.ledger.backups import broken_off
from memoryd.ledger.database import Database
from memoryd_actors.core.errors import PurgeUnfinished, Refused
from memoryd_actors.memory.progress import FILES_GONE, PURGED_SESSION, Progress

NODE = "keeper"


def _nobody() -> None:
    """Hear of nothing."""


class SqlPurges:
    """Destroys, and finishes what was interrupted."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turn = anyio.Lock()
        """Who finishes second finds nothing left."""
        self._clean: dict[Path, int] = {}
        """Up to which mark a file was rewritten: where another file cannot be, it is not rewritten over and over."""
        self.on_left: Callable[[], None] = _nobody
        """Learns that a purge has left something to be finished."""

    @property
    def leaves(self) -> str:
        if self._database.file is not None:
            aside = restoring.set_aside(self._database.file)
            if not aside:
                return ""
            return f"{restoring.in_words(aside)} may have it still, until `{restoring.removing(aside)}`"
        return (
            "the rows are deleted; PostgreSQL's files have their bytes until `VACUUM FULL`, its log and its backups "
            "until they are rotated"
        )

    async def due(self, owner: str, *, limit: int) -> list[str]:
        return await self._database.read(purging.due, owner, self._database.clock.now(), limit)

    async def purge(
        self,
        owner: str,
        ids: Sequence[str],
        *,
        actor: str,
        session: str = "",
        told: Mapping[str, Sequence[int]] | None = None,
        looked_at: int | None = None,
    ) -> list[str]:
        clock = self._database.clock
        now, began = clock.now(), clock.monotonic()

        def work(connection: Connection) -> list[str]:
            operation = records.next_operation(connection)
            purge_count.raise_count(connection, owner, now)
            doomed = purging.with_merged(connection, owner, ids)
            if looked_at is not None:
                doomed = purging.with_derived(connection, owner, doomed, since=looked_at)
            places = tuple(purging.sessions_of(connection, doomed))
            gone = purging.purge(connection, owner, doomed, actor, now)
            took_ms = (clock.monotonic() - began) * 1000
            recording.write_operation(connection, operation, NODE, session=session, duration_ms=took_ms)
            if gone:
                self.mark(connection, unfinished.PurgedMemories(tuple(gone), places))
            for place, entries in (told or {}).items():
                if self._database.keeps_transcripts:
                    transcribing.erase(connection, (owner, place), entries)
                else:
                    unfinished.mark_entries(connection, owner, place, entries, now)
            return gone

        gone = await self._database.write(work)
        self.on_left()
        return gone

    async def purge_session(self, owner: str, session: str, *, project: str, last: int) -> None:
        now = self._database.clock.now()

        def work(connection: Connection) -> None:
            purge_count.raise_count(connection, owner, now)
            purging.erase_session(connection, owner, session)
            self.mark(connection, unfinished.PurgedSession(owner, session))
            left = last
            if self._database.keeps_transcripts:
                transcribing.purge(connection, (owner, session))
                progressing.forget(connection, owner, session)
                left = FILES_GONE
            progressing.put(connection, Progress(owner, session, PURGED_SESSION, left, detail=project), now)

        await self._database.write(work)
        self.on_left()

    async def gone_from_transcript(self, done: Progress) -> None:
        await self._database.write(unfinished.gone_from_transcript, done, self._database.clock.now())

    async def left(self) -> int:
        return await self._database.read(unfinished.left)

    def mark(self, connection: Connection, erased: unfinished.Erased) -> None:
        """Note what a transaction has destroyed and `finish` has to take out of the files."""
        unfinished.mark(connection, erased, in_files=self._database.file is not None)

    async def finish(self) -> int:
        async with self._turn:
            left = await self._database.read(unfinished.left_in_files)
            if left and self._database.file is not None:
                await self._database.rewrite(self._scour, self._database.file, left)
                await self._database.write(unfinished.gone_from_files, max(left))
        return len(left)

    async def complete(self) -> None:
        """Finish what is left in files, or have it finished later.

        Raises:
            PurgeUnfinished: it cannot be finished now.
        """
        try:
            await self.finish()
        except Refused as refused:
            self.on_left()
            raise PurgeUnfinished(refused) from refused

    async def left_in_index(self) -> int:
        return await self._database.read(unfinished.left_in_index)

    async def gone_from_index(self, newest: int) -> None:
        await self._database.write(unfinished.gone_from_index, newest)

    def _scour(self, file: Path, left: Mapping[int, unfinished.Erased]) -> None:
        """Rewrite every file that may have some of it; one that cannot be rewritten keeps no other from it."""

        def erase(connection: Connection) -> None:
            for erased in left.values():
                unfinished.erase(connection, erased)

        newest = max(left)
        works: dict[Path, Callable[[], None]] = {}
        if (folder := self._database.backups) is not None:
            for part in broken_off(folder):
                part.unlink(missing_ok=True)
            works = {backup: partial(purging.erase_in, backup, erase) for backup in restoring.dated(folder)}
        problems: list[Refused] = []
        for one, work in (works | {file: partial(purging.scour, file)}).items():
            if self._clean.get(one, 0) < newest:
                try:
                    work()
                    self._clean[one] = newest
                except Refused as refused:
                    problems.append(refused)
        if problems:
            raise problems[0]
