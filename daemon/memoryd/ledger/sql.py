"""The `Ledger` port over SQL: one writer, readers beside it, nothing of it on the event loop."""

import secrets
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from sqlalchemy import Connection, Engine

from memoryd import restoring
from memoryd.ledger import (
    backups,
    checkpointing,
    consenting,
    core_writing,
    edges,
    opening,
    operations,
    progressing,
    pruning,
    purging,
    reads,
    recording,
    records,
    sharing,
    switches,
    unfinished,
    writes,
)
from memoryd.ledger.failures import translated
from memoryd.ledger.retention import Retention
from memoryd.ledger.writer import Writer
from memoryd_actors.core.errors import Refused, Unavailable
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.keeping.core_memory import Change as CoreChange
from memoryd_actors.memory.budget import Spending
from memoryd_actors.memory.changes import News
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.steps import Applied, Step
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Change, SavedSession
from memoryd_actors.upkeep.sharing import Notice
from memoryd_client.wire.checkpoints import Checkpoint, CheckpointInfo
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.core_memory import CoreEdit, CoreWrite, Section
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.event_counts import EventCount
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.switching import SwitchedOff
from memoryd_client.wire.traces import Trace

T = TypeVar("T")
_WRITER = "keeper"
_MOST_HAPPENED = 1_000
"""Events that wait for the next write; beyond that the oldest are not counted."""
_READERS = 4
"""Readers at once; WAL lets them read beside the writer."""


