"""The one writer: writes that arrive together share a transaction, and one wait for the disk."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection, Engine, RootTransaction, text
from sqlalchemy.exc import DBAPIError

from memoryd.ledger.held_files import HeldFiles
from memoryd.ledger.recent import RecentReads
from memoryd_actors.core.errors import Refused, Unavailable

T = TypeVar("T")
_MAX_BATCH = 256
"""Writes in one transaction: beyond that the first would wait for work that is not its own."""
_LOCK = 0x6D656D6F7279
"""Key of the PostgreSQL advisory lock (`memory` in ASCII) under which change numbers are given out."""


def take_turn(connection: Connection) -> None:
    """Hold others off until this transaction ends: numbers become visible in the order in which they are given out."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


class Write(Generic[T]):
    """Something to do in a transaction; may run again in one of its own, so it keeps nothing outside."""

    __slots__ = ("done", "work")

    def __init__(self, work: Callable[[Connection], T]) -> None:
        self.work = work
        self.done: Future[T] = Future()


class LedgerWriter:
    """Owns the connection that writes, in a thread of its own.

    Each of several in one go has a savepoint: one that is refused takes no other with it. Acknowledged is what the disk
    has.
    """

    def __init__(
        self,
        engine: Engine,
        translate: Callable[[], AbstractContextManager[None]],
        recent: RecentReads,
        turn: AbstractContextManager[object],
        files: HeldFiles | None,
    ) -> None:
        """Begin; `turn` is held during each batch, `files` are there where they are SQLite's."""
        self._turn = turn
        self._files = files
        self._recent = recent
        self._engine = engine
        self._translate = translate
        self._queue: SimpleQueue[Write[Any] | None] = SimpleQueue()
        self._closed = False
        # A daemon thread: an interpreter that goes down without close() must not hang on it.
        self._thread = Thread(target=self._run, name="ledger-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction and return its result once that is durable.

        Raises:
            Unavailable: the writer is closed.
        """
        if self._closed:
            raise Unavailable("the ledger is closed")
        job = Write(work)
        self._queue.put(job)
        # Cancelled while it waits in the queue, it is not begun; cancelled later, it is finished unheard.
        return await asyncio.wrap_future(job.done)

    def close(self) -> None:
        """Finish what was accepted and stop. Blocks."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        with self._connection() as connect:
            while (first := self._queue.get()) is not None:
                batch, last = self._drain(first)
                with self._turn:
                    self._perform(connect, [job for job in batch if job.done.set_running_or_notify_cancel()])
                if last:
                    return

    def _drain(self, first: Write[Any]) -> tuple[list[Write[Any]], bool]:
        batch = [first]
        while len(batch) < _MAX_BATCH:
            try:
                job = self._queue.get_nowait()
            except Empty:
                return batch, False
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    @contextmanager
    def _connection(self) -> Generator[Callable[[], Connection]]:
        """Keep one connection between transactions; replace it after the server has dropped it."""
        held: Connection | None = None

        def connect() -> Connection:
            nonlocal held
            if held is None or held.closed or held.invalidated:
                held = self._engine.connect()
                self._recent.watch(held)
                held.commit()
            return held

        try:
            yield connect
        finally:
            if held is not None:
                held.close()

    def _perform(self, connect: Callable[[], Connection], batch: list[Write[Any]]) -> None:
        if not batch:
            return
        answers: list[tuple[Write[Any], object, Exception | None]] = []
        begun = False
        try:
            with self._translate():
                connection, transaction = self._begin(connect)
                begun = True
                try:
                    with transaction:
                        for job in batch:
                            answers.append(self._attempt(connection, job, alone=len(batch) == 1))  # noqa: PERF401 - a failure keeps what came before
                finally:
                    self._recent.settle()
                if self._files is not None:
                    self._files.written()
        except Exception as error:  # the edge of a thread: every failure goes to whoever asked, and the thread lives on
            if len(batch) == 1 or not begun:  # each of them would wait as long for a file that is locked
                for job in batch:
                    job.done.set_exception(error)
                return
            # A full disk or a bug rolls everything back; alone, each write gets the answer that is its own.
            for job in batch:
                self._perform(connect, [job])
            return
        for job, result, refusal in answers:
            if refusal is not None:
                job.done.set_exception(refusal)
            else:
                job.done.set_result(result)

    def _begin(self, connect: Callable[[], Connection], *, again: bool = True) -> tuple[Connection, RootTransaction]:
        connection = connect()
        if self._files is not None:
            self._files.check(connection)
        transaction = connection.begin()
        try:
            take_turn(connection)
        except DBAPIError as lost:
            transaction.rollback()
            if lost.connection_invalidated and again:
                # The server dropped it while nothing was written, as it does when it is restarted.
                return self._begin(connect, again=False)
            raise
        return connection, transaction

    def _attempt(
        self, connection: Connection, job: Write[Any], *, alone: bool
    ) -> tuple[Write[Any], object, Exception | None]:
        if alone:
            # The transaction is its own. A server is asked twice less.
            return job, cast(object, job.work(connection)), None
        savepoint = connection.begin_nested()
        try:
            result = cast(object, job.work(connection))
        except Refused as refusal:
            savepoint.rollback()
            return job, None, refusal
        savepoint.commit()
        return job, result, None
