"""The router: which part of the system answers which request."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import assert_never

import msgspec

from memoryd import __version__
from memoryd.assembly.health import Health
from memoryd.intake import Intake, IntakeRequest
from memoryd.mirror.answering import MirrorAnswers
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.switch import Switches
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.names import check_names
from memoryd_actors.consolidating.answering import ConsolidationAnswers
from memoryd_actors.consolidating.review import ReviewAnswers
from memoryd_actors.context.answering import ConversationAnswers
from memoryd_actors.conversations.session_names import SessionNames
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.answering import KeepingAnswers, KeepingRequest
from memoryd_actors.keeping.checkpoints import CheckpointKeeper
from memoryd_actors.keeping.core_memory import CoreMemory
from memoryd_actors.knowledge import KnowledgeBase
from memoryd_actors.model.account import SpendingHistory
from memoryd_actors.ports.ledger import EventRepository
from memoryd_actors.purging.answering import PurgingAnswers
from memoryd_actors.searching.answering import SearchingAnswers, SearchingRequest
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client.wire.archiving import ArchivingRequest
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import CheckpointRequest
from memoryd_client.wire.consolidation import ConsolidationRequest
from memoryd_client.wire.core_memory import CoreRequest
from memoryd_client.wire.event_counts import CountEvents, DoneEvents, EventCounts, ListDone
from memoryd_client.wire.knowledge import KnowledgeRequest
from memoryd_client.wire.mirroring import MirrorRequest
from memoryd_client.wire.pending import Take
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.purging import PlanPurge, Purge
from memoryd_client.wire.request import Done
from memoryd_client.wire.review import ReviewRequest
from memoryd_client.wire.session_context import ContextRequest
from memoryd_client.wire.spending import CountSpending, SpentByDay
from memoryd_client.wire.status import GetStatus, Ping, Pong
from memoryd_client.wire.switching import Switch
from memoryd_client.wire.transcripts import TranscriptRequest
from memoryd_client.wire.upkeep import Backup, Reembed, Reindex
from memoryd_client.wire.virtual_files import FileRequest


class Dispatcher(msgspec.Struct, frozen=True, kw_only=True):
    """Answers requests. Expected failures leave as `memoryd_actors.core.errors`; the server makes them replies.

    Every answer passes `session_names` before it leaves.
    """

    intake: Intake
    searching: SearchingAnswers
    keeping: KeepingAnswers
    purging: PurgingAnswers
    conversations: ConversationAnswers
    files: VirtualFiles
    knowledge: KnowledgeBase
    core: CoreMemory
    checkpoints: CheckpointKeeper
    consolidation: ConsolidationAnswers
    review: ReviewAnswers
    mirrors: MirrorAnswers
    switches: Switches
    indexer: Indexer
    events: EventRepository
    categories: Categories
    view: MemoryView
    session_names: SessionNames
    spending: SpendingHistory
    reembed: Callable[[], str]
    health: Health
    back_up: Callable[[Path | None], Awaitable[str]]

    def answer_now(self, request: AnyRequest, caller: Caller) -> Reply | None:
        """Answer what needs neither disk nor model; None for everything else."""
        match request:
            case Take() if self.view.sees_all(caller):
                return self.intake.take_now(request, caller)
            case Ping():
                return self._pong()
            case _:
                return None

    async def answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:
        """Answer a request within its deadline."""
        return await self.session_names.for_caller(await self._answer(request, caller, deadline_s), caller)

    async def _answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911, PLR0912 - one case a room
        check_names(owner=caller.owner, session=caller.session, project=caller.project)
        self.switches.check(request, caller)
        if isinstance(request, IntakeRequest):
            return await self.intake.answer(request, caller, deadline_s)
        if isinstance(request, SearchingRequest):
            return await self.searching.answer(request, caller, deadline_s)
        if isinstance(request, KeepingRequest):
            return await self.keeping.answer(request, caller, deadline_s)
        if isinstance(request, Purge | PlanPurge):
            return await self.purging.answer(request, caller, deadline_s)
        if isinstance(request, TranscriptRequest | ContextRequest | ArchivingRequest):
            return await self.conversations.answer(request, caller, deadline_s)
        if isinstance(request, FileRequest):
            return await self.files.answer(request, caller, deadline_s=deadline_s)
        if isinstance(request, KnowledgeRequest):
            return await self.knowledge.answer(request, caller, deadline_s)
        if isinstance(request, CoreRequest):
            return await self.core.answer(request, caller)
        if isinstance(request, CheckpointRequest):
            return await self.checkpoints.answer(request, caller)
        if isinstance(request, ConsolidationRequest):
            return await self.consolidation.answer(request, caller)
        if isinstance(request, ReviewRequest):
            return await self.review.answer(request, caller, deadline_s)
        if isinstance(request, MirrorRequest):
            return await self.mirrors.answer(request, caller)
        match request:
            case CountEvents():
                return EventCounts(counts=tuple(await self.events.counts(caller.owner, days=request.days)))
            case ListDone():
                allowed = self.categories.allowed(caller.agent)
                return DoneEvents(events=tuple(await self.events.done(caller.owner, request, allowed=allowed)))
            case CountSpending():
                return SpentByDay(days=tuple(await self.spending.by_day(days=request.days)))
            case Switch():
                return await self.switches.turn(caller, on=request.on, everywhere=request.everywhere)
            case Backup():
                self.view.check_sees_all(
                    caller,
                    "a backup has all of them",
                    "Ask as yourself: `memoryd backup`, or a client without `agent`.",
                )
                return Done(await self.back_up(Path(request.path) if request.path else None))
            case Reindex():
                self.indexer.rebuild()
                return Done("rebuilding; `memoryd status` shows how far it is")
            case Reembed():
                return Done(self.reembed())
            case GetStatus():
                return await self.health.status(caller)
            case Ping():
                return self._pong()
            case _:
                assert_never(request)

    def _pong(self) -> Pong:
        return Pong(pid=os.getpid(), version=__version__, ready=self.health.ready)