class SqlLedger:
    """Keeps memories in SQLite (a path) or in PostgreSQL (an SQLAlchemy URL); see `memoryd_actors.ports.ledger.Ledger`.

    `backups` is the folder of dated copies: where they go, and where a hint finds the one to restore. `home` is the
    name of this daemon's home, where several share the ledger.
    """

    def __init__(self, path_or_url: Path | str, *, backups: Path | None = None, clock: Clock, home: str = "") -> None:
        self._url, self._file = opening.parse(path_or_url)
        self._where = str(self._file) if self._file else self._url.render_as_string(hide_password=True)
        self._backups = backups
        self._clock = clock
        shared = self._url.get_backend_name() == "postgresql"
        self._options = {progressing.HOME: home, sharing.NODE: secrets.token_hex(8)} if shared else {}
        self.sharing = sharing.sharing(self._url, self._options.get(sharing.NODE, ""))
        """How this daemon stands with the others on the ledger."""
        self._own = self._foreign = 0
        """The newest change when this daemon wrote last, and the newest one that another made; for the writer alone."""
        self._engine: Engine | None = None
        self._writer: Writer | None = None
        self._counts: tuple[int, dict[str, int]] | None = None
        self._relations: tuple[tuple[int, int], int] | None = None
        self._tally = recording.Tally()
        self._happened: deque[tuple[Happened, datetime]] = deque(maxlen=_MOST_HAPPENED)
        self._readers = WorkerThreads(_READERS, name="ledger-reader")
        # Copying a large file must not take a reader's place.
        self._copying = CapacityLimiter(1)

    async def open(self) -> None:
        """Open, check and migrate; see the port."""
        if self._writer is not None:
            return
        self._engine, self._writer = await to_thread.run_sync(self._open, limiter=self._copying)

    async def insert(
        self, memories: Sequence[Memory], *, actor: str, notes: Sequence[Mapping[str, str]] = (), confirm: bool = True
    ) -> tuple[list[Memory], int]:
        """Store memories; see the port.

        Raises:
            DiskFull: nothing was stored.
            Refused: an id belongs to another owner's memory.

        """
        now = self._clock.now()

        def work(connection: Connection) -> tuple[list[Memory], int]:
            operation = records.next_operation(connection)
            standing, _ = writes.store(
                connection, memories, actor, now, notes=notes, operation=operation, confirm=confirm
            )
            recording.write_operation(connection, operation, _WRITER)
            return standing, self._told(connection, reads.last_sequence(connection))

        return await self._write(work)

    async def apply(self, owner: str, steps: Sequence[Step], *, actor: str, node: str = _WRITER) -> Applied:
        """Perform the steps of one operation; see the port and `memoryd_actors.memory.steps`."""
        now = self._clock.now()

        def work(connection: Connection) -> Applied:
            applied = operations.perform(connection, owner, steps, actor, now, foreign=self._newest_foreign(connection))
            if applied.operation:
                recording.write_operation(connection, applied.operation, node)
                self._told(connection, applied.sequence)
            return applied

        return await self._write(work)

    def record(self, happened: Sequence[Happened]) -> None:
        """Count what happened, with the next write."""
        now = self._clock.now()
        self._happened.extend((one, now) for one in happened)

    async def event_counts(self, owner: str, *, days: int) -> list[EventCount]:
        """Return how often what was done for an owner in the last days; see the port."""
        if self._happened:
            await self._write(lambda _: None)
        since = self._clock.now() - timedelta(days=days)
        return await self._read(lambda connection: recording.by_day(connection, owner, since))

    async def events_lately(self) -> tuple[Mapping[recording.Done, int], Mapping[recording.Done, int]]:
        """Return how often what was done in the last day and in the last week; what waits for a write is not in it."""
        now, known = self._clock.now(), self._tally
        self._tally = tally = await self._read(lambda connection: recording.tally(connection, known, now))
        return tally.since(now - recording.DAY), tally.since(now - recording.WEEK)

    async def edges(self, owner: str, ids: Sequence[str]) -> list[Edge]:
        """Return the edges that begin or end at these memories, strongest first."""
        return await self._read(lambda connection: edges.of(connection, owner, ids)) if ids else []

    async def behind(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return owner and id of the memory that each of these ids stands for, of those that are known."""
        return await self._read(lambda connection: reads.behind(connection, ids)) if ids else {}

    async def uncompared(self, *, limit: int) -> list[Memory]:
        """Return active memories whose neighbours nobody has looked at yet, oldest first."""
        return await self._read(lambda connection: reads.uncompared(connection, limit))

    async def tallies(self) -> dict[str, int]:
        """Return how many edges there are, and how many pairs in doubt."""
        known = self._relations
        counted, waiting = await self._read(lambda connection: reads.tallies(connection, known))
        self._relations = counted
        return {"relations": counted[1], "doubts": waiting}

    async def resolve(self, owner: str, memory_id: str, *, allowed: frozenset[str] | None = None) -> Memory:
        """Return the one memory whose id begins so; see the port."""
        return await self._read(lambda connection: reads.resolve(connection, owner, memory_id, allowed))

    async def get(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the owner's among these memories, whatever their state."""
        return await self._read(lambda connection: reads.get(connection, owner, ids)) if ids else {}

    async def files(self, visible: Visibility, *, prefix: str, limit: int) -> list[Memory]:
        """Return visible memories with a path that begins so, in the order of their paths."""
        return await self._read(lambda connection: reads.files(connection, visible, prefix, limit))

    async def page(self, visible: Visibility, *, limit: int, before: str = "") -> list[Memory]:
        """Return memories newest first; those of several tags carry all of them.

        Raises:
            NotFound: there is no memory `before`.

        """
        # What is always in context a hundred sessions ask for at the same time.
        same = "page", visible, limit, before
        return list(await self._read(lambda connection: reads.page(connection, visible, limit, before), same_as=same))

    async def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        """Count an access. No history, no index change."""
        if ids:
            await self._write(lambda connection: writes.touch(connection, owner, ids, at))

    async def history(
        self,
        owner: str,
        *,
        memory_id: str = "",
        limit: int = 50,
        allowed: frozenset[str] | None = None,
        before: int = 0,
    ) -> list[HistoryEntry]:
        """Return writes, newest first; see the port."""
        return await self._read(
            lambda connection: reads.entries(connection, owner, memory_id, limit, allowed, before=before)
        )

    async def revision(self, owner: str) -> int:
        """Return the number of the newest entry of the owner's history; 0 where there is none."""
        return await self._read(lambda connection: reads.revision(connection, owner))

    async def news(self, visible: Visibility, *, after: int, limit: int) -> list[News]:
        """Return what was written to memories of a place after a revision, newest first."""
        return await self._read(lambda connection: reads.news(connection, visible, after, limit))

    async def changes_after(self, sequence: int, *, limit: int) -> list[Change]:
        """Return the next changes in order, without those of memories that changed again later.

        Fewer than `limit` come back only at the end.
        """
        return await self._read(lambda connection: reads.changes_after(connection, sequence, limit))

    async def last_sequence(self) -> int:
        """Return the number of the newest change; 0 where there is none."""
        return await self._read(reads.last_sequence)

    async def counts(self) -> dict[str, int]:
        """Return how many memories there are in each state."""
        known = self._counts
        self._counts = await self._read(lambda connection: reads.counts(connection, known))
        return dict(self._counts[1])

    async def set_embedding_model(self, model: str) -> int:
        """Say of every memory that this model embeds it, in small transactions; return for how many that is new."""
        others = await self._read(lambda connection: reads.of_other_models(connection, model))
        for start in range(0, len(others), reads.MAX_VARIABLES):
            some = others[start : start + reads.MAX_VARIABLES]
            await self._write(partial(writes.set_embedding_model, numbers=some, model=model))
        return len(others)

    async def prune(
        self,
        *,
        traces_before: datetime,
        sessions_before: datetime,
        aliases_before: datetime,
        events_before: datetime | None = None,
    ) -> dict[str, int]:
        """Delete what nobody will ask for any more, in small transactions; see the port."""
        deleted: dict[str, int] = dict.fromkeys(("traces", "sessions", "aliases", "changes", "events"), 0)
        # Traces first: whether their session is in use, its state says.
        for find in (
            partial(pruning.find_traces, before=traces_before),
            partial(pruning.find_sessions, before=sessions_before),
            partial(pruning.find_aliases, before=aliases_before),
            partial(pruning.find_spent, before=aliases_before),
            pruning.find_changes,
            partial(pruning.find_events, before=events_before),
        ):
            for step in await self._read(find):
                deleted[step.table] += await self._write(step.delete)
        return deleted

    async def unused(self, owner: str, *, since: datetime, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return active memories, not pinned, that nobody used since, with their numbers; see the port."""
        return await self._read(lambda connection: reads.unused(connection, owner, since, after, limit))

    async def consents(self, visible: Visibility, *, limit: int) -> list[Consent]:
        """Return the proposals of a place that still wait, newest first; see the port."""
        now = self._clock.now()
        return await self._read(lambda connection: consenting.waiting(connection, visible, now, limit))

    async def lapsed_consents(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of proposals that waited too long."""
        now = self._clock.now()
        return await self._read(lambda connection: consenting.lapsed(connection, owner, now, limit))

    async def due_for_purge(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of memories whose time has come."""
        now = self._clock.now()
        return await self._read(lambda connection: purging.due(connection, owner, now, limit))

    async def purge(self, owner: str, ids: Sequence[str], *, actor: str) -> list[str]:
        """Destroy what memories say, here and in every dated backup; see the port.

        Raises:
            DiskFull: there is no space to rewrite a file in. The memories are gone from it then, their bytes are not.

        """
        now = self._clock.now()

        def work(connection: Connection) -> list[str]:
            operation = records.next_operation(connection)
            doomed = purging.with_merged(connection, owner, ids)
            places = tuple(purging.sessions_of(connection, doomed))
            gone = purging.purge(connection, owner, doomed, actor, now)
            recording.write_operation(connection, operation, _WRITER)
            if gone:
                unfinished.mark(connection, unfinished.Memories(tuple(gone), places), in_files=self._file is not None)
            return gone

        gone = await self._write(work)
        await self.finish_purges()
        return gone

    async def purge_session(self, owner: str, session: str) -> None:
        """Destroy what was asked in a session and what was shown there, in every dated backup, too; see the port."""

        def work(connection: Connection) -> None:
            purging.erase_session(connection, owner, session)
            unfinished.mark(connection, unfinished.Session(owner, session), in_files=self._file is not None)

        await self._write(work)
        await self.finish_purges()

    async def finish_purges(self) -> int:
        """Rewrite what purges left behind in the ledger's files and backups; return how many had; see the port."""
        left = await self._read(unfinished.left_in_files)
        if left and self._file is not None:
            await self._copy(partial(self._scour, self._file, tuple(left.values())))
            await self._write(partial(unfinished.gone_from_files, newest=max(left)))
        return len(left)

    async def purges_in_index(self) -> int:
        """Return the number of the newest purge that the index still has bytes of; 0 where there is none."""
        return await self._read(unfinished.left_in_index)

    async def gone_from_index(self, newest: int) -> None:
        """Note that the index has no bytes left of what was purged up to that number."""
        await self._write(partial(unfinished.gone_from_index, newest=newest))

    @property
    def leaves(self) -> str:
        """What a purge does not reach; see the port."""
        if self._file is not None:
            return ""
        return (
            "the rows are deleted; PostgreSQL's files have their bytes until `VACUUM FULL`, its log and its backups "
            "until they are rotated"
        )

    async def core_sections(self, owner: str, thread: str, *, limit: int) -> list[Section]:
        """Return the written sections that a thread shares, and its own."""
        return await self._read(lambda connection: core_writing.sections(connection, owner, thread, limit))

    async def core_edit(self, owner: str, section: Section, edit: CoreEdit, change: CoreChange, actor: str) -> Section:
        """Edit a section as it stands; see `memoryd_actors.keeping.core_memory`."""
        now = self._clock.now()
        return await self._write(
            lambda connection: core_writing.perform(connection, owner, section, edit, change, actor=actor, now=now)
        )

    async def core_writes(self, owner: str, thread: str, section: str, *, limit: int) -> list[CoreWrite]:
        """Return writes to core memory, newest first."""
        return await self._read(lambda connection: core_writing.writes(connection, owner, thread, section, limit))

    async def core_purge(self, owner: str, thread: str, name: str, *, purge_id: str, actor: str) -> None:
        """Destroy a section and its history, here and in every dated backup."""
        now = self._clock.now()

        def work(connection: Connection) -> None:
            core_writing.purge(connection, owner, thread, name, purge_id=purge_id, actor=actor, now=now)
            erased = unfinished.CoreSection(owner, thread, name)
            unfinished.mark(connection, erased, in_files=self._file is not None)

        await self._write(work)
        await self.finish_purges()

    async def save_checkpoint(
        self,
        owner: str,
        thread: str,
        data: bytes,
        *,
        save_id: str,
        meta: Mapping[str, str],
        expected: int | None,
        keep: int,
    ) -> CheckpointInfo:
        """Keep a state; see `memoryd_actors.keeping.checkpoints`."""
        now = self._clock.now()
        new = checkpointing.NewCheckpoint(owner, thread, data, save_id, meta, expected)
        return await self._write(lambda connection: checkpointing.save(connection, new, keep, now))

    async def load_checkpoint(self, owner: str, thread: str, version: int | None) -> Checkpoint:
        """Return a state after its checksum was verified."""
        return await self._read(lambda connection: checkpointing.load(connection, owner, thread, version))

    async def checkpoints(self, owner: str, thread: str, *, limit: int) -> list[CheckpointInfo]:
        """Return what is kept, newest first; of all threads where `thread` is empty."""
        return await self._read(lambda connection: checkpointing.kept(connection, owner, thread, limit))

    async def delete_checkpoints(self, owner: str, thread: str, version: int | None, *, purge: bool) -> int:
        """Delete states and return how many; with `purge` from every dated backup, too, and from the files' bytes."""

        def work(connection: Connection) -> int:
            gone = checkpointing.remove(connection, owner, thread, version)
            if purge:
                erased = unfinished.Checkpoints(owner, thread, version)
                unfinished.mark(connection, erased, in_files=self._file is not None)
            return gone

        gone = await self._write(work)
        if purge:
            await self.finish_purges()
        return gone

    async def load_session(self, owner: str, session: str, *, known: int = 0) -> SavedSession | None:
        """Return a session's saved state; None where there is none but that of the version `known`."""
        return await self._read(lambda connection: reads.session_state(connection, owner, session, known))

    async def save_session(
        self, owner: str, session: str, state: bytes, at: datetime, *, version: int | None = None
    ) -> int | None:
        """Save a session's state and return its version; None where it is no longer at `version`."""
        return await self._write(
            lambda connection: writes.save_session(connection, owner, session, state, at, version=version)
        )

    async def add_trace(self, owner: str, trace: Trace) -> None:
        """Keep a decision trace; the oldest of its session beyond 50 are dropped."""
        body = writes.encode_trace(trace)
        await self._write(lambda connection: writes.add_trace(connection, owner, trace.session, body))

    async def traces(self, owner: str, session: str, *, limit: int) -> list[Trace]:
        """Return a session's traces, newest first; of all sessions where `session` is empty."""
        return await self._read(lambda connection: reads.session_traces(connection, owner, session, limit))

    async def spending(self, day: str) -> Spending:
        """Return what was spent that day."""
        return await self._read(lambda connection: reads.spent(connection, day))

    async def spend(self, spending: Spending) -> None:
        """Add to that day's spending."""
        await self._write(lambda connection: writes.spend(connection, spending))

    async def switched_off(self) -> list[tuple[str, SwitchedOff]]:
        """Return owner and place of everything that is off."""
        return await self._read(switches.switched_off)

    async def switch_off(self, owner: str, project: str, *, actor: str, at: datetime) -> None:
        """Note that memory is off in a place; one that is off already stays off since when it was."""
        await self._write(lambda connection: switches.switch_off(connection, owner, project, actor, at))

    async def switch_on(self, owner: str, project: str) -> None:
        """Note that memory is on again in a place."""
        await self._write(lambda connection: switches.switch_on(connection, owner, project))

    async def progress(self, owner: str, session: str, job: str) -> Progress | None:
        """Return how far a job is with a session; see `memoryd_actors.memory.progress`."""
        return await self._read(lambda connection: progressing.get(connection, owner, session, job))

    async def progress_of(self, job: str) -> list[Progress]:
        """Return how far a job is with every session that it has begun with."""
        return await self._read(lambda connection: progressing.of(connection, job))

    async def note_progress(self, progress: Progress) -> None:
        """Put down how far a job is."""
        now = self._clock.now()
        await self._write(lambda connection: progressing.put(connection, progress, now))

    async def forget_progress(self, owner: str, session: str) -> int:
        """Delete what every job of this home knows of a session."""
        return await self._write(lambda connection: progressing.forget(connection, owner, session))

    async def backup(self, path: str) -> None:
        """Write a consistent copy to a file that must not exist yet.

        Raises:
            Refused: the file exists, its folder does not, or the ledger is no file.
            LedgerCorrupt: what was copied is damaged.
            DiskFull: nothing was left behind.

        """
        source = self._copied()
        await self._copy(lambda: backups.copy(source, Path(path).expanduser().absolute(), self._backups))

    @property
    def backs_up(self) -> bool:
        """Whether dated backups can be made: the ledger is a file, and there is a folder for them."""
        return self._file is not None and self._backups is not None

    async def backups(self) -> Mapping[Path, datetime]:
        """Return the dated backups there are and when each was made, newest first."""
        folder = self._backups
        return {} if folder is None else await self._copy(lambda: restoring.dated(folder))

    async def backup_dated(self, retention: Retention) -> Path:
        """Write a copy named by date into the backups folder, delete what need not be kept, and return its path.

        Raises:
            Refused: there is no backups folder, or the ledger is no file.
            LedgerCorrupt: what was copied is damaged; nothing was deleted, and the hint has the way back.
            DiskFull: nothing was left behind.

        """
        if self._backups is None:
            raise Refused("no folder for backups is configured")
        return await self._copy(
            partial(backups.copy_dated, self._copied(), self._backups, self._clock.now(), retention)
        )

    async def verify(self) -> None:
        """Read the whole file and check its structure; nothing to do where the ledger is no file.

        Raises:
            LedgerCorrupt: SQLite found damage.

        """
        if self._file is not None:
            await self._copy(partial(opening.verify, self._file, self._backups))

    async def close(self) -> None:
        """Finish what was begun and release the file. A closed ledger may be opened again."""
        if self._happened and self._writer is not None:
            with anyio.CancelScope(shield=True), suppress(Refused):
                await self._write(lambda _: None)
        writer, engine, self._writer, self._engine = self._writer, self._engine, None, None
        with anyio.CancelScope(shield=True):
            if writer is not None:
                await to_thread.run_sync(writer.close, limiter=self._copying)
            if engine is not None:
                await to_thread.run_sync(engine.dispose, limiter=self._copying)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run what reads, in a thread beside the writer."""
        return await self._read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run what writes, in the writer's transaction, and return once that is durable."""
        return await self._write(work)

    def _open(self) -> tuple[Engine, Writer]:
        with self._translate():
            if self._file is not None:
                opening.check_file(self._file, self._backups)
            engine = opening.create(self._url, readers=_READERS).execution_options(**self._options)
            try:
                opening.migrate(engine, self._where)
            except BaseException:
                engine.dispose()
                raise
        writer = Writer(engine.execution_options(memoryd_writes=True), self._translate)
        # A reader sees one moment, also where it asks twice.
        return engine.execution_options(isolation_level="REPEATABLE READ") if self._options else engine, writer

    def _newest_foreign(self, connection: Connection) -> int:
        """Return the newest change that another daemon made, as far as can be told: rather one of this daemon's own."""
        if self._options and (newest := reads.last_sequence(connection)) != self._own:
            self._foreign = newest
        return self._foreign

    def _told(self, connection: Connection, sequence: int) -> int:
        """Tell the other daemons of a change, and return its number."""
        self._own = sequence
        sharing.tell(connection, Notice.CHANGED, sequence)
        return sequence

    def _translate(self) -> AbstractContextManager[None]:
        return translated(self._where, self._file, self._backups)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        if self._writer is None:
            raise Unavailable("the ledger is not open")
        if not self._happened:
            return await self._writer.write(work)
        happened = list(self._happened)
        self._happened.clear()

        def and_record(connection: Connection) -> T:
            result = work(connection)
            recording.write(connection, happened)
            return result

        try:
            return await self._writer.write(and_record)
        except Refused:
            self._happened.extendleft(reversed(happened))  # with the next one, then
            raise

    async def _read(self, work: Callable[[Connection], T], *, same_as: Hashable = None) -> T:
        if (engine := self._engine) is None:
            raise Unavailable("the ledger is not open")

        def read() -> T:
            with self._translate(), engine.begin() as connection:
                return work(connection)

        return await self._readers.run(read, same_as=same_as)

    async def _copy(self, work: Callable[[], T]) -> T:
        def translated_copy() -> T:
            with self._translate():
                return work()

        return await to_thread.run_sync(translated_copy, limiter=self._copying)

    def _scour(self, file: Path, left: Sequence[unfinished.Erased]) -> None:
        def erase(connection: Connection) -> None:
            for one in left:
                unfinished.erase(connection, one)

        purging.scour(file)
        for backup in restoring.dated(self._backups) if self._backups is not None else ():
            purging.erase_in(backup, erase)

    def _copied(self) -> Path:
        if self._file is None:
            raise Refused("only the SQLite ledger is copied by memoryd", "For PostgreSQL use pg_dump.")
        return self._file
