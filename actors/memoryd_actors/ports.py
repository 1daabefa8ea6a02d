"""What the system needs from the outside world. The daemon puts real adapters behind these; so do the tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from memoryd_actors.admission.project_files import ProjectFiles
from memoryd_actors.comparison import Comparison, Statement
from memoryd_actors.keeping.steps import Applied, Step
from memoryd_actors.recall.changes import News
from memoryd_actors.upkeep.events import Happened
from memoryd_client.consent import Consent
from memoryd_client.events import EventCount
from memoryd_client.memory import Memory, State
from memoryd_client.messages import Edge, Event, Filters, HistoryEntry, Trace

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimensions), float32, every row of length 1."""
Vector = npt.NDArray[np.float32]
"""Shape (dimensions,), float32, of length 1."""


class Clock(Protocol):
    """Time, as a port, so that rules can be tested without waiting."""

    def now(self) -> datetime:
        """Return the wall-clock time, in UTC and aware of it. May go backwards."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go backwards, from an arbitrary start."""
        ...


class Embedder(Protocol):
    """Turns text into vectors. Requests that arrive together run as one batch."""

    @property
    def identity(self) -> str:
        """Name, weights and precision of the model; vectors of different identities are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    async def embed(self, texts: Sequence[str], *, max_tokens: int = 256, background: bool = False) -> Vectors:
        """Return one unit vector per text; shape (len(texts), dimensions), float32.

        A text longer than `max_tokens` keeps its beginning. Loads the model where it is not loaded. What is wanted in
        the background gives way to everything else that waits.

        Raises:
            ModelUnavailable: there are no weights, or they fail their checksum; the hint says what to do.

        """
        ...


class IgnoredFiles(Protocol):
    """Knows what a project says about its files: what is not to be kept, and what its environment files hold."""

    async def look(self, project: str, paths: Iterable[str]) -> ProjectFiles:
        """Return which of the paths, as a memory names them, are not to be kept, and the project's variables.

        What cannot be read says nothing; nothing is raised.
        """
        ...


class TokenCounter(Protocol):
    """Says how long texts are for a model."""

    async def count(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text; None where there is no tokenizer now."""
        ...


# --- index ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the index holds of one memory."""

    id: str
    vector: Vector
    text: str
    """What the word index reads."""
    owner: str
    scope: str
    project: str
    category: str
    state: str
    session: str
    """The session it was stored in or comes from."""
    tags: tuple[str, ...]
    pinned: bool
    sequence: int
    """The ledger change this row reflects."""
    agent: str = ""
    role: str = ""
    speaker: str = ""
    importance: int = 3
    updated_at: int = 0
    """Microseconds since 1970, UTC."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whose and which memories a request may see; pushed down into index and ledger."""

    owner: str
    project: str = ""
    filters: Filters = field(default_factory=Filters)
    allowed: frozenset[str] | None = None
    """Categories on the agent's allowlist; None: all."""
    without: frozenset[str] = frozenset()
    """Categories that are not considered."""
    for_context: bool = False
    """Whether each category has the weight and the length that it has in a context."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that came up in a search, scored on both sides."""

    id: str
    vector_score: float
    """Cosine similarity, exact."""
    word_score: float
    """BM25 as the index computes it, not normalised; 0 where no word matches."""


class Index(Protocol):
    """Finds candidates. Derived from the ledger, and behind it by at most what is still to be applied."""

    async def open(self, *, model: str, dimensions: int) -> int:
        """Open or create the tables and return the last ledger sequence applied (0: none).

        Where the tables are missing, unreadable or built with another model, they are set aside and begun anew.
        """
        ...

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return the union of the nearest `limit` by vector and the best `limit` by words, both scores on each."""
        ...

    async def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors that stand for these memories, of those that it has."""
        ...

    async def apply(self, rows: Sequence[IndexRow], *, removed: Sequence[str], sequence: int) -> None:
        """Upsert and remove in one batch, and remember that `sequence` is applied. Applying twice changes nothing."""
        ...

    async def optimise(self) -> dict[str, float]:
        """Compact, build or extend the ANN and word indexes, drop old versions; return what was done, in numbers."""
        ...

    async def purge(self) -> None:
        """Rewrite what there is so that no byte of what was removed is left."""
        ...

    async def reset(self, *, model: str, dimensions: int) -> None:
        """Throw everything away and begin anew at sequence 0."""
        ...

    async def count(self) -> int:
        """Return the number of rows."""
        ...

    async def close(self) -> None:
        """Release files."""
        ...


# --- ledger ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the ledger's change log: the memory as it is now, or None once purged."""

    sequence: int
    memory_id: str
    memory: Memory | None


