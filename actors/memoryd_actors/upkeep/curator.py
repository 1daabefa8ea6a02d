"""The Curator: upkeep on a schedule, so that nothing grows without bound and nobody has to think of it."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import anyio
import msgspec

from memoryd_actors.core.errors import DaemonError, Refused
from memoryd_actors.core.worker import Worker
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.wire.events import Warned

log = logging.getLogger(__name__)

EVICTION_S = 300.0
"""How often idle sessions are looked for."""
LOOK_S = 3600.0
"""How often it is looked whether a backup is due: a machine that sleeps does not count the hours. Until a failed one
is tried again, too."""
ROWS_A_CHANGE = 1_000
MOST_CHANGES = 200
"""The index waits for a change for each so many of its rows, up to so many: each time all of it is written anew."""
EXPIRY_S = 60.0
"""How often it is looked which memories are over."""
PRUNE_S = 86400.0
"""How often what nobody will ask for any more is deleted, beginning with the start."""
ALIAS_DAYS = 30
"""A request is sent again within seconds, or when its sender finds it unanswered after days."""


class Schedule(msgspec.Struct, frozen=True):
    """When what is done. Seconds; 0 for never."""

    optimise_s: float
    optimise_rows: int
    """Applied changes after which the index does not wait for its time."""
    backup_s: float
    traces_days: int
    sessions_days: int
    """Without use, until traces or states of sessions are deleted."""
    events_days: int = 90
    """Until what was counted is deleted."""
    most_events: int = 1_000_000


def backup_wait_s(taken: Iterable[datetime], now: datetime, every_s: float) -> float:
    """Return the seconds until a backup is due, at most `every_s`; 0: now. Pure.

    It is due unless one was taken within `every_s`, before now or after: where the clock was turned back, the backups
    of its future neither keep a new one from being taken for ever, nor does every start take one.
    """
    ages = [(now - moment).total_seconds() for moment in taken]
    return max((min(every_s - age, every_s) for age in ages if abs(age) < every_s), default=0.0)


class Curator:
    """Looks after the index, backs the ledger up, lets idle sessions go; `run` it in a task group."""

    def __init__(
        self,
        *,
        index: Index,
        indexer: Indexer,
        recall: MemoryActor,
        ledger: Ledger,
        embedding_model: Callable[[], str],
        backups: Callable[[], Awaitable[Mapping[Path, datetime]]],
        back_up: Callable[[], Awaitable[str]],
        clock: Clock,
        publish: Publisher,
        schedule: Schedule,
        expire: Callable[[], Awaitable[int]],
    ) -> None:
        """Prepare; `expire` forgets the memories that are over."""
        self._expire = expire
        self._index = index
        self._indexer = indexer
        self._recall = recall
        self._ledger = ledger
        self._embedding_model = embedding_model
        self._backups = backups
        self._back_up = back_up
        self._clock = clock
        self._publish = publish
        self._schedule = schedule
        self.optimised = 0
        self._rows = 0
        """Of the index, when it was looked after last."""
        self.last_backup = ""

    async def run(self) -> None:
        """Do what is due until cancelled."""
        duties = [
            Worker(self._look_after_index, complain=partial(self._warn, "index"), retry_s=LOOK_S),
            Worker(self._let_idle_sessions_go, complain=partial(self._warn, "sessions"), retry_s=LOOK_S),
            Worker(self._forget_what_is_over, complain=partial(self._warn, "ledger"), retry_s=EXPIRY_S),
            Worker(self._look_after_ledger, complain=partial(self._warn, "ledger"), retry_s=LOOK_S),
        ]
        if self._schedule.backup_s > 0:
            # Of a damaged ledger, too: the backups that there are stay, and the hint names the newest sound one.
            duties.append(Worker(self._back_up_when_due, complain=partial(self._warn, "ledger"), retry_s=LOOK_S))
        async with anyio.create_task_group() as tasks:
            for duty in duties:
                tasks.start_soon(duty.run)

    async def _look_after_index(self) -> float:
        due = min(self._rows // ROWS_A_CHANGE, MOST_CHANGES)
        with anyio.move_on_after(self._schedule.optimise_s):
            await self._indexer.wait_unoptimised(max(self._schedule.optimise_rows, due))
        if self._indexer.unoptimised >= due:
            await self.optimise()
        return 0.0

    async def optimise(self) -> None:
        """Look after the index, where it has changed."""
        if not self._indexer.unoptimised:
            return
        self._indexer.unoptimised = 0
        try:
            numbers = await self._index.optimise()
        except Refused as refused:
            self._warn("index", refused)
        else:
            self.optimised += 1
            self._rows = int(numbers["rows"])
            log.info("index optimised: %s", numbers)

    async def _let_idle_sessions_go(self) -> float:
        self._recall.evict_idle()
        return EVICTION_S

    async def _forget_what_is_over(self) -> float:
        if forgotten := await self._expire():
            log.info("%d memories were to last until now, and are forgotten", forgotten)
        return EXPIRY_S

    async def _look_after_ledger(self) -> float:
        # Of what was written while the model was changed, too.
        await self._ledger.changes.set_embedding_model(self._embedding_model())
        now = self._clock.now()
        deleted = await self._ledger.pruning.prune(
            traces_before=now - timedelta(days=self._schedule.traces_days),
            sessions_before=now - timedelta(days=self._schedule.sessions_days),
            aliases_before=now - timedelta(days=ALIAS_DAYS),
            events_before=now - timedelta(days=self._schedule.events_days),
            most_events=self._schedule.most_events,
        )
        log.info("ledger pruned: %s", deleted)
        return PRUNE_S

    async def _back_up_when_due(self) -> float:
        taken = await self._backups()
        self.last_backup = str(max(taken, key=lambda path: taken[path], default=""))
        wait_s = backup_wait_s(taken.values(), self._clock.now(), self._schedule.backup_s)
        # A copy of nothing would put off the first one of something by a day.
        if not wait_s and await self._ledger.memories.last_sequence():
            self.last_backup = await self._back_up()
        return min(wait_s, LOOK_S) or LOOK_S

    def _warn(self, component: str, refused: DaemonError) -> None:
        log.warning("%s: %s", component, refused)
        self._publish(Warned(component=component, message=str(refused), hint=refused.hint))
