"""The wire: every message that crosses a socket, as a tagged MessagePack struct.

New fields always get defaults, so that either side may be the older one. A request names the protocol version it was
written for; the daemon answers another major version with an error instead of guessing.
"""

import hashlib
from typing import Annotated, Literal

import msgspec

from memoryd_client.checkpoints import Checkpoint, CheckpointRequest, Checkpoints
from memoryd_client.consent import Consents, DecideConsent, ListConsents
from memoryd_client.consolidation import ConsolidationPlan, ConsolidationRequest, Consolidations
from memoryd_client.context import BuildContext, Compact, Compacted, SessionContext
from memoryd_client.core_memory import CoreRequest, CoreSections, CoreWrites
from memoryd_client.editing import GetOrigin, PlanPurge, Purge, PurgePlan, Relate, Undo, Unrelate, Update
from memoryd_client.events import CountEvents, EventCounts
from memoryd_client.failures import Failure
from memoryd_client.filters import Filters as Filters  # noqa: PLC0414 - part of the wire, and looked for here
from memoryd_client.importing import GetEdges, Import, Imported
from memoryd_client.memory import MAX_COUNT, Hit, Memory, MemoryPage, NewMemory, PendingMemory
from memoryd_client.memory import Edge as Edge  # noqa: PLC0414 - part of the wire, and looked for here
from memoryd_client.query import Queried, Query
from memoryd_client.switching import Switch, Switched
from memoryd_client.transcripts import (
    Append,
    Appended,
    Ended,
    EndSession,
    FoundMessages,
    ImportTranscript,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SearchMessages,
    Sessions,
    Transcript,
)
from memoryd_client.virtual_files import FileMatches, FileRequest, MemoryFiles

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 4 * 1024 * 1024
"""Largest accepted frame. ZeroMQ drops a peer that sends more before the daemon allocates it."""
MAX_IMPORT_BATCH = 1_000
MAX_TURN = 2**31


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation."""

    role: str
    """user, assistant, system or tool."""
    content: str
    name: str = ""
    """Who spoke, or which tool."""


Trigger = Literal["turn", "output", "file", "error", "design"]
"""Why a context was pushed (seed 004, embedding process): the user's turn, N tokens of output, another file type, an
error, a design discussion."""


class Caller(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On whose behalf a request is made. The daemon trusts it: only its own user can reach the sockets."""

    owner: str = "local"
    project: str = ""
    """Root of the project; empty outside any."""
    agent: str = ""
    session: str = ""


class ContextUpdate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="context"):
    """What an agent is doing now: the end of its conversation, newest last."""

    caller: Caller
    messages: tuple[Message, ...]
    trigger: Trigger = "turn"
    turn: Annotated[int, msgspec.Meta(ge=0, le=MAX_TURN)] | None = None
    """The agent's own count; the daemon counts user turns where it is missing."""
    sequence: int = 0
    """Counts the updates of one client; an older one that arrives late is dropped."""
    client: str = ""
    """Random id of the sending client, the frame of reference for `sequence`."""
    sent_at: float = 0.0
    """Seconds since the epoch."""
    v: int = PROTOCOL_VERSION


# --- requests -------------------------------------------------------------------------------------------------------


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """Is anybody there, and ready?"""


class GetStatus(msgspec.Struct, frozen=True, tag="status"):
    """How is the daemon?"""


class Push(msgspec.Struct, frozen=True, kw_only=True, tag="push"):
    """A context update whose sender wants to know that it arrived (the command line)."""

    update: ContextUpdate


class Take(msgspec.Struct, frozen=True, kw_only=True, tag="take"):
    """Hand over what is pending. The same `take_id` again gets the same answer again: a lost reply loses nothing."""

    take_id: str


class Remember(msgspec.Struct, frozen=True, kw_only=True, tag="remember"):
    """Store memories; answered when they are durable. All of them or none."""

    memories: Annotated[tuple[NewMemory, ...], msgspec.Meta(min_length=1, max_length=MAX_IMPORT_BATCH)]


class Search(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="search"):
    """Find memories by meaning and words."""

    query: str
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10
    filters: Filters = Filters()


class Recall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="recall"):
    """Judge memories against a context now and wait for the answer; changes no session state.

    Without messages, the context last pushed by the caller's session.
    """

    messages: tuple[Message, ...] = ()


class List(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="list"):
    """List memories, newest first."""

    filters: Filters = Filters()
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    before: str = ""
    """Continue after this id."""


class Get(msgspec.Struct, frozen=True, kw_only=True, tag="get"):
    """One memory with all its fields, whatever its state. `id` may be shortened."""

    id: str


class Read(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="read"):
    """A page of one memory's content."""

    id: str
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1000


