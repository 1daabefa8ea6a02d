"""Operations on memories: the steps of one, performed in the writer's transaction (`memoryd_actors.memory.steps`)."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import assert_never

from msgspec.structs import replace
from sqlalchemy import Connection

from memoryd.ledger import candidate_pairs, consolidation, edges, progressing, purge_count
from memoryd.ledger.consent_steps import ConsentSteps
from memoryd.ledger.reads import last_sequence
from memoryd.ledger.undoing import undo
from memoryd_actors.core.errors import OutOfStep
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.settings import ONE_VALUED
from memoryd_actors.memory.steps import (
    Absorb,
    Add,
    AddCandidatePair,
    AddEdge,
    Advance,
    Applied,
    ChangeState,
    Checked,
    Decide,
    MarkCompared,
    Merge,
    Noted,
    Patch,
    RemoveEdge,
    RevertOperation,
    Revise,
    Settled,
    Step,
    Supersede,
    UnlessPurged,
)
from memoryd_actors.texts.characters import clean


def perform(
    connection: Connection, owner: str, steps: Sequence[Step], actor: str, now: datetime, *, foreign: int = 0
) -> Applied:
    """Perform all steps of one operation; `foreign` is the newest change that another daemon made.

    Raises:
        NotFound: a step names a memory that the owner does not have.
        Refused: a step cannot be; its docstring says when. Nothing is written then.
    """
    operation = _Operation(connection, clean(owner), actor, now, foreign)
    operation.prefetch({end for step in steps if isinstance(step, AddEdge) for end in (step.from_id, step.to_id)})
    for kind, some in groupby(steps, key=_bulk):
        if kind is None:
            for step in some:
                operation.perform(step)
        else:
            operation.add([step for step in some if isinstance(step, Add)])
    return operation.applied()


class _Operation(ConsentSteps):
    """One operation under way."""

    def perform(self, step: Step) -> None:  # noqa: PLR0912 - one case a step
        match step:
            case Add():
                self.results.append(self._add(step))
            case Merge():
                self.results.append(self._merge(step))
            case Absorb():
                self.results += self._absorb(step)
            case Revise():
                self.results.append(self._revise(step))
            case Supersede():
                self._supersede(step)
            case AddEdge():
                self._relate(step)
            case RemoveEdge():
                self._unrelate(step)
            case ChangeState():
                self.results.append(self._change_state(step))
            case Patch():
                self.results.append(self._patch(step))
            case Decide():
                self.results.append(self._decide(step))
            case AddCandidatePair():
                self._add_candidate_pair(step)
            case Settled():
                candidate_pairs.settle(self.connection, self.owner, step, self.now)
            case MarkCompared():
                candidate_pairs.mark_compared(self.connection, self.owner, step.ids)
            case Advance():
                self._advance(step)
            case UnlessPurged():
                purge_count.check(self.connection, self.owner, step)
            case Checked():
                consolidation.checked(self.connection, self.owner, step, self.now)
            case Noted():
                self._noted(step)
            case RevertOperation():
                self.results += undo(self, step)
            case _:
                assert_never(step)

    def add(self, steps: Sequence[Add]) -> None:
        """Store memories, whose steps are alike."""
        self.results += self._added(steps)

    def applied(self) -> Applied:
        """Return what the operation came to."""
        if not self.events and self._linked:
            # Without a line in the history the next operation gets the same number: undoing it must not reach these.
            edges.disown(self.connection, self.number)
        return Applied(
            memories=tuple(self.results),
            sequence=last_sequence(self.connection),
            operation=self.number if self.events else 0,
            events=tuple(self.events),
        )

    def _add_candidate_pair(self, step: AddCandidatePair) -> None:
        older, newer = self._surviving_id(step.older), self._surviving_id(step.newer)
        if older != newer:
            candidate_pairs.add(self.connection, self.owner, replace(step, older=older, newer=newer), self.now)

    def _advance(self, step: Advance) -> None:
        there = progressing.get(self.connection, self.owner, step.session, step.job)
        if (there.sequence if there else 0) != step.before:
            raise OutOfStep(
                f"{step.job} is no longer at entry {step.before} of this session",
                "Somebody else has come further with it, or it was purged: begin with what is there now.",
            )
        now = Progress(self.owner, step.session, step.job, step.sequence, step.detail)
        progressing.put(self.connection, now, self.now)

    def _noted(self, step: Noted) -> None:
        counts = Counter(step.counts) + (Counter(step.wrote) if self.events else Counter[str]())
        if step.run and counts:
            consolidation.note(self.connection, self.owner, step.run, counts)


def _bulk(step: Step) -> tuple[bool, bool, int | None] | None:
    """Return what neighbouring steps have in common that may be stored as one; None where a step goes by itself."""
    if isinstance(step, Add) and step.memory.category not in ONE_VALUED:
        return step.compared, step.confirm, step.as_of
    return None
