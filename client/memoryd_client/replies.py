"""What each reply means to whoever asked: the value in it, or the error it stands for."""

from collections.abc import Callable
from typing import NoReturn

from memoryd_client.errors import NotInterrupted, RequestFailed
from memoryd_client.interrupted import Interrupted, unpack
from memoryd_client.wire.checkpoints import Checkpoint, CheckpointInfo, Checkpoints
from memoryd_client.wire.consent import Consent, Consents
from memoryd_client.wire.consolidation import Consolidation, ConsolidationPlan, Consolidations
from memoryd_client.wire.core_memory import CoreSections, CoreWrite, CoreWrites, Section
from memoryd_client.wire.edges import Edge, Edges
from memoryd_client.wire.event_counts import EventCount, EventCounts
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.history import History, HistoryEntry
from memoryd_client.wire.importing import Imported
from memoryd_client.wire.memories import Memories, MemoryPage, Page
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.origin import Origin
from memoryd_client.wire.pending import PendingMemory, Taken
from memoryd_client.wire.protocol import Reply
from memoryd_client.wire.purging import PurgePlan
from memoryd_client.wire.query import Queried
from memoryd_client.wire.request import Done
from memoryd_client.wire.search import Hit, Hits
from memoryd_client.wire.session_context import Compacted, SessionContext
from memoryd_client.wire.status import Pong, Status
from memoryd_client.wire.switching import Switched
from memoryd_client.wire.traces import Trace, Traces
from memoryd_client.wire.transcripts import Appended, Ended, FoundMessages, SessionInfo, Sessions, Transcript
from memoryd_client.wire.virtual_files import FileMatch, FileMatches, MemoryFile, MemoryFiles


def detail(reply: Reply) -> str:
    """Done: what was done."""
    return reply.detail if isinstance(reply, Done) else _fail(reply)


def pong(reply: Reply) -> Pong:
    """Pong."""
    return reply if isinstance(reply, Pong) else _fail(reply)


def status(reply: Reply) -> Status:
    """Status."""
    return reply if isinstance(reply, Status) else _fail(reply)


def pending(reply: Reply) -> PendingMemory | None:
    """Taken: what was pending."""
    return reply.pending if isinstance(reply, Taken) else _fail(reply)


def memories(reply: Reply) -> list[Memory]:
    """Memories: all of them."""
    return list(reply.memories) if isinstance(reply, Memories) else _fail(reply)


def memory(reply: Reply) -> Memory:
    """Memories: the only one."""
    return reply.memories[0] if isinstance(reply, Memories) and len(reply.memories) == 1 else _fail(reply)


def hits(reply: Reply) -> list[Hit]:
    """Hits: all of them, best first."""
    return list(reply.hits) if isinstance(reply, Hits) else _fail(reply)


def queried(reply: Reply) -> Queried:
    """Queried: all of it."""
    return reply if isinstance(reply, Queried) else _fail(reply)


def page(reply: Reply) -> MemoryPage:
    """Page."""
    return reply.page if isinstance(reply, Page) else _fail(reply)


def history(reply: Reply) -> list[HistoryEntry]:
    """History: the entries, newest first."""
    return list(reply.entries) if isinstance(reply, History) else _fail(reply)


def imported(reply: Reply) -> Imported:
    """Imported: all of it."""
    return reply if isinstance(reply, Imported) else _fail(reply)


def edges(reply: Reply) -> list[Edge]:
    """Edges: strongest first."""
    return list(reply.edges) if isinstance(reply, Edges) else _fail(reply)


def origin(reply: Reply) -> Origin:
    """Origin."""
    return reply if isinstance(reply, Origin) else _fail(reply)


def consents(reply: Reply) -> list[Consent]:
    """Consents: newest first."""
    return list(reply.consents) if isinstance(reply, Consents) else _fail(reply)


def event_counts(reply: Reply) -> list[EventCount]:
    """EventCounts: the newest day first."""
    return list(reply.counts) if isinstance(reply, EventCounts) else _fail(reply)


def consolidations(reply: Reply) -> list[Consolidation]:
    """Return the runs of a reply."""
    return list(reply.runs) if isinstance(reply, Consolidations) else _fail(reply)


def consolidation(reply: Reply) -> Consolidation:
    """Return the one run of a reply."""
    return consolidations(reply)[0]


def consolidation_plan(reply: Reply) -> ConsolidationPlan:
    """Return a plan."""
    return reply if isinstance(reply, ConsolidationPlan) else _fail(reply)


