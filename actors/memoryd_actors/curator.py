"""The Curator: upkeep on a schedule, so that nothing grows without bound and nobody has to think of it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from memoryd_actors.errors import Refused
from memoryd_actors.indexer import Indexer
from memoryd_actors.ports import Index, Publisher
from memoryd_actors.recall import Recall
from memoryd_client.messages import Warned

log = logging.getLogger(__name__)

EVICTION_S = 300.0
"""How often idle sessions are looked for."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When what is done. Seconds; 0 for never."""

    optimise_s: float
    optimise_rows: int
    """Applied changes after which the index does not wait for its time."""
    backup_s: float


class Curator:
    """Looks after the index, backs the ledger up, lets idle sessions go; `run` it in a task group."""

    def __init__(
        self,
        *,
        index: Index,
        indexer: Indexer,
        recall: Recall,
        back_up: Callable[[], Awaitable[str]],
        publish: Publisher,
        schedule: Schedule,
    ) -> None:
        self._index = index
        self._indexer = indexer
        self._recall = recall
        self._back_up = back_up
        self._publish = publish
        self._schedule = schedule
        self.optimised = 0
        self.last_backup = ""

    async def run(self) -> None:
        """Do what is due until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look_after_index)
            tasks.start_soon(self._let_idle_sessions_go)
            if self._schedule.backup_s > 0:
                tasks.start_soon(self._back_up_daily)

    async def _look_after_index(self) -> None:
        while True:
            with anyio.move_on_after(self._schedule.optimise_s):
                await self._indexer.wait_unoptimised(self._schedule.optimise_rows)
            if not self._indexer.unoptimised:
                continue
            self._indexer.unoptimised = 0
            try:
                numbers = await self._index.optimise()
            except Refused as refused:
                self._warn("index", refused)
            else:
                self.optimised += 1
                log.info("index optimised: %s", numbers)

    async def _let_idle_sessions_go(self) -> None:
        while True:
            await anyio.sleep(EVICTION_S)
            self._recall.evict_idle()

    async def _back_up_daily(self) -> None:
        while True:
            try:
                self.last_backup = await self._back_up()
            except Refused as refused:
                self._warn("ledger", refused)
            await anyio.sleep(self._schedule.backup_s)

    def _warn(self, component: str, refused: Refused) -> None:
        log.warning("%s: %s", component, refused)
        self._publish(Warned(component=component, message=str(refused), hint=refused.hint))
