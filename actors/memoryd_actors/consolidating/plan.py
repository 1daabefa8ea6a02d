"""What a consolidation would do now, found out without writing anything."""

from memoryd_actors.ageing.ageing import Ageing
from memoryd_actors.consolidating.checker import Checker
from memoryd_actors.consolidating.report import planned_change, planned_end, planned_pair, planned_rollup
from memoryd_actors.consolidating.resting import Resting
from memoryd_actors.consolidating.rollup_writer import RollupWriter
from memoryd_actors.consolidating.worker import Consolidator
from memoryd_actors.ports.ledger import Ledger
from memoryd_client.wire.consolidation import ConsolidationPlan, PlannedChange

MOST_SHOWN = 1_000


class Planner:
    """Looks where the worker would look, and says what it would do there."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        worker: Consolidator,
        checker: Checker,
        ageing: Ageing,
        rollups: RollupWriter,
        judge: str,
        resting: Resting,
    ) -> None:
        """Prepare; `judge` is who would compare."""
        self._ledger = ledger
        self._worker = worker
        self._checker = checker
        self._ageing = ageing
        self._rollups = rollups
        self._judge = judge
        self._resting = resting

    async def plan(self, owner: str) -> ConsolidationPlan:
        """Return what a run would do for an owner. No model is asked: of its verdicts nothing can be known.

        Raises:
            Refused: ledger or index failed.
        """
        allowance = await self._checker.allowance(owner)
        pairs, _ = await self._worker.choose(owner, allowance.pairs, self._give_way)
        changes = [planned_change(step, memory) for step, memory in await self._ageing.due(owner)]
        return ConsolidationPlan(
            judge=self._judge,
            pairs=tuple(planned_pair(pair) for pair in pairs),
            changes=(*changes, *await self._ends(owner)),
            rollups=tuple(planned_rollup(one) for one in await self._rollups.due(owner)),
            pairs_left=allowance.pairs,
            tokens_left=allowance.tokens,
        )

    async def _give_way(self, spent_s: float) -> None:
        # Somebody waits for the plan: it gives way to those who are being answered, and takes no rest.
        del spent_s
        await self._resting.rest(0.0)

    async def _ends(self, owner: str) -> list[PlannedChange]:
        lapsed = await self._ledger.consents.lapsed(owner, limit=MOST_SHOWN)
        purged = await self._ledger.purges.due(owner, limit=MOST_SHOWN)
        there = await self._ledger.memories.get(owner, [*lapsed, *purged])
        return [
            *(planned_end(there[one], "lapsed", "nobody answered the proposal") for one in lapsed if one in there),
            *(planned_end(there[one], "purged", "forgotten long enough ago") for one in purged if one in there),
        ]
