"""The daily consolidation: once a day for each owner, one at a time, and never in the way.

Every stage and every pair is marked in the ledger as soon as it is done, in the transaction that does it: a run that is
broken off goes on where it stopped, and does nothing twice.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from memoryd_actors.access.switch import EVERYWHERE, refusal
from memoryd_actors.ageing.ageing import Ageing
from memoryd_actors.consolidating.checker import Checker, CheckOutcome
from memoryd_actors.consolidating.finder import PairFinder, Rest
from memoryd_actors.consolidating.fingerprints import REMEMBERED
from memoryd_actors.consolidating.pairs import Suspect, in_turn
from memoryd_actors.consolidating.report import told
from memoryd_actors.consolidating.repository import ConsolidationRepository
from memoryd_actors.consolidating.resting import Resting
from memoryd_actors.consolidating.rollup_writer import ROLLUP_TOKENS, RollupWriter, reckoned
from memoryd_actors.consolidating.schedule import AGEING, PAIRS, ROLLUPS, UPKEEP, ConsolidationRun, is_due
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.core.errors import ActorError, ActorStopped, DaemonError, Refused
from memoryd_actors.core.worker import Worker, repeat_purged
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.memory.steps import Settled
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.consolidation import Consolidation
from memoryd_client.wire.events import Warned
from memoryd_client.wire.switching import SwitchedOff

log = logging.getLogger(__name__)

LOOK_S = 60.0
"""How often it is looked who is due: a machine that sleeps does not count the hours."""
RETRY_S = 600.0
"""Until a run that failed is tried again."""
INDEX_S = 60.0
"""How long a run waits for the index to have what was written before it."""
PURGE_S = 300.0
KEEP_RUNS = 30
"""Of an owner, whose reports can be read."""


class Doing(msgspec.Struct):
    """What the worker is at."""

    run: ConsolidationRun
    stage: str = ""
    done: int = 0
    total: int = 0


class Consolidator:
    """Consolidates the memories of one owner after another; `run` it in a task group."""

    def __init__(
        self,
        *,
        repository: ConsolidationRepository,
        finder: PairFinder,
        checker: Checker,
        ageing: Ageing,
        rollups: RollupWriter,
        indexer: Indexer,
        optimise: Callable[[], Awaitable[None]],
        clock: Clock,
        publish: Publisher,
        settings: ConsolidationSettings,
        resting: Resting,
        off: Callable[[str, str], SwitchedOff | None],
    ) -> None:
        """Prepare; `off` says where memory is turned off for an owner, `optimise` looks after the index."""
        self._repository = repository
        self._finder = finder
        self._checker = checker
        self._ageing = ageing
        self._rollups = rollups
        self._indexer = indexer
        self._optimise = optimise
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self._resting = resting
        self._off = off
        self._stages: dict[str, Callable[[Doing], Awaitable[None]]] = {
            PAIRS: self._compare,
            AGEING: self._age,
            ROLLUPS: self._roll_up,
            UPKEEP: self._keep_up,
        }
        self._put_off: dict[str, float] = {}
        """Owners whose run failed, and when it is tried again."""
        self._scheduled_from = clock.monotonic() + settings.start_after_s
        self._worker = Worker(self._work, complain=self._warn, retry_s=LOOK_S)
        self.run = self._worker.run
        self._doing: Doing | None = None

    # --- asked

    async def ask(self, owner: str) -> Consolidation:
        """Have an owner's memories consolidated now, and return the run that does it.

        Where several daemons share a ledger, the one does it that works in the background.

        Raises:
            Refused: memory is off everywhere, or the ledger failed.
        """
        place = self._off(owner, EVERYWHERE)
        if place is not None:
            raise refusal(place)
        run = await self._repository.ask_run(owner)
        self._put_off.pop(owner, None)
        self._worker.kick()
        return self._told(run)

    async def runs(self, owner: str, *, limit: int) -> list[Consolidation]:
        """Return the owner's last runs, newest first."""
        return [self._told(run) for run in await self._repository.runs(owner, limit=limit)]

    def _told(self, run: ConsolidationRun) -> Consolidation:
        at = self._doing
        if at is None or at.run.number != run.number:
            return told(run)
        return told(run, doing=at.stage, done=at.done, total=at.total)

    # --- in the background

    async def _work(self) -> float:
        """Do what is asked for and what is due."""
        wait_s = max(self._scheduled_from - self._clock.monotonic(), 0.0)
        while (run := await self._next(scheduled=wait_s == 0)) is not None:
            await self.consolidate(run)
        return min(wait_s, LOOK_S) or LOOK_S

    async def _next(self, *, scheduled: bool) -> ConsolidationRun | None:
        """Return the next run: what somebody waits for, then what is due, once it is quiet."""
        for owner in await self._repository.asked_runs():
            if self._may(owner):
                return await self._repository.begin_run(owner)
        due = await self._due() if scheduled else None
        if due is None or not await self._resting.until_quiet(unless=lambda: self._worker.kicked):
            return None
        return await self._repository.begin_run(due)

    async def _due(self) -> str | None:
        now = self._clock.now()
        for owner in await self._repository.owners():
            if self._may(owner):
                last = next(iter(await self._repository.runs(owner, limit=1)), None)
                if is_due(last, now, self._settings.hours):
                    return owner
        return None

    def _may(self, owner: str) -> bool:
        put_off = self._put_off.get(owner, 0.0) > self._clock.monotonic()
        return not put_off and self._off(owner, EVERYWHERE) is None

    async def consolidate(self, run: ConsolidationRun) -> None:
        """Do what is left of a run. What fails is tried again at the next look.

        Raises:
            ActorStopped: the daemon goes down.
        """
        self._doing = Doing(run)
        problem: Refused | ActorError | None = None
        try:
            problem = await self._do(self._doing)
        finally:
            self._doing = None
        if isinstance(problem, ActorStopped):
            raise problem
        if problem is not None:
            self._put_off[run.owner] = self._clock.monotonic() + RETRY_S
            self._warn(problem)

    async def _do(self, doing: Doing) -> Refused | ActorError | None:
        """Do the stages that are left; return why one could not be done."""
        run = doing.run
        try:
            for stage in run.left:
                await repeat_purged(partial(self._do_stage, doing, stage))
                await self._repository.mark_run(run.number, stage=stage)
            await self._repository.mark_run(run.number, finished=True)
        except (Refused, ActorError) as problem:
            if not isinstance(problem, ActorStopped):
                with suppress(Refused):
                    await self._repository.mark_run(run.number, problem=str(problem))
            return problem
        log.info("consolidated the memories of %s: run %d", run.owner, run.number)
        return None

    # --- stages

    async def _do_stage(self, doing: Doing, stage: str) -> None:
        doing.stage, doing.done, doing.total = stage, 0, 0
        await self._stages[stage](doing)

    async def _compare(self, doing: Doing) -> None:
        owner, number = doing.run.owner, doing.run.number
        await self._indexer.wait_open(deadline_s=INDEX_S)
        await self._indexer.wait_for(self._indexer.target, deadline_s=INDEX_S)
        chosen, moot = await self.choose(owner, (await self._checker.allowance(owner)).pairs, self._resting.rest)
        await self._checker.put_aside(owner, moot, number)
        doing.total = len(chosen)
        for some in self._checker.groups(chosen):
            if not await self._check(doing, some):
                return

    async def choose(self, owner: str, most: int, rest: Rest) -> tuple[list[Suspect], list[Settled]]:
        """Return the pairs of an owner that are to be compared, in turn, and those in doubt that are none any more.

        None are where there is no model to ask: at the write the rules said all that they can tell.

        Raises:
            Refused: ledger or index failed.
        """
        await self._indexer.wait_open(deadline_s=INDEX_S)
        open_pairs, moot = await self._checker.read_pairs(owner, await self._checker.find_open_pairs(owner, most))
        if not self._checker.by_model:
            return [], moot
        found = await self._finder.find(owner, await self._checker.known(owner), most, rest)
        return in_turn([*open_pairs, *found])[:most], moot

    async def _check(self, doing: Doing, some: Sequence[Suspect]) -> bool:
        began = self._clock.monotonic()
        if await self._checker.check(doing.run.owner, some, doing.run.number) is not CheckOutcome.DONE:
            return False
        doing.done += len(some)
        await self._resting.rest(self._clock.monotonic() - began)
        return True

    async def _age(self, doing: Doing) -> None:
        await self._ageing.round(doing.run.owner, run=doing.run.number, rest=self._resting.rest)
        if doing.run.starts > 1:
            # What was purged before the daemon went down may still be in old versions of the index.
            await self._indexer.purge(deadline_s=PURGE_S)

    async def _roll_up(self, doing: Doing) -> None:
        owner = doing.run.owner
        due = await self._rollups.due(owner)
        doing.total = len(due)
        for one in due:
            began = self._clock.monotonic()
            # What a model uses to tell them is not reported to us: reckoned generously, and charged as if it were.
            tokens = reckoned(one, ROLLUP_TOKENS)
            if self._checker.by_model and tokens > (await self._checker.allowance(owner)).tokens:
                continue  # due again with the next run
            if (await self._rollups.gather(one, doing.run.number)).by_model:
                await self._checker.charge(owner, tokens)
            doing.done += 1
            await self._resting.rest(self._clock.monotonic() - began)

    async def _keep_up(self, doing: Doing) -> None:
        before = self._clock.now() - REMEMBERED
        await self._repository.prune(doing.run.owner, checks_before=before, keep_runs=KEEP_RUNS)
        await self._indexer.wait_for(self._indexer.target, deadline_s=INDEX_S)
        if self._indexer.unoptimised:
            await self._optimise()

    def _warn(self, problem: DaemonError) -> None:
        log.warning("consolidation is put off: %s", problem)
        message = f"consolidation is put off: {problem}"
        self._publish(Warned(component="consolidation", message=message, hint=problem.hint))
