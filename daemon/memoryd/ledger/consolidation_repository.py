"""The repository of the daily consolidation, in the ledger; see `memoryd_actors.consolidating.repository`."""

from collections.abc import Sequence
from datetime import datetime

from memoryd.ledger import consolidation, purge_count
from memoryd.ledger.database import Database
from memoryd_actors.consolidating.fingerprints import Check
from memoryd_actors.consolidating.pool import Pool
from memoryd_actors.consolidating.repository import CandidatePair, Used
from memoryd_actors.consolidating.schedule import ConsolidationRun
from memoryd_client.wire.memory import Memory


class SqlConsolidation:
    """Keeps runs and comparisons in the ledger; its steps write into it as well."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def purges(self, owner: str) -> int:
        return await self._database.read(purge_count.count, owner, "")

    async def owners(self) -> list[str]:
        return await self._database.read(consolidation.owners)

    async def pool(self, owner: str, *, since: datetime, without: Sequence[str], most: int) -> Pool:
        return await self._database.read(consolidation.pool, owner, since, without, most)

    async def episodes(self, owner: str) -> list[Memory]:
        return await self._database.read(consolidation.episodes, owner)

    async def checks(self, owner: str, *, since: datetime) -> list[Check]:
        return await self._database.read(consolidation.lately, owner, since)

    async def owners_with_open_pairs(self) -> list[str]:
        return await self._database.read(consolidation.owners_with_open_pairs)

    async def open_pairs(self, owner: str, *, skip: int, limit: int) -> list[CandidatePair]:
        return await self._database.read(consolidation.open_pairs, owner, skip, limit)

    async def contradictions(self, owner: str, *, skip: int, limit: int) -> list[CandidatePair]:
        return await self._database.read(consolidation.contradictions, owner, skip, limit)

    async def queued(self, owner: str) -> frozenset[tuple[str, str]]:
        return await self._database.read(consolidation.queued, owner)

    async def used(self, owner: str, day: str) -> Used:
        return await self._database.read(consolidation.used, owner, day)

    async def use(self, owner: str, day: str, used: Used) -> None:
        await self._database.write(consolidation.use, owner, day, used)

    async def ask_run(self, owner: str) -> ConsolidationRun:
        now = self._database.clock.now()
        return await self._database.write(consolidation.ask, owner, now)

    async def asked_runs(self) -> list[str]:
        return await self._database.read(consolidation.asked)

    async def begin_run(self, owner: str) -> ConsolidationRun:
        now = self._database.clock.now()
        return await self._database.write(consolidation.begin, owner, now)

    async def mark_run(self, number: int, *, stage: str = "", problem: str = "", finished: bool = False) -> None:
        now = self._database.clock.now()
        await self._database.write(consolidation.mark, number, now, stage=stage, problem=problem, finished=finished)

    async def runs(self, owner: str, *, limit: int) -> list[ConsolidationRun]:
        return await self._database.read(consolidation.runs, owner, limit)

    async def prune(self, owner: str, *, checks_before: datetime, keep_runs: int) -> int:
        return await self._database.write(consolidation.prune, owner, checks_before, keep_runs)
