"""Events: how often what was done; see `memoryd_actors.ports.ledger.EventRepository`."""

from collections.abc import Mapping
from datetime import timedelta

from memoryd.ledger import recording
from memoryd.ledger.database import Database
from memoryd_client.wire.event_counts import DoneEvent, EventCount, ListDone


class SqlEvents:
    """What is counted of what was done."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.record = database.record
        self._tally = recording.Tally()

    async def counts(self, owner: str, *, days: int) -> list[EventCount]:
        await self._database.flush()
        since = self._database.clock.now() - timedelta(days=days)
        return await self._database.read(recording.by_day, owner, since)

    async def done(self, owner: str, asked: ListDone, *, allowed: frozenset[str] | None) -> list[DoneEvent]:
        await self._database.flush()
        since = self._database.clock.now() - timedelta(days=asked.days)
        return await self._database.read(recording.rows, owner, asked, since, allowed)

    async def newest(self) -> int:
        await self._database.flush()
        return await self._database.read(recording.newest)

    async def after(self, number: int, *, limit: int) -> list[DoneEvent]:
        await self._database.flush()
        return await self._database.read(recording.after, number, limit)

    async def waiting(self, number: int) -> int:
        return await self._database.read(recording.waiting, number)

    async def lately(self) -> tuple[Mapping[recording.Done, int], Mapping[recording.Done, int]]:
        """Return how often what was done in the last day and in the last week; what waits for a write is not in it."""
        now = self._database.clock.now()
        self._tally = tally = await self._database.read(recording.tally, self._tally, now)
        return tally.since(now - recording.DAY), tally.since(now - recording.WEEK)
