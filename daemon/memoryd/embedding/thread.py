"""A thread of the model's own."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

import anyio

T = TypeVar("T")


class ModelThread:
    """Runs one piece of work at a time in one thread.

    One for life rather than a pool's: its memory stays in one allocator arena, and a load that hangs does not keep the
    process from ending. At the same priority as the rest: with a niceness of 5 the event loop was no quicker (median
    0.1 ms, p99 4 to 6 ms late, both ways) and embedding up to 40% slower whenever other processes were busy.
    """

    def __init__(self, *, leave_s: float = 5.0) -> None:
        """Prepare a thread; leaving waits at most `leave_s` seconds for work in progress."""
        self._leave_s = leave_s
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stopped = anyio.Event()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, name="embedding", daemon=True).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        with anyio.move_on_after(self._leave_s, shield=True):
            await self._stopped.wait()

    async def run(self, work: Callable[[], T]) -> Future[T]:
        """Do the work and return its settled future, which holds the result or what it raised.

        Cancelling stops the waiting, not the work.
        """
        future: Future[T] = Future()
        finished = anyio.Event()

        def job() -> None:
            try:
                future.set_result(work())
            except BaseException as exc:  # carried to whoever waits, as executors do
                future.set_exception(exc)
            self._tell(finished)

        self._queue.put(job)
        await finished.wait()
        return future

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            job()
            del job  # or the last model would stay in memory until the next job
        self._tell(self._stopped)

    def _tell(self, event: anyio.Event) -> None:
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            self._loop.call_soon_threadsafe(event.set)
