"""The wire: every message that crosses a socket, as a tagged MessagePack struct.

New fields always get defaults, so that either side may be the older one. A request names the protocol version it was
written for; the daemon answers another major version with an error instead of guessing.
"""

import hashlib

import msgspec

from memoryd_client.wire.archiving import ArchivingRequest, TurnSummaries
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.categories import CategoryList, ListCategories
from memoryd_client.wire.checkpoints import Checkpoint, CheckpointRequest, Checkpoints
from memoryd_client.wire.consent import Consents, DecideConsent, ListConsents
from memoryd_client.wire.consolidation import ConsolidationPlan, ConsolidationRequest, Consolidations, Rollups
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.core_memory import CoreRequest, CoreSections, CoreWrites
from memoryd_client.wire.edges import Edges, GetEdges, Relate, Unrelate
from memoryd_client.wire.editing import Update
from memoryd_client.wire.event_counts import CountEvents, DoneEvents, EventCounts, ListDone
from memoryd_client.wire.events import ContextFilled, Event, IndexProgress, PipelineRan, Surfaced, Warned, Wrote
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.history import GetHistory, History, Undo
from memoryd_client.wire.importing import Import, Imported
from memoryd_client.wire.knowledge import Documents, KnowledgeHits, KnowledgeRequest
from memoryd_client.wire.memories import Forget, Get, List, Memories, Page, Read, Remember, Restore
from memoryd_client.wire.mirroring import MirrorRequest, Mirrors
from memoryd_client.wire.origin import GetOrigin, Origin
from memoryd_client.wire.pending import Cleared, Recall, Take, Taken, Turn
from memoryd_client.wire.purging import PlanPurge, Purge, PurgePlan
from memoryd_client.wire.query import Queried, Query
from memoryd_client.wire.request import PROTOCOL_VERSION, Done
from memoryd_client.wire.review import ReviewRequest, SettledPair, WaitingPairs
from memoryd_client.wire.search import Hits, Search
from memoryd_client.wire.session_context import Compacted, ContextRequest, SessionContext
from memoryd_client.wire.spending import CountSpending, SpentByDay
from memoryd_client.wire.status import GetStatus, Ping, Pong, Status
from memoryd_client.wire.switching import Switch, Switched
from memoryd_client.wire.traces import Traces, Why
from memoryd_client.wire.transcripts import Appended, Ended, FoundMessages, Sessions, Transcript, TranscriptRequest
from memoryd_client.wire.upkeep import Backup, Reembed, Reindex
from memoryd_client.wire.virtual_files import FileMatches, FileRequest, MemoryFiles

MAX_FRAME_BYTES = 4 * 1024 * 1024
"""Largest accepted frame. ZeroMQ drops a peer that sends more before the daemon allocates it."""
AnyRequest = (
    Ping
    | GetStatus
    | Push
    | Take
    | Turn
    | Cleared
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
    | ListDone
    | CountSpending
    | ListCategories
    | Why
    | Backup
    | Reindex
    | Reembed
    | CoreRequest
    | CheckpointRequest
    | FileRequest
    | KnowledgeRequest
    | Import
    | GetEdges
    | Switch
    | ConsolidationRequest
    | ReviewRequest
    | TranscriptRequest
    | ContextRequest
    | ArchivingRequest
    | MirrorRequest
)


class Envelope(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request on its way: who asks, what, until when it matters."""

    id: int
    """Chosen by the client, repeated in the reply."""
    request: AnyRequest
    caller: Caller = Caller()
    deadline_s: float = 5.0
    """How long the client waits; the daemon gives up then, too."""
    v: int = PROTOCOL_VERSION


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
    | DoneEvents
    | SpentByDay
    | CategoryList
    | Rollups
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
    | Documents
    | KnowledgeHits
    | SessionContext
    | Compacted
    | TurnSummaries
    | Transcript
    | Sessions
    | FoundMessages
    | Consolidations
    | ConsolidationPlan
    | PurgePlan
    | WaitingPairs
    | SettledPair
    | Mirrors
    | Failure
)


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply to the envelope with the same id; id 0 where the request's could not be read."""

    id: int
    reply: Reply
    v: int = PROTOCOL_VERSION


def topic_of(event: Event) -> bytes:
    """Return the topic under which an event is published: its tag; of what is an owner's, behind the owner's topic."""
    tag = str(type(event).__struct_config__.tag).encode()
    match event:
        case Warned() | IndexProgress():
            return tag
        case PipelineRan() | Surfaced() | Wrote() | ContextFilled():
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