class Forget(msgspec.Struct, frozen=True, kw_only=True, tag="forget"):
    """Soft-delete one memory."""

    id: str


class Restore(msgspec.Struct, frozen=True, kw_only=True, tag="restore"):
    """Undo a forget."""

    id: str


class GetHistory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="history"):
    """The writes to one memory, or to all of the owner's, newest first."""

    id: str = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    before: Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)] = 0
    """Continue after the entry of this sequence number; 0: from the newest on."""


class Why(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="why"):
    """The decision traces of the caller's session, newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 1


class Backup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="backup"):
    """Write a consistent copy of the ledger to a new file."""

    path: str = ""
    """Empty: a dated file in the home's backups folder."""


class Reindex(msgspec.Struct, frozen=True, tag="reindex"):
    """Rebuild the index from the ledger; progress shows in status and on the events socket."""


Request = (
    Ping
    | GetStatus
    | Push
    | Take
    | Remember
    | Search
    | Query
    | Recall
    | List
    | Get
    | Read
    | Forget
    | Restore
    | Update
    | Relate
    | Unrelate
    | Undo
    | Purge
    | PlanPurge
    | GetHistory
    | GetOrigin
    | ListConsents
    | DecideConsent
    | CountEvents
    | Why
    | Backup
    | Reindex
    | CoreRequest
    | CheckpointRequest
    | Append
    | FileRequest
    | BuildContext
    | Compact
    | ReadTranscript
    | ListSessions
    | SearchMessages
    | EndSession
    | ImportTranscript
    | PurgeSession
    | Import
    | GetEdges
    | Switch
    | ConsolidationRequest
)


