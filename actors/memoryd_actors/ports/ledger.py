"""Where memories, their history and what belongs to them rest: one port for each need.

Every method that writes is one durable transaction; returning means it is on disk.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

import msgspec

from memoryd_actors.memory.changes import News
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.progress import Progress
from memoryd_actors.memory.steps import Applied, Step
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.event_counts import DoneEvent, EventCount, ListDone
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.traces import Trace


class LedgerChange(msgspec.Struct, frozen=True):
    """One entry of the ledger's change log: the memory as it is now, or None once purged."""

    sequence: int
    memory_id: str
    memory: Memory | None


class SavedSession(NamedTuple):
    """A session's state as it was saved, and which save that was."""

    state: bytes
    version: int


class MemoryRepository(Protocol):
    """What is known of memories, whoever reads it. `touch` is all that a reader writes."""

    async def get(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of the memories that the owner has, whatever their state."""
        ...

    async def get_joined(
        self, owner: str, ids: Sequence[str], *, joined: Sequence[str]
    ) -> tuple[dict[str, Memory], list[Edge]]:
        """Return what `get` and, of those `joined` among them, `edges` return, in one reading."""
        ...

    async def read_ahead(self, ids: Sequence[str]) -> None:
        """Read memories, and edges, that somebody will ask for in a moment, where what was read is kept."""
        ...

    async def resolve(self, owner: str, memory_id: str, *, allowed: frozenset[str] | None = None) -> Memory:
        """Return the one memory of that owner whose id is, or begins with, `memory_id` (`mem_` may be left out).

        Where `allowed` names categories, memories of others do not exist.

        Raises:
            NotFound: there is none.
            Ambiguous: there are several.
        """
        ...

    async def behind(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return owner and id of the memory that each of these ids stands for, of those that are known.

        That is itself, or the memory that it was merged into.
        """
        ...

    async def foremost(self, visible: Visibility, *, limit: int) -> tuple[list[Memory], int]:
        """Return the memories that come first where there is room for few, and how many there are at all.

        First the project's own, then what is pinned, then by `worth`, then the newest.
        """
        ...

    async def page(self, visible: Visibility, *, limit: int, before: str = "") -> list[Memory]:
        """Return memories newest first, those older than the memory `before` where given."""
        ...

    async def by_category(self, visible: Visibility) -> dict[str, int]:
        """Return how many visible memories there are of each category that has some."""
        ...

    async def edges(self, owner: str, ids: Sequence[str]) -> list[Edge]:
        """Return the edges that begin or end at these memories, strongest first."""
        ...

    async def history(
        self,
        owner: str,
        *,
        memory_id: str = "",
        limit: int = 50,
        allowed: frozenset[str] | None = None,
        before: int = 0,
    ) -> list[HistoryEntry]:
        """Return writes, newest first: those before the entry `before`, where that is not 0.

        Where `allowed` names categories, only those to memories that are of one now.
        """
        ...

    async def revision(self, owner: str) -> int:
        """Return the number of the newest entry of the owner's history; 0 where there is none."""
        ...

    async def news(self, visible: Visibility, *, after: int, limit: int) -> list[News]:
        """Return what was written after a revision to memories of a place, in any state, newest first."""
        ...

    async def unused(self, owner: str, *, since: datetime, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return an owner's active memories, not pinned, that nobody stored, changed or was handed since a time.

        In the order of their numbers, which come with them, from the one after `after` on.
        """
        ...

    async def expired(self, at: datetime, *, limit: int) -> list[Memory]:
        """Return active memories of any owner that are over by then, and that nobody wrote to since they were."""
        ...

    async def uncompared(self, *, limit: int) -> list[Memory]:
        """Return active memories of any owner whose neighbours nobody has looked at yet, oldest first."""
        ...

    async def last_sequence(self) -> int:
        """Return the number of the newest change; 0 where there is none."""
        ...

    async def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        """Count an access. No history, no index change."""
        ...


class MemoryWrites(Protocol):
    """The one door through which memories are written."""

    async def apply(
        self,
        owner: str,
        steps: Sequence[Step],
        *,
        actor: str,
        node: str = "keeper",
        session: str = "",
        similarity: float | None = None,
        began_s: float | None = None,
    ) -> Applied:
        """Perform the steps of one operation, all or none, each with its history, and count them as done by `node`.

        `session` is where it is done, `similarity` that of the nearest neighbour of what it is done for. `began_s` is
        when work on it began, by the monotonic clock; None: now.

        Raises:
            NotFound: a step names a memory that the owner does not have.
            Refused: a step cannot be; its docstring says when.
            DiskFull: nothing was written.
        """
        ...


class ChangeLog(Protocol):
    """The change log, and what says which model embeds a memory: for what is derived from the ledger."""

    async def changes_after(self, sequence: int, *, limit: int) -> list[LedgerChange]:
        """Return the next changes in order, only the latest one of each memory within the page."""
        ...

    async def linked_after(self, line: int, *, limit: int) -> tuple[list[str], int]:
        """Return whose edges somebody made, removed or undid after a line of the history, and up to which line.

        Those that memory finds by itself do not count.
        """
        ...

    async def last_sequence(self) -> int:
        """Return the number of the newest change; 0 where there is none."""
        ...

    async def set_embedding_model(self, model: str) -> int:
        """Say of every memory that this model embeds it; return for how many that is new. No history, no change."""
        ...


class ConsentRepository(Protocol):
    """Proposals that wait for the user's yes."""

    async def waiting(self, visible: Visibility, *, limit: int) -> list[Consent]:
        """Return the proposals of a place that still wait, newest first; of `visible` the states do not count."""
        ...

    async def lapsed(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of an owner's proposals that waited too long, those first that have waited longest."""
        ...


class PurgeRepository(Protocol):
    """What is destroyed, and what interrupted purges have left to do."""

    async def due(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of an owner's memories whose time has come, those first that have waited longest."""
        ...

    async def purge(
        self,
        owner: str,
        ids: Sequence[str],
        *,
        actor: str,
        session: str = "",
        told: Mapping[str, Sequence[int]] | None = None,
        looked_at: int | None = None,
    ) -> list[str]:
        """Destroy what memories say, and what was merged into them, in every table; return their ids.

        Irreversible. Who purged which id and when stays in the history. A request that is sent again does not bring
        it back. `told`: entries by session that go, too; `looked_at`: the change up to which it was looked what tells
        it, so that what was written since and tells it goes, too. What is left elsewhere is noted in the same
        transaction, and is for `finish`, for the index and for the transcripts to destroy.
        """
        ...

    async def purge_session(self, owner: str, session: str, *, project: str, last: int) -> None:
        """Destroy the traces and the state of a session; note that its transcript is to go, up to that entry."""
        ...

    async def gone_from_transcript(self, done: Progress) -> None:
        """Note that what a purge had left in a transcript is destroyed; what was added to it since stays noted."""
        ...

    async def left(self) -> int:
        """Return how many purges have left something anywhere."""
        ...

    @property
    def leaves(self) -> str:
        """What a purge does not reach, in words; empty where it reaches every byte."""
        ...

    async def finish(self) -> int:
        """Rewrite the files and backups that purges have left bytes in; return how many purges that were.

        Raises:
            DiskFull: there is no space to rewrite a file in.
            Unavailable: somebody reads an older state of a file.
        """
        ...

    async def left_in_index(self) -> int:
        """Return the number of the newest purge that the index was not yet rewritten for; 0 where there is none."""
        ...

    async def gone_from_index(self, newest: int) -> None:
        """Note that the index was rewritten for all purges up to that number."""
        ...


class SessionRepository(Protocol):
    """What sessions were shown: their states and their decision traces."""

    async def load(self, owner: str, session: str, *, known: int = 0) -> SavedSession | None:
        """Return a session's saved state; None where there is none but that of the version `known`."""
        ...

    async def save(
        self,
        owner: str,
        session: str,
        state: bytes,
        at: datetime,
        *,
        version: int | None = None,
        used: Sequence[str] = (),
        traces: Sequence[Trace] = (),
    ) -> int | None:
        """Save a session's state, count an access to each of the memories `used`, and return its version.

        The `traces` of decisions are kept with it; the oldest of a session beyond 50 are dropped.

        None, and nothing saved, where it is no longer at `version`: another daemon saved it meanwhile.
        """
        ...

    async def traces(self, owner: str, session: str, *, limit: int) -> list[Trace]:
        """Return a session's traces, newest first; of all sessions where `session` is empty."""
        ...


class EventRepository(Protocol):
    """What was done, and how often."""

    def record(self, happened: Sequence[Happened]) -> None:
        """Count what happened. Never waits and never fails: it is written with the next write, whoever's that is."""
        ...

    async def counts(self, owner: str, *, days: int) -> list[EventCount]:
        """Return how often what was done for an owner in the last days, by day (UTC), the newest first."""
        ...

    async def done(self, owner: str, asked: ListDone, *, allowed: frozenset[str] | None) -> list[DoneEvent]:
        """Return what was done for an owner, the newest first; None allows every category."""
        ...


class Pruning(Protocol):
    """Who deletes what nobody will ask for any more."""

    async def prune(
        self,
        *,
        traces_before: datetime,
        sessions_before: datetime,
        aliases_before: datetime,
        events_before: datetime | None = None,
        most_events: int | None = None,
    ) -> dict[str, int]:
        """Delete what nobody will ask for any more, in small transactions; return how many rows of each.

        That is: traces and states of sessions last used before; the ids of requests sent before whose content was
        there already; changes of memories that changed again; and events. No memory and no history.
        """
        ...


class Ledger(Protocol):
    """The ports of one ledger, for those that need several."""

    @property
    def memories(self) -> MemoryRepository:
        """What is known of memories."""
        ...

    @property
    def writes(self) -> MemoryWrites:
        """The door through which they are written."""
        ...

    @property
    def changes(self) -> ChangeLog:
        """The change log."""
        ...

    @property
    def consents(self) -> ConsentRepository:
        """What waits for a yes."""
        ...

    @property
    def purges(self) -> PurgeRepository:
        """What is destroyed."""
        ...

    @property
    def sessions(self) -> SessionRepository:
        """What sessions were shown."""
        ...

    @property
    def events(self) -> EventRepository:
        """What was done."""
        ...

    @property
    def pruning(self) -> Pruning:
        """What nobody will ask for any more."""
        ...
