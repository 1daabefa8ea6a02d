"""A thread of the model's own, in the background of the event loop."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

T = TypeVar("T")


class ModelThread:
    """Runs one piece of work at a time in one thread that gives way to all others.

    One thread for life rather than a pool: its lower priority must not stick to threads that others use, the threads
    that the model starts inherit it, and memory stays in one allocator arena.
    """

    def __init__(self, *, niceness: int = 5, leave_s: float = 5.0) -> None:
        """Prepare a thread that runs at `niceness`; leaving waits at most `leave_s` seconds for work in progress."""
        self._niceness = niceness
        self._leave_s = leave_s
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._portal = BlockingPortal()
        self._stopped = anyio.Event()

    async def __aenter__(self) -> Self:
        await self._portal.__aenter__()
        # A daemon thread: a download that hangs must not keep the process from ending.
        threading.Thread(target=self._work, name="embedding", daemon=True).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        with anyio.move_on_after(self._leave_s, shield=True):
            await self._stopped.wait()
        await self._portal.__aexit__(kind, error, trace)

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
        if hasattr(os, "setpriority"):
            with suppress(OSError):
                # On Linux a thread has a priority of its own, and its id serves as the process id here.
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self._niceness)
        while (job := self._queue.get()) is not None:
            job()
            del job  # or the last model would stay in memory until the next job
        self._tell(self._stopped)

    def _tell(self, event: anyio.Event) -> None:
        with suppress(RuntimeError):  # nobody waits any more: the event loop has moved on
            self._portal.start_task_soon(event.set)