class Envelope(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request on its way: who asks, what, until when it matters."""

    id: int
    """Chosen by the client, repeated in the reply."""
    request: Request
    caller: Caller = Caller()
    deadline_s: float = 5.0
    """How long the client waits; the daemon gives up then, too."""
    v: int = PROTOCOL_VERSION


# --- replies --------------------------------------------------------------------------------------------------------


class Done(msgspec.Struct, frozen=True, omit_defaults=True, tag="done"):
    """It is done; `detail` says what, where that is not obvious."""

    detail: str = ""


class Pong(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="pong"):
    """The daemon serves."""

    pid: int
    version: str
    ready: bool
    v: int = PROTOCOL_VERSION


class Taken(msgspec.Struct, frozen=True, omit_defaults=True, tag="taken"):
    """What was pending, or nothing."""

    pending: PendingMemory | None = None


class Memories(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="memories"):
    """Memories with all their fields."""

    memories: tuple[Memory, ...]
    next: str = ""
    """Pass as `before` for the next page; empty at the end."""


class Hits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="hits"):
    """Search results, best first."""

    hits: tuple[Hit, ...]


class Page(msgspec.Struct, frozen=True, tag="page"):
    """Part of one memory."""

    page: MemoryPage


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One write (seed 002, item 8)."""

    sequence: int
    memory_id: str
    event: str
    """ADD, UPDATE, DELETE, MERGE, SUPERSEDE, LINK, UNLINK, TTL, RESTORE, UNDO, CONSENT or PURGE."""
    at: str
    """ISO 8601, UTC."""
    actor: str = ""
    """The agent or client that asked for it."""
    old: str = ""
    """The content before, where it changed."""
    new: str = ""
    meta: dict[str, str] = {}
    operation: int = 0
    """What was written together has one number, and is undone together."""


class History(msgspec.Struct, frozen=True, kw_only=True, tag="history"):
    """Writes, newest first."""

    entries: tuple[HistoryEntry, ...]


class Edges(msgspec.Struct, frozen=True, kw_only=True, tag="edges"):
    """What memories are to each other, strongest first."""

    edges: tuple[Edge, ...]


class Showing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory was brought up in a session."""

    session: str
    turn: int
    at: str
    """ISO 8601, UTC."""
    kept: bool
    """Whether it was handed over, or could have been had the agent asked."""
    reason: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="originated"):
    """Where a memory comes from and what became of it."""

    memory: Memory
    edges: tuple[Edge, ...] = ()
    others: tuple[Memory, ...] = ()
    """The memories at the other ends of the edges."""
    history: tuple[HistoryEntry, ...] = ()
    """Newest first."""
    shown: tuple[Showing, ...] = ()
    """In the traces that are kept, newest first."""


class CandidateTrace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory that came into question and what became of it."""

    id: str
    summary: str
    vector_score: float
    word_score: float
    score: float
    """What the search ranked by."""
    boosts: dict[str, float] = {}
    """By name what is part of the score beside meaning and words: session, neighbours, named speaker, own voice, month,
    rule, advice, and substance, which is taken away; what was not zero."""
    kept: bool
    reason: str
    """Why it was kept or dropped, in words."""
    judge_score: float | None = None
    actionable: bool | None = None


class Trace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one context update was decided, from its arrival to what became pending."""

    session: str
    turn: int
    at: str
    """ISO 8601, UTC."""
    trigger: str
    focus: str
    """The request in focus, shortened."""
    outcome: str
    """One line: N pending, nothing relevant, same context as before, no model, ..."""
    topic_changed: bool = False
    topic_similarity: float | None = None
    topic_turn: int | None = None
    """Where the topic changed: the turn that the new one began with; perhaps the turn before, by its reply."""
    judge: str = ""
    """Which judge decided, and why if it was the stand-in."""
    candidates: tuple[CandidateTrace, ...] = ()
    timings_ms: dict[str, float] = {}
    """Milliseconds per stage: clean, embed, topic, search, surfaced, judge, related, pending, total."""


class Traces(msgspec.Struct, frozen=True, kw_only=True, tag="traces"):
    """Decision traces, newest first."""

    traces: tuple[Trace, ...]


class ComponentStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of the daemon: a state in one word, a sentence where something is wrong, and its numbers."""

    state: str
    """ok, loading, idle, degraded, failed, off."""
    message: str = ""
    hint: str = ""
    numbers: dict[str, float] = {}
    facts: dict[str, str] = {}


class Status(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="status"):
    """The daemon's health."""

    pid: int
    version: str
    home: str
    live: bool
    ready: bool
    busy: bool
    uptime_s: float
    rss_bytes: int
    components: dict[str, ComponentStatus]
    """model, index, ledger, sidecar, sessions, keeper, capture, transcripts, sockets; memory: whether it is off."""
    warnings: tuple[str, ...] = ()


Reply = (
    Done
    | Imported
    | Pong
    | Taken
    | Memories
    | Hits
    | Queried
    | Page
    | History
    | Edges
    | Origin
    | Consents
    | EventCounts
    | Traces
    | Switched
    | Status
    | CoreSections
    | CoreWrites
    | Checkpoint
    | Checkpoints
    | Appended
    | Ended
    | MemoryFiles
    | FileMatches
    | SessionContext
    | Compacted
    | Transcript
    | Sessions
    | FoundMessages
    | Consolidations
    | ConsolidationPlan
    | PurgePlan
    | Failure
)


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply to the envelope with the same id; id 0 where the request's could not be read."""

    id: int
    reply: Reply
    v: int = PROTOCOL_VERSION


# --- events ---------------------------------------------------------------------------------------------------------


class PipelineRan(msgspec.Struct, frozen=True, tag="pipeline"):
    """A context update went through the recall pipeline."""

    trace: Trace
    owner: str = ""


class Surfaced(msgspec.Struct, frozen=True, kw_only=True, tag="surfaced"):
    """Memories were handed to an agent."""

    session: str
    turn: int
    memories: tuple[str, ...]
    owner: str = ""


class Wrote(msgspec.Struct, frozen=True, kw_only=True, tag="wrote"):
    """A memory was written."""

    event: str
    memory_id: str
    owner: str


class Warned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="warned"):
    """Something a person should know."""

    component: str
    message: str
    hint: str = ""


class IndexProgress(msgspec.Struct, frozen=True, kw_only=True, tag="index"):
    """The index moved towards the ledger."""

    applied: int
    target: int


Event = PipelineRan | Surfaced | Wrote | Warned | IndexProgress
"""Published with its topic as the first ZeroMQ frame, the encoded event as the second."""


def topic_of(event: Event) -> bytes:
    """Return the topic under which an event is published: its tag; of what is an owner's, behind the owner's topic."""
    tag = str(type(event).__struct_config__.tag).encode()
    match event:
        case Warned() | IndexProgress():
            return tag
        case PipelineRan() | Surfaced() | Wrote():
            return owner_topic(event.owner) + tag


def topics_for(owner: str) -> tuple[bytes, ...]:
    """Return what to subscribe to: what concerns everybody, and what is the owner's."""
    return b"warned", b"index", owner_topic(owner)


def owner_topic(owner: str) -> bytes:
    """Return the beginning of the topics of an owner's events: a hash, as a name could be the beginning of another."""
    return b"owner/" + hashlib.sha256(owner.encode("utf-8", "replace")).hexdigest()[:32].encode() + b"/"


encode = msgspec.msgpack.Encoder().encode
decode_update = msgspec.msgpack.Decoder(ContextUpdate).decode
decode_envelope = msgspec.msgpack.Decoder(Envelope).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode
decode_event = msgspec.msgpack.Decoder(Event).decode
