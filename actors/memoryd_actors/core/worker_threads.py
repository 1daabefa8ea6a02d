"""Worker threads of one's own, for short work that many wait for at the same time.

A call of `anyio.to_thread` takes 0.05 ms of the event loop and several of its rounds, and up to 0.10 where a hundred
wait; here it is 0.02, and 0.008 where a hundred wait. With a hundred sessions at once the loop is what all wait for.
"""

import asyncio
import weakref
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Generic, TypeVar, cast

import anyio

T = TypeVar("T")


class _Outbox:
    """Brings finished work back to the event loop, all that is finished by then in one go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._finished: deque[_Job[object]] = deque()
        self._called = False

    def post(self, job: "_Job[object]") -> None:
        """Hand in finished work; in any thread."""
        self._finished.append(job)
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self.loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._called = False  # first: what comes in from now on calls again
        while self._finished:
            self._finished.popleft().over.set()


class _Job(Generic[T]):
    """A piece of work, and who waits for it."""

    __slots__ = ("_claim", "_outbox", "_work", "error", "over", "result", "waiting")

    def __init__(self, work: Callable[[], T], outbox: _Outbox) -> None:
        self._work = work
        self._outbox = outbox
        self._claim = Lock()
        self.over = anyio.Event()
        self.waiting = 0
        self.result: T | None = None
        self.error: BaseException | None = None

    @property
    def begun(self) -> bool:
        """Whether somebody has claimed it."""
        return self._claim.locked()

    def claim(self) -> bool:
        """Return whether it is the caller's: a thread's that begins it, or whoever gives it up before."""
        return self._claim.acquire(blocking=False)

    def do(self) -> None:
        if self.claim():
            try:
                self.result = self._work()
            except BaseException as exc:  # carried to whoever waits, as executors do
                self.error = exc
            self._outbox.post(cast("_Job[object]", self))


_Jobs = SimpleQueue[_Job[object] | None]


class WorkerThreads:
    """Runs work in the order in which it comes; the threads end when this is let go of."""

    def __init__(self, threads: int = 1, *, name: str) -> None:
        """Prepare; with one thread no two pieces of work run at the same time. Threads start when they are needed."""
        self._most = threads
        self._name = name
        self._started = 0
        self._under_way = 0
        self._jobs: _Jobs = SimpleQueue()
        self._same: dict[Hashable, _Job[object]] = {}
        """Work that somebody waits for and that may not have begun, by what it is known as."""
        self._outbox: _Outbox | None = None
        weakref.finalize(self, _end, self._jobs, threads)

    async def run(self, work: Callable[[], T], *, same_as: Hashable = None) -> T:
        """Return what `work` returns; raise what it raises.

        Calls with an equal `same_as` that wait at the same time are one piece of work, which begins after all of them.
        What was cancelled before it began is left out; what has begun is waited for, as by `anyio.to_thread`.
        """
        job = self._handed_in(work, same_as)
        job.waiting += 1
        self._under_way += 1
        try:
            await job.over.wait()
        except BaseException:
            if job.waiting == 1 and not job.claim():
                with anyio.CancelScope(shield=True):
                    await job.over.wait()
            raise
        finally:
            self._under_way -= 1
            job.waiting -= 1
            if not job.waiting and same_as is not None and self._same.get(same_as) is job:
                del self._same[same_as]
        if job.error is not None:
            raise job.error
        return cast("T", job.result)

    def _handed_in(self, work: Callable[[], T], same_as: Hashable) -> _Job[object]:
        known = None if same_as is None else self._same.get(same_as)
        if known is not None and not known.begun:
            return known
        loop = asyncio.get_running_loop()
        if self._outbox is None or self._outbox.loop is not loop:
            self._outbox = _Outbox(loop)
        job = cast("_Job[object]", _Job(work, self._outbox))
        if same_as is not None:
            self._same[same_as] = job
        self._jobs.put(job)
        if self._started < min(self._most, self._under_way + 1):
            self._started += 1
            Thread(target=_serve, args=(self._jobs,), name=f"{self._name} {self._started}", daemon=True).start()
        return job


def _serve(jobs: _Jobs) -> None:
    while (job := jobs.get()) is not None:
        job.do()
        del job  # or what it holds would stay in memory until the next one


def _end(jobs: _Jobs, threads: int) -> None:
    for _ in range(threads):
        jobs.put(None)
