"""Work in the background: begun when it is asked for or after a while, tried again where it fails.

Here stands the one broad `except`: neither a bug nor what cannot be done for now ends the daemon, or keeps anything
else waiting.
"""

import logging
import math
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TypeVar

import anyio

from memoryd_actors.core.errors import ActorStopped, DaemonError, DiskFull, PurgedMeanwhile, Unavailable

log = logging.getLogger(__name__)

T = TypeVar("T")
LONGEST_REST_S = 1.0


class Worker:
    """Works over and over; `run` it in a task group.

    `work` does what there is and returns after how many seconds it is to look again without being asked. Where it
    fails, `complain` learns why, and it is tried again after `retry_s`; where there was no space, after `full_disk_s`
    if that is sooner. `gather` waits for more, once it was asked.
    """

    def __init__(
        self,
        work: Callable[[], Awaitable[float]],
        *,
        complain: Callable[[DaemonError], None],
        retry_s: float,
        full_disk_s: float = math.inf,
        gather: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._work = work
        self._complain = complain
        self._retry_s = retry_s
        self._full_disk_s = full_disk_s
        self._gather = gather
        self._kicked = anyio.Event()

    def kick(self) -> None:
        """Say that there is something to do; never waits."""
        self._kicked.set()

    @property
    def kicked(self) -> bool:
        """Whether somebody said so since the work began."""
        return self._kicked.is_set()

    async def run(self) -> None:
        """Work until cancelled, or until the daemon goes down: the next one goes on."""
        while True:
            self._kicked = anyio.Event()
            try:
                wait_s = await attempt(self._work)
            except ActorStopped:
                return
            if isinstance(wait_s, Exception):
                self._complain(reason(wait_s))
                wait_s = min(self._retry_s, self._full_disk_s) if isinstance(wait_s, DiskFull) else self._retry_s
            with anyio.move_on_after(wait_s):
                await self._kicked.wait()
            if self._gather is not None:
                await self._gather()


async def attempt(work: Callable[[], Awaitable[T]]) -> T | Exception:
    """Return what `work` returns, or why it failed; a bug is logged.

    Raises:
        ActorStopped: the daemon goes down.
    """
    try:
        return await work()
    except ActorStopped:
        raise
    except Exception as problem:
        if not isinstance(problem, DaemonError):
            log.exception("work in the background met a bug")
        return problem


async def repeat_purged(work: Callable[[], Awaitable[T]]) -> T:
    """Do what `work` does, and anew as often as something was purged while it was done."""
    while True:
        try:
            return await work()
        except PurgedMeanwhile as purged:
            log.info("%s", purged)


def reason(problem: Exception) -> DaemonError:
    """Return a problem as it is told."""
    if isinstance(problem, DaemonError):
        return problem
    return Unavailable(f"a bug: {type(problem).__name__}", "`memoryd logs` has the reason.")


async def rest(began: float) -> None:
    """Rest as long as was worked since `began`, a time of `perf_counter`: somebody may want the machine."""
    await anyio.sleep(min(perf_counter() - began, LONGEST_REST_S))