def purge_plan(reply: Reply) -> PurgePlan:
    """Return a plan."""
    return reply if isinstance(reply, PurgePlan) else _fail(reply)


def switched(reply: Reply) -> Switched:
    """Switched: all of it."""
    return reply if isinstance(reply, Switched) else _fail(reply)


def traces(reply: Reply) -> list[Trace]:
    """Traces: newest first."""
    return list(reply.traces) if isinstance(reply, Traces) else _fail(reply)


def sections(reply: Reply) -> list[Section]:
    """CoreSections: all of them."""
    return list(reply.sections) if isinstance(reply, CoreSections) else _fail(reply)


def section(reply: Reply) -> Section:
    """CoreSections: the only one."""
    return reply.sections[0] if isinstance(reply, CoreSections) and len(reply.sections) == 1 else _fail(reply)


def core_writes(reply: Reply) -> list[CoreWrite]:
    """CoreWrites: newest first."""
    return list(reply.writes) if isinstance(reply, CoreWrites) else _fail(reply)


def checkpoint(reply: Reply) -> Checkpoint:
    """Checkpoint."""
    return reply if isinstance(reply, Checkpoint) else _fail(reply)


def checkpoint_or_none(reply: Reply) -> Checkpoint | None:
    """Checkpoint; None where there is none."""
    return None if isinstance(reply, Failure) and reply.code == "not_found" else checkpoint(reply)


def newest_or(version: int | None) -> Callable[[Reply], Checkpoint | None]:
    """Checkpoint; None where the newest is asked for and there is none. A version that is named has to be there."""
    return checkpoint_or_none if version is None else checkpoint


def checkpoints(reply: Reply) -> list[CheckpointInfo]:
    """Checkpoints: newest first."""
    return list(reply.checkpoints) if isinstance(reply, Checkpoints) else _fail(reply)


def saved_checkpoint(reply: Reply) -> CheckpointInfo:
    """Checkpoints: the only one."""
    return reply.checkpoints[0] if isinstance(reply, Checkpoints) and len(reply.checkpoints) == 1 else _fail(reply)


def run_or(version: int | None) -> Callable[[Reply], Interrupted | None]:
    """Checkpoint: the interrupted run in it; None where the newest is asked for and there is none."""

    def run(reply: Reply) -> Interrupted | None:
        found = newest_or(version)(reply)
        if found is None:
            return None
        try:
            return unpack(found.data)
        except (ValueError, RecursionError) as exc:
            info = found.info
            raise NotInterrupted(
                info.thread, info.version, size=info.size, meta=info.meta, reason=str(exc) or type(exc).__name__
            ) from exc

    return run


def appended(reply: Reply) -> Appended:
    """Appended."""
    return reply if isinstance(reply, Appended) else _fail(reply)


def ended(reply: Reply) -> Ended:
    """Ended."""
    return reply if isinstance(reply, Ended) else _fail(reply)


def context(reply: Reply) -> SessionContext:
    """SessionContext."""
    return reply if isinstance(reply, SessionContext) else _fail(reply)


def compacted(reply: Reply) -> Compacted:
    """Compacted."""
    return reply if isinstance(reply, Compacted) else _fail(reply)


def files(reply: Reply) -> tuple[MemoryFile, ...]:
    """Memory files."""
    return reply.files if isinstance(reply, MemoryFiles) else _fail(reply)


def file(reply: Reply) -> MemoryFile:
    """Return the one memory file."""
    return files(reply)[0]


def matches(reply: Reply) -> tuple[FileMatch, ...]:
    """Lines that match."""
    return reply.matches if isinstance(reply, FileMatches) else _fail(reply)


def transcript(reply: Reply) -> Transcript:
    """Transcript."""
    return reply if isinstance(reply, Transcript) else _fail(reply)


def sessions(reply: Reply) -> list[SessionInfo]:
    """Sessions: the latest first."""
    return list(reply.sessions) if isinstance(reply, Sessions) else _fail(reply)


def said(reply: Reply) -> FoundMessages:
    """FoundMessages."""
    return reply if isinstance(reply, FoundMessages) else _fail(reply)


def _fail(reply: Reply) -> NoReturn:
    """Raise what a failure says; any other reply is a daemon that answers beside the question."""
    if isinstance(reply, Failure):
        raise RequestFailed(reply)
    raise RequestFailed(
        Failure(
            code="internal", message=f"the daemon answered with {type(reply).__name__}, which answers another request"
        )
    )
