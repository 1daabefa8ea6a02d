"""Once a day: what nobody uses is archived or forgotten, and what was forgotten long enough ago is destroyed."""

import logging
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

import anyio

from memoryd_actors.actor import ActorRef
from memoryd_actors.decay import LifecycleSettings
from memoryd_actors.errors import ActorError, Refused
from memoryd_actors.indexer import Indexer
from memoryd_actors.keeper import KeeperMessage, Perform, Purge
from memoryd_actors.lifecycle import due
from memoryd_actors.ports import Clock, Ledger, Publisher
from memoryd_actors.steps import ChangeState, Decide
from memoryd_client.memory import Memory, State
from memoryd_client.messages import Warned

log = logging.getLogger(__name__)

EVERY_S = 86_400.0
PAGE = 500
AT_ONCE = 100
"""Memories in one operation: a write that comes meanwhile waits for some ten milliseconds."""
KEEPER_S = 300.0
ACTOR = "memoryd"
NODE = "ageing"


@dataclass(frozen=True, slots=True)
class Aged:
    """What one round came to."""

    forgotten: int = 0
    archived: int = 0
    purged: int = 0
    lapsed: int = 0
    """Proposals that nobody answered."""


class Ageing:
    """Applies the lifecycle to what nobody uses; `run` it in a task group."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        indexer: Indexer,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        clock: Clock,
        publish: Publisher,
        settings: LifecycleSettings,
    ) -> None:
        self._ledger = ledger
        self._indexer = indexer
        self._keeper = keeper
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self.last = Aged()

    async def run(self) -> None:
        """Do a round a day until cancelled, the first with the start."""
        while True:
            try:
                self.last = await self.round()
            except (Refused, ActorError) as problem:
                log.warning("memories were not aged: %s", problem)
                self._publish(Warned(component="lifecycle", message=str(problem), hint=problem.hint))
            await anyio.sleep(EVERY_S)

    async def round(self) -> Aged:
        """Apply what is due now; a round that is interrupted is taken up by the next one."""
        forgotten = archived = 0
        for owner, steps in (await self.due()).items():
            for start in range(0, len(steps), AT_ONCE):
                some = tuple(steps[start : start + AT_ONCE])
                await self._keeper.ask(Perform(owner, some, ACTOR, NODE), deadline_s=KEEPER_S)
            forgotten += sum(step.state is State.FORGOTTEN for step in steps)
            archived += sum(step.state is State.ARCHIVED for step in steps)
        lapsed = await self._let_proposals_lapse()
        purged = await self._purge()
        aged = Aged(forgotten, archived, purged, lapsed)
        if aged != Aged():
            log.info("lifecycle: %s", aged)
        return aged

    async def due(self) -> dict[str, list[ChangeState]]:
        """Return what is due to memories, by owner, without doing it."""
        now = self._clock.now()
        unused_since = now - timedelta(days=self._settings.unused_days)
        found: dict[str, list[ChangeState]] = defaultdict(list)
        after = 0
        while page := await self._ledger.unused(since=unused_since, after=after, limit=PAGE):
            for number, memory in page:
                after = number
                step = due(memory, now, self._settings)
                if step is not None:
                    found[memory.owner].append(step)
        return found

    async def _let_proposals_lapse(self) -> int:
        lapsed = 0
        while waiting := await self._ledger.lapsed_consents(limit=AT_ONCE):
            by_owner: dict[str, list[Decide]] = defaultdict(list)
            for owner, memory_id in waiting:
                by_owner[owner].append(Decide(memory_id, False, "expired"))
            for owner, steps in by_owner.items():
                await self._keeper.ask(Perform(owner, tuple(steps), ACTOR, NODE), deadline_s=KEEPER_S)
            lapsed += len(waiting)
        return lapsed

    async def _purge(self) -> int:
        purged = 0
        while due_now := await self._ledger.due_for_purge(limit=PAGE):
            by_owner: dict[str, list[str]] = defaultdict(list)
            for owner, memory_id in due_now:
                by_owner[owner].append(memory_id)
            for owner, ids in by_owner.items():
                await self._keeper.ask(Purge(tuple(ids), owner, ACTOR), deadline_s=KEEPER_S)
            purged += len(due_now)
        if purged:
            await self._indexer.purge(deadline_s=KEEPER_S)
        return purged
