"""What an operation on memory consists of. The ledger performs all steps of one in one transaction, or none.

Each step says what happens where the world has moved on since it was planned, so that nobody has to look again.
"""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from memoryd_actors.memory.consent import Decision
from memoryd_client.wire.memory import Memory, State

RELATED = "related_to"
SUPERSEDES = "supersedes"
CONTRADICTS = "contradicts"
MERGED_INTO = "merged_into"
SUMMARISES = "summarises"
"""From a summary of a project to each episode that is in it."""
RESERVED = frozenset({SUPERSEDES, MERGED_INTO})
"""Edges that say what became of a memory: made and removed with it, not by hand."""


class Add(msgspec.Struct, frozen=True):
    """Store a memory.

    An id that is there already stays as it stands; content that is active already in the same place is confirmed.
    """

    memory: Memory
    notes: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """For the history: what the gate did."""
    compared: bool = True
    """Whether its neighbours have been looked at."""
    as_of: int | None = None
    """The change up to which other daemons' memories were among those neighbours: where one of them has written since,
    they are looked at once more. None: there are no others."""
    confirm: bool = True
    """Whether a memory that says the same already gains strength, and a rule takes the place of those of its name:
    not where whole memories are brought in."""


class Merge(msgspec.Struct, frozen=True):
    """Store a memory as merged into one that says the same: its words stay, inactive, and can be restored.

    Where `into` is no longer active, or not the owner's, the memory is added instead.
    """

    memory: Memory
    into: str
    content: str
    """What `into` says from now on."""
    notes: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class Absorb(msgspec.Struct, frozen=True):
    """Merge one stored memory into another; nothing where one of them is no longer active."""

    absorbed: str
    into: str
    content: str
    reason: str = ""


class Revise(msgspec.Struct, frozen=True):
    """Put a memory down as it shall read now.

    Refused where it is not at `memory.revision` any more. Counts of accesses and the owner stay as they are.
    """

    memory: Memory
    event: str = "UPDATE"
    notes: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    compared: bool = True


class Supersede(msgspec.Struct, frozen=True):
    """Let one memory take the place of another; nothing where one of them is no longer active.

    Refused where the new one was itself superseded, over however many steps, by the old one.
    """

    old: str
    new: str
    reason: str = ""


class AddEdge(msgspec.Struct, frozen=True):
    """Say what one memory is to another; the same edge again keeps the greater strength."""

    from_id: str
    to_id: str
    relation: str
    strength: float
    told: bool = False
    """Whether it is worth a line in the history: an edge that somebody made, not a neighbour."""
    at: datetime | None = None
    """Since when it is so; None: now."""


class RemoveEdge(msgspec.Struct, frozen=True):
    """Remove an edge; nothing where there is none."""

    from_id: str
    to_id: str
    relation: str


class ChangeState(msgspec.Struct, frozen=True):
    """Forget, restore or archive a memory; one that has the state already stays as it is.

    Refused where it would become active beside an active memory of the same content.
    """

    memory_id: str
    state: State
    event: str
    purge_at: datetime | None = None
    """When it is destroyed, unless restored."""
    reason: str = ""


class Patch(msgspec.Struct, frozen=True):
    """Store what is said about a field of the person, or propose it.

    An id or content that is there already is treated as by `Add`. Proposed again, what waits gets a signal; what was
    rejected lately stays rejected.
    """

    memory: Memory
    named: str
    """The field."""
    decision: Decision
    expires_at: datetime
    """When the proposal lapses."""
    signals: int = 0
    """Sessions that have to agree for it to apply by itself; 0: only a yes does."""
    reason: str = ""
    notes: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class Decide(msgspec.Struct, frozen=True):
    """Answer a proposal. Refused where it does not wait any more; a yes also once it has lapsed."""

    memory_id: str
    approve: bool
    decision: str
    """For the history: approved, rejected, expired."""


class AddCandidatePair(msgspec.Struct, frozen=True):
    """Queue a pair for the worker; a pair that was queued before is not queued again."""

    older: str
    newer: str
    similarity: float
    reason: str


class Settled(msgspec.Struct, frozen=True):
    """Say of a queued pair what was decided, so that nobody asks again; nothing where it was decided before.

    No history, and not undone with the operation: who takes a decision back does not want it made again.
    """

    older: str
    newer: str
    decision: str


class MarkCompared(msgspec.Struct, frozen=True):
    """Say of memories that their neighbours have been looked at. No history."""

    ids: tuple[str, ...]


class Advance(msgspec.Struct, frozen=True):
    """Say how far a job has come with a session, with what it brings. No history, and not undone with the operation.

    Refused where the job is no longer where it was: somebody else has come further, or the session was purged.
    """

    session: str
    job: str
    before: int
    """The entry of the transcript at which the job was; 0: it had not begun."""
    sequence: int
    """The entry at which it is now."""
    detail: str = ""
    """JSON of the job's own."""


class UnlessPurged(msgspec.Struct, frozen=True):
    """Write only where nothing was purged since the words were read that the operation tells. No history.

    Refused (`PurgedMeanwhile`) where the owner's newest purge is another one, or the transcript of the session still
    has what is to go: a purge finds what was written before it, and what was made of the same words is not written
    after it.
    """

    purges: int
    """The newest purge as the words were read; see `ProgressRepository.purges`."""
    session: str = ""
    """Whose transcript was read; empty: none."""


class Checked(msgspec.Struct, frozen=True):
    """Say of a pair that it was compared at that cosine, by a judge. No history, and not undone with the operation."""

    one: str
    other: str
    """The greater of the two ids."""
    hundredths: int
    """The cosine, rounded."""
    judge: str


class Noted(msgspec.Struct, frozen=True):
    """Count something for a consolidation's report. No history, and not undone with the operation; 0 is no run."""

    run: int
    counts: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    wrote: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    """Counted only where the steps before it in the operation have written something."""


class RevertOperation(msgspec.Struct, frozen=True):
    """Take back an operation, all of it.

    Refused where something that it wrote was written again since: that has to be undone first.
    """

    operation: int
    by_user: bool = True
    """Else what the user decided about a proposal stays as they decided."""
    most_trust: float = 1.0
    """Below 1: what is pinned or trusted more stays as it is, and what somebody else forgot of a person's matters."""


Step = (
    Add
    | Merge
    | Absorb
    | Revise
    | Supersede
    | AddEdge
    | RemoveEdge
    | ChangeState
    | Patch
    | Decide
    | AddCandidatePair
    | Settled
    | MarkCompared
    | Advance
    | UnlessPurged
    | Checked
    | Noted
    | RevertOperation
)


class Applied(msgspec.Struct, frozen=True):
    """What an operation came to."""

    memories: tuple[Memory, ...]
    """For each step that concerns one memory, that memory as it now stands: of `Merge` and `Absorb` the one that it was
    merged into, of `Supersede` the old one, of `RevertOperation` each that was changed back."""
    sequence: int
    """The last change's number."""
    operation: int
    """By which it can be undone; 0 where nothing was written."""
    events: tuple[tuple[str, str], ...]
    """What was written: event and memory."""
