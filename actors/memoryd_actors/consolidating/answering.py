"""Answers what is asked about consolidation."""

from typing import assert_never

from memoryd_actors.access.view import MemoryView
from memoryd_actors.consolidating.plan import Planner
from memoryd_actors.consolidating.report import told_shortly
from memoryd_actors.consolidating.rollup_writer import RollupWriter
from memoryd_actors.consolidating.worker import Consolidator
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consolidation import (
    Consolidate,
    ConsolidationPlan,
    ConsolidationRequest,
    Consolidations,
    GatherEpisodes,
    ListConsolidations,
    PlanConsolidation,
    Rollups,
)

ConsolidationReply = Consolidations | ConsolidationPlan | Rollups


class ConsolidationAnswers:
    """The worker and its planner, as they are asked over the wire."""

    def __init__(self, worker: Consolidator, planner: Planner, rollups: RollupWriter, view: MemoryView) -> None:
        self._rollups = rollups
        self._worker = worker
        self._planner = planner
        self._view = view

    async def answer(self, request: ConsolidationRequest, caller: Caller) -> ConsolidationReply:
        """Answer a request.

        Raises:
            Refused: the agent may see some categories only, memory is off, or ledger or index failed.
        """
        self._view.check_sees_all(
            caller,
            "consolidation concerns all",
            "Ask for it as yourself: `memoryd consolidate` without `--agent`.",
        )
        match request:
            case Consolidate():
                return Consolidations(runs=(await self._worker.ask(caller.owner),))
            case PlanConsolidation():
                return await self._planner.plan(caller.owner)
            case ListConsolidations():
                return Consolidations(runs=tuple(await self._worker.runs(caller.owner, limit=request.limit)))
            case GatherEpisodes():
                return Rollups(rollups=tuple(await self._rollups.force(caller.owner, request.project)))
            case _:
                assert_never(request)

    async def last(self, owner: str) -> dict[str, str]:
        """Return what the status says of an owner's last run, by name."""
        runs = await self._worker.runs(owner, limit=1)
        if not runs:
            return {}
        (run,) = runs
        if run.finished_at:
            return {"last_run": f"{run.finished_at[:16].replace('T', ' ')} UTC: {told_shortly(run.counts.items())}"}
        at = run.doing or "waiting"
        return {"last_run": f"run {run.number} is at it: {run.problem or at}"}
