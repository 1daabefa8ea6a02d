"""Runs and plans as they travel. Pure."""

from collections.abc import Iterable

from memoryd_actors.comparison import action
from memoryd_actors.consolidating.pairs import Suspect
from memoryd_actors.consolidating.rollup_writer import RollupMaterial
from memoryd_actors.consolidating.schedule import ConsolidationRun
from memoryd_actors.keeping.merging import compare_with
from memoryd_actors.keeping.neighbours import Neighbour
from memoryd_actors.memory.steps import ChangeState
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.consolidation import Consolidation, PlannedChange, PlannedPair, PlannedRollup
from memoryd_client.wire.memory import Memory

LONGEST = 200
"""Characters of a memory that a plan shows."""


def told(run: ConsolidationRun, *, doing: str = "", done: int = 0, total: int = 0) -> Consolidation:
    """Return a run as it travels."""
    return Consolidation(
        number=run.number,
        started_at=run.started_at.isoformat(),
        finished_at=run.finished_at.isoformat() if run.finished_at else "",
        asked=run.asked,
        stage=run.stage,
        starts=run.starts,
        counts=run.counts,
        problem=run.problem,
        doing=doing,
        done=done,
        total=total,
    )


def planned_pair(one: Suspect) -> PlannedPair:
    """Return a pair as a plan shows it, with what the rules have to say."""
    local = compare_with(one.newer, Neighbour(one.older, one.cosine)).comparison
    return PlannedPair(
        older=one.older.id,
        newer=one.newer.id,
        older_content=one_line(one.older.content, LONGEST),
        newer_content=one_line(one.newer.content, LONGEST),
        similarity=round(one.cosine, 4),
        relation=local.relation,
        action=action(local),
        reason=local.reason,
        doubted=one.doubted,
    )


def planned_change(step: ChangeState, memory: Memory) -> PlannedChange:
    """Return what is due to a memory as a plan shows it."""
    return PlannedChange(
        id=memory.id, summary=one_line(memory.content, LONGEST), becomes=step.state.value, reason=step.reason
    )


def planned_end(memory: Memory, becomes: str, reason: str) -> PlannedChange:
    """Return as a plan shows it that a memory is purged, or lapses."""
    return PlannedChange(id=memory.id, summary=one_line(memory.content, LONGEST), becomes=becomes, reason=reason)


def planned_rollup(one: RollupMaterial) -> PlannedRollup:
    """Return what would be gathered as a plan shows it."""
    return PlannedRollup(
        project=one.project,
        episodes=len(one.episodes),
        path=one.path,
        updates=one.summary.id if one.summary is not None else "",
    )


def told_shortly(counts: Iterable[tuple[str, int]]) -> str:
    """Return counts in one line."""
    return ", ".join(f"{count} {name}" for name, count in counts if count) or "nothing to do"
