"""Where memories, their history and what belongs to them rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from memoryd_actors.memory.budget import Spending
from memoryd_actors.memory.changes import News
from memoryd_actors.memory.events import Happened
from memoryd_actors.memory.steps import Applied, Step
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.event_counts import EventCount
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.traces import Trace


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the ledger's change log: the memory as it is now, or None once purged."""

    sequence: int
    memory_id: str
    memory: Memory | None


class SavedSession(NamedTuple):
    """A session's state as it was saved, and which save that was."""

    state: bytes
    version: int


class Ledger(Protocol):
    """Where the truth rests. Every method that writes is one durable transaction; returning means it is on disk."""

    async def open(self) -> None:
        """Open, check and migrate.

        Raises:
            LedgerCorrupt: the file fails its check; it is left as it is and the hint says how to restore.
            Unavailable: it was written by a newer memoryd.

        """
        ...

    async def insert(
        self, memories: Sequence[Memory], *, actor: str, notes: Sequence[Mapping[str, str]] = (), confirm: bool = True
    ) -> tuple[list[Memory], int]:
        """Store memories in bulk and return them as they now stand, in order, with the last sequence number.

        An id that is there already is returned as it stands. Content that its owner already has active in the same
        scope and project (same content hash) becomes that memory, its strength raised by one unless `confirm` is
        false. History, with the `notes`
        of each, in the same transaction. Their neighbours count as not looked at yet.

        Raises:
            DiskFull: nothing was stored.

        """
        ...

    async def apply(self, owner: str, steps: Sequence[Step], *, actor: str, node: str = "keeper") -> Applied:
        """Perform the steps of one operation, all or none, each with its history, and count them as done by `node`.

        Raises:
            NotFound: a step names a memory that the owner does not have.
            Refused: a step cannot be; its docstring says when.
            DiskFull: nothing was written.

        """
        ...

    def record(self, happened: Sequence[Happened]) -> None:
        """Count what happened. Never waits and never fails: it is written with the next write, whoever's that is."""
        ...

    async def event_counts(self, owner: str, *, days: int) -> list[EventCount]:
        """Return how often what was done for an owner in the last days, by day (UTC), the newest first."""
        ...

    async def edges(self, owner: str, ids: Sequence[str]) -> list[Edge]:
        """Return the edges that begin or end at these memories, strongest first."""
        ...

    async def uncompared(self, *, limit: int) -> list[Memory]:
        """Return active memories of any owner whose neighbours nobody has looked at yet, oldest first."""
        ...

    async def tallies(self) -> dict[str, int]:
        """Return how many edges there are, and how many pairs in doubt: `relations`, `doubts`."""
        ...

    async def resolve(self, owner: str, memory_id: str, *, allowed: frozenset[str] | None = None) -> Memory:
        """Return the one memory of that owner whose id is, or begins with, `memory_id` (`mem_` may be left out).

        Where `allowed` names categories, memories of others do not exist.

        Raises:
            NotFound: there is none.
            Ambiguous: there are several.

        """
        ...

    async def get(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        """Return those of the memories that the owner has, whatever their state."""
        ...

    async def page(self, visible: Visibility, *, limit: int, before: str = "") -> list[Memory]:
        """Return memories newest first, those older than the memory `before` where given."""
        ...

    async def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        """Count an access. No history, no index change."""
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

    async def changes_after(self, sequence: int, *, limit: int) -> list[Change]:
        """Return the next changes in order, only the latest one of each memory within the page."""
        ...

    async def last_sequence(self) -> int:
        """Return the number of the newest change; 0 where there is none."""
        ...

    async def counts(self) -> dict[str, int]:
        """Return how many memories there are in each state."""
        ...

    async def unused(self, owner: str, *, since: datetime, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Return an owner's active memories, not pinned, that nobody stored, changed or was handed since a time.

        In the order of their numbers, which come with them, from the one after `after` on.
        """
        ...

    async def consents(self, visible: Visibility, *, limit: int) -> list[Consent]:
        """Return the proposals of a place that still wait, newest first; of `visible` the states do not count."""
        ...

    async def lapsed_consents(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of an owner's proposals that waited too long, those first that have waited longest."""
        ...

    async def due_for_purge(self, owner: str, *, limit: int) -> list[str]:
        """Return the ids of an owner's memories whose time has come, those first that have waited longest."""
        ...

    async def purge(self, owner: str, ids: Sequence[str], *, actor: str) -> list[str]:
        """Destroy what memories say, and what was merged into them, in every table and every backup; return their ids.

        Irreversible. Who purged which id and when stays in the history. A request that is sent again does not bring
        it back. Interrupted, it is finished by `finish_purges`.

        Raises:
            DiskFull: there is no space to rewrite a file in.

        """
        ...

    async def purge_session(self, owner: str, session: str) -> None:
        """Destroy the traces and the state of a session, in every backup, too."""
        ...

    @property
    def leaves(self) -> str:
        """What a purge does not reach, in words; empty where it reaches every byte."""
        ...

    async def finish_purges(self) -> int:
        """Rewrite the files that interrupted purges have left bytes in; return how many purges that were.

        Raises:
            DiskFull: there is no space to rewrite a file in.

        """
        ...

    async def purges_in_index(self) -> int:
        """Return the number of the newest purge that the index was not yet rewritten for; 0 where there is none."""
        ...

    async def gone_from_index(self, newest: int) -> None:
        """Note that the index was rewritten for all purges up to that number."""
        ...

    async def load_session(self, owner: str, session: str, *, known: int = 0) -> SavedSession | None:
        """Return a session's saved state; None where there is none but that of the version `known`."""
        ...

    async def save_session(
        self, owner: str, session: str, state: bytes, at: datetime, *, version: int | None = None
    ) -> int | None:
        """Save a session's state and return its version.

        None, and nothing saved, where it is no longer at `version`: another daemon saved it meanwhile.
        """
        ...

    async def add_trace(self, owner: str, trace: Trace) -> None:
        """Keep a decision trace; the oldest of a session beyond 50 are dropped."""
        ...

    async def traces(self, owner: str, session: str, *, limit: int) -> list[Trace]:
        """Return a session's traces, newest first; of all sessions where `session` is empty."""
        ...

    async def spending(self, day: str) -> Spending:
        """Return what was spent that day."""
        ...

    async def spend(self, spending: Spending) -> None:
        """Add to that day's spending."""
        ...

    async def set_embedding_model(self, model: str) -> int:
        """Say of every memory that this model embeds it; return for how many that is new. No history, no change."""
        ...

    async def prune(
        self,
        *,
        traces_before: datetime,
        sessions_before: datetime,
        aliases_before: datetime,
        events_before: datetime | None = None,
    ) -> dict[str, int]:
        """Delete what nobody will ask for any more, in small transactions; return how many rows of each.

        That is: traces and states of sessions last used before; the ids of requests sent before whose content was
        there already; changes of memories that changed again; and events. No memory and no history.
        """
        ...

    async def backup(self, path: str) -> None:
        """Write a consistent copy to a file that must not exist yet."""
        ...

    async def close(self) -> None:
        """Finish what was begun and release the file."""
        ...
