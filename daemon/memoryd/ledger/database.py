"""One database: one writer, readers beside it, nothing of it on the event loop."""

import secrets
import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from sqlalchemy import Connection, Engine

from memoryd.ledger import opening, recording, sharing
from memoryd.ledger.failures import translated
from memoryd.ledger.held_files import HeldFiles
from memoryd.ledger.recent import RecentReads
from memoryd.ledger.writer import LedgerWriter
from memoryd_actors.core.errors import DiskFull, LedgerCorrupt, Refused, Unavailable
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.memory.events import Happened
from memoryd_actors.ports.clock import Clock

P = ParamSpec("P")
T = TypeVar("T")
_MOST_HAPPENED = 1_000
"""Events that wait for the next write; beyond that the oldest are not counted."""
_READERS = 4
"""Readers at once; WAL lets them read beside the writer."""


class Database:
    """SQLite (a path) or PostgreSQL (an SQLAlchemy URL).

    `backups` is the folder of dated copies: where they go, and where a hint finds the one to restore. `home` is the
    name of this daemon's home, where several share the database.
    """

    def __init__(self, path_or_url: Path | str, *, backups: Path | None, clock: Clock, home: str) -> None:
        self._url, self.file = opening.parse(path_or_url)
        self._where = str(self.file) if self.file else self._url.render_as_string(hide_password=True)
        self.backups = backups
        self.clock = clock
        shared = self._url.get_backend_name() == "postgresql"
        self._options = {recording.HOME: home, sharing.NODE: secrets.token_hex(8)} if shared else {}
        self.keeps_transcripts = shared
        """Whether what was said is in here, too: where each daemon has it."""
        self.sharing = sharing.sharing(self._url, self._options.get(sharing.NODE, ""))
        """How this daemon stands with the others on the ledger."""
        self._engine: Engine | None = None
        self._writer: LedgerWriter | None = None
        self._files: HeldFiles | None = None
        self.recent = RecentReads()
        self._happened: deque[tuple[Happened, datetime]] = deque(maxlen=_MOST_HAPPENED)
        self.refusing: Refused | None = None
        """Why nothing could be written the last time: it is locked, its disk is full, ..."""
        self.damaged: LedgerCorrupt | None = None
        """What was found wrong with the file; a restart looks it through."""
        self._readers = WorkerThreads(_READERS, name="ledger-reader")
        # Copying a large file must not take a reader's place.
        self._copying = CapacityLimiter(1)
        self._rewriting = threading.Lock()
        """Held while the file is written to, or rewritten: who waits for it is not told that the file is locked."""

    async def open(self) -> None:
        """Open, check and migrate.

        Raises:
            LedgerCorrupt: the file fails its check; it is left as it is and the hint says how to restore.
            Unavailable: it was written by a newer memoryd.
        """
        if self._writer is None:
            self._engine, self._writer = await to_thread.run_sync(self._open, limiter=self._copying)

    def check_in_place(self) -> None:
        """Do nothing where the file, if there is one, is still what has its name.

        Raises:
            Unavailable: it was removed, moved or taken away; nothing can be written.
        """
        if self._files is not None:
            self._files.check_database()

    def check_sound(self) -> None:
        """Do nothing where no damage has been come upon.

        Raises:
            LedgerCorrupt: the file is damaged. What was written now would be lost with it.
        """
        if self.damaged is not None:
            raise LedgerCorrupt(str(self.damaged), self.damaged.hint)

    async def close(self) -> None:
        """Finish what was begun and release the file. A closed database may be opened again."""
        if self._writer is not None:
            with anyio.CancelScope(shield=True), suppress(Refused):
                await self.flush()
        writer, engine, self._writer, self._engine = self._writer, self._engine, None, None
        with anyio.CancelScope(shield=True):
            if writer is not None:
                await to_thread.run_sync(writer.close, limiter=self._copying)
            if engine is not None:
                await to_thread.run_sync(engine.dispose, limiter=self._copying)

    async def read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what reads, in a thread beside the writer, in a transaction that sees one moment."""
        return await self._readers.run(lambda: self._reading(lambda connection: work(connection, *args, **kwargs)))

    async def read_once(self, same_as: Hashable, work: Callable[[Connection], T]) -> T:
        """Read; those that ask for the same at the same time are answered by one reading."""
        return await self._readers.run(lambda: self._reading(work), same_as=same_as)

    async def write(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what writes, in the writer's transaction, and return once that is durable.

        What happened meanwhile is written with it.
        """
        if self._writer is None:
            raise Unavailable("the ledger is not open")
        self.check_sound()
        happened = list(self._happened)
        self._happened.clear()

        def write_all(connection: Connection) -> T:
            result = work(connection, *args, **kwargs)
            if happened:
                recording.write(connection, happened)
            return result

        try:
            result = await self._writer.write(write_all)
        except Refused as refused:
            self._happened.extendleft(reversed(happened))  # with the next one, then
            if isinstance(refused, Unavailable | DiskFull):
                self.refusing = refused
            raise
        self.refusing = None
        return result

    def record(self, happened: Sequence[Happened]) -> None:
        """Count what happened, with the next write."""
        now = self.clock.now()
        self._happened.extend((event, now) for event in happened)

    async def flush(self) -> None:
        """Write what happened, where nothing else was written since."""
        if self._happened:
            await self.write(lambda _: None)

    async def copy(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what reads or rewrites whole files, one at a time, in a thread of its own."""

        def translated_copy() -> T:
            with self._translate():
                return work(*args, **kwargs)

        return await to_thread.run_sync(translated_copy, limiter=self._copying)

    async def rewrite(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what rewrites the file itself: a copy is not taken meanwhile, and the writer waits."""

        def alone() -> T:
            with self._rewriting:
                return work(*args, **kwargs)

        return await self.copy(alone)

    def _open(self) -> tuple[Engine, LedgerWriter]:
        self.damaged = None
        with self._translate():
            if self.file is not None:
                opening.check_file(self.file, self.backups)
            engine = opening.create(self._url, readers=_READERS).execution_options(**self._options)
            try:
                opening.migrate(engine, self._where)
            except BaseException:
                engine.dispose()
                raise
        self._files = None if self.file is None else HeldFiles(self.file)
        writer = LedgerWriter(
            engine.execution_options(memoryd_writes=True), self._used, self.recent, self._rewriting, self._files
        )
        # A reader sees one moment, also where it asks twice.
        return engine.execution_options(isolation_level="REPEATABLE READ") if self._options else engine, writer

    def _reading(self, work: Callable[[Connection], T]) -> T:
        if (engine := self._engine) is None:
            raise Unavailable("the ledger is not open")
        with self._used(), engine.begin() as connection:
            return work(connection)

    @contextmanager
    def _used(self) -> Generator[None]:
        """Translate, and note damage of the file."""
        try:
            with self._translate():
                yield
        except LedgerCorrupt as damaged:
            self.damaged = damaged
            raise

    def _translate(self) -> AbstractContextManager[None]:
        return translated(self._where, self.file, self.backups)