@dataclass(frozen=True, slots=True)
class Spending:
    """What the sidecar used on one day (UTC)."""

    day: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class OpenDoubt:
    """Two memories that may be the same or contradict each other, and nobody has decided yet."""

    number: int
    owner: str
    older: str
    newer: str
    similarity: float
    """Cosine."""
    reason: str


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

    async def set_state(self, owner: str, memory_id: str, state: State, *, event: str, actor: str) -> Memory:
        """Change the state, with history; a memory that has it already is returned unchanged."""
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


# --- judge ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One candidate as the judge sees it."""

    id: str
    text: str
    category: str
    date: datetime
    trust: float
    vector_score: float
    word_score: float
    """Normalised: BM25 over the best of this search, 0 to 1."""
    score: float
    """Fused, 0 to 1."""
    embedding_cosines: tuple[float, ...] = ()
    sourced: bool = False
    """Whether it comes from a session, which can be looked up."""


LookupKind = Literal["source", "session_search"]
"""What was said around a candidate, or a search in the session that a candidate comes from (seed 004, sidecar)."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a judge wants to see before it decides."""

    kind: LookupKind
    index: int = -1
    """The exhibit in question; -1 where a search is not about one of them."""
    query: str = ""
    """What is searched for."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What a look-up brought to light; nothing, where there is nothing."""

    lookup: Lookup
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """What is put before the judge: what the user wants now, what led there, and the candidates."""

    focus: str
    window: str
    exhibits: tuple[Exhibit, ...]
    visible: Visibility | None = None
    """What may be looked up for it; None: nothing."""
    lookups: int = 0
    """How many look-ups the judge may ask for with its verdicts."""
    passages: tuple[Passage, ...] = ()
    """What was looked up. Where there are any, the judge has to decide now."""
    sparing: str = ""
    """Why the remote judge is not asked this time; empty where it is."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one exhibit."""

    index: int
    relevant: bool
    actionable: bool
    score: float
    """0 to 1."""
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a case, by whom, and at what price."""

    verdicts: tuple[Verdict, ...]
    judge: str
    """`local`, or the model's name."""
    note: str = ""
    """How it came about, where that is worth a word: why the stand-in answered, or what became of a second call."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    wanted: tuple[Lookup, ...] = ()
    """What the judge would like to see before it decides for good."""

    @property
    def kept(self) -> tuple[Verdict, ...]:
        """The verdicts that keep their exhibit."""
        return tuple(one for one in self.verdicts if one.relevant and one.actionable)


FailureKind = Literal[
    "timeout",
    "connection",
    "rate_limit",
    "auth",  # the key is wrong, or may not do this
    "model",  # there is no such model
    "request",  # the request itself was rejected
    "refusal",
    "truncated",
    "nonsense",
    "server",
]


class JudgeFailed(Exception):
    """Raised by a judge that could not answer; the sidecar then asks the local one."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        hint: str = "",
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost_usd: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.hint = hint
        """What a person can do about it; empty where waiting is all there is."""
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cost_usd = cost_usd


class Judge(Protocol):
    """Decides what is worth interrupting for."""

    @property
    def name(self) -> str:
        """`local`, or the model's name."""
        ...

    async def judge(self, case: Case) -> Judgement:
        """Return one verdict per exhibit that is worth a word; an exhibit without a verdict is not relevant.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories to be compared."""

    new: Statement
    old: Statement
    cosine: float


@dataclass(frozen=True, slots=True)
class Classified:
    """What the pairs are, in their order, by whom, and at what price."""

    comparisons: tuple[Comparison | None, ...]
    """None where a model said nothing about a pair."""
    judge: str
    """`local`, or the model's name."""
    note: str = ""
    """Why the local classifier answered, where it stood in."""
    by_model: tuple[bool, ...] = ()
    """Of each pair, whether a model had a say, in which a guard may have overruled it; empty: in none."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class PairJudge(Protocol):
    """Decides what two memories are to each other, several pairs in one call."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def classify(self, pairs: Sequence[Pair]) -> Classified:
        """Return one comparison per pair, None for those that the answer leaves out.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...


class Lookups(Protocol):
    """What the remote judge may look up. Secrets are replaced in all it returns."""

    async def source(self, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what was said around a memory in its session, in order; nothing where that is not known.

        Raises:
            Refused: it cannot be looked up now.

        """
        ...

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> Sequence[str]:
        """Return what the session of a memory has on a query, best first; without a memory, all that is visible.

        Raises:
            Refused: it cannot be searched now.

        """
        ...


class Publisher(Protocol):
    """Tells whoever listens what is happening. Never waits, never fails."""

    def __call__(self, event: Event, /) -> None:
        """Publish an event."""
        ...
