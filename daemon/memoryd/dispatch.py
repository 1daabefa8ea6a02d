"""The router: which part of the system answers which request."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import assert_never

from memoryd import __version__
from memoryd.health import Health
from memoryd.intake import Intake
from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.names import are_names, check_names
from memoryd_actors.consolidating.answering import ConsolidationAnswers
from memoryd_actors.consolidating.review import ReviewAnswers
from memoryd_actors.context.answering import ConversationAnswers
from memoryd_actors.core.errors import Refused
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.answering import KeepingAnswers, KeepingRequest
from memoryd_actors.keeping.checkpoints import CheckpointKeeper
from memoryd_actors.keeping.core_memory import CoreMemory
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.purging.answering import PurgingAnswers
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_actors.searching.answering import SearchingAnswers, SearchingRequest
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import CheckpointRequest
from memoryd_client.wire.consolidation import ConsolidationRequest
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.core_memory import CoreRequest
from memoryd_client.wire.event_counts import CountEvents, EventCounts
from memoryd_client.wire.pending import Cleared, Recall, Take, Taken, Turn
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.purging import PlanPurge, Purge
from memoryd_client.wire.request import Done
from memoryd_client.wire.review import ReviewRequest
from memoryd_client.wire.session_context import ContextRequest
from memoryd_client.wire.status import GetStatus, Ping, Pong
from memoryd_client.wire.switching import Switch
from memoryd_client.wire.traces import Traces, Why
from memoryd_client.wire.transcripts import TranscriptRequest
from memoryd_client.wire.upkeep import Backup, Reindex
from memoryd_client.wire.virtual_files import FileRequest

TURN_SHARE = 0.8
"""Of the deadline that a turn waits for what it brings up; the rest is for taking it."""


class Dispatcher:
    """Answers requests. Expected failures leave as `memoryd_actors.core.errors`; the server makes them replies."""

    def __init__(
        self,
        *,
        keeping: KeepingAnswers,
        searching: SearchingAnswers,
        purging: PurgingAnswers,
        conversations: ConversationAnswers,
        consolidation: ConsolidationAnswers,
        review: ReviewAnswers,
        core: CoreMemory,
        checkpoints: CheckpointKeeper,
        files: VirtualFiles,
        recall: MemoryActor,
        switches: Switches,
        indexer: Indexer,
        ledger: Ledger,
        health: Health,
        intake: Intake,
        back_up: Callable[[Path | None], Awaitable[str]],
    ) -> None:
        self._keeping = keeping
        self._searching = searching
        self._purging = purging
        self._conversations = conversations
        self._consolidation = consolidation
        self._review = review
        self._core = core
        self._checkpoints = checkpoints
        self._files = files
        self._recall = recall
        self._switches = switches
        self._indexer = indexer
        self._ledger = ledger
        self._health = health
        self._intake = intake
        self._back_up = back_up

    def answer_now(self, request: AnyRequest, caller: Caller) -> Reply | None:
        """Answer what needs neither disk nor model; None for everything else."""
        match request:
            case Take() if not are_names(caller):
                return None  # where the reason is told
            case Take() if self._is_off(caller):
                return Taken()
            case Take():
                return self._recall.take_now(caller, request.take_id)
            case Ping():
                return self._pong()
            case _:
                return None

    async def answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911, PLR0912 - one case a room
        """Answer a request within its deadline."""
        check_names(owner=caller.owner, session=caller.session, project=caller.project)
        self._switches.check(request, caller)
        if isinstance(request, SearchingRequest):
            return await self._searching.answer(request, caller, deadline_s)
        if isinstance(request, KeepingRequest):
            return await self._keeping.answer(request, caller, deadline_s)
        if isinstance(request, Purge | PlanPurge):
            return await self._purging.answer(request, caller, deadline_s)
        if isinstance(request, TranscriptRequest | ContextRequest):
            return await self._conversations.answer(request, caller, deadline_s)
        if isinstance(request, FileRequest):
            return await self._files.answer(request, caller, deadline_s=deadline_s)
        if isinstance(request, CoreRequest):
            return await self._core.answer(request, caller)
        if isinstance(request, CheckpointRequest):
            return await self._checkpoints.answer(request, caller)
        if isinstance(request, ConsolidationRequest):
            return await self._consolidation.answer(request, caller)
        if isinstance(request, ReviewRequest):
            return await self._review.answer(request, caller, deadline_s)
        match request:
            case Push():
                _check_owner(request.update, caller)
                if not await self._intake.push(request.update, deadline_s):
                    raise Refused("the context is too old", "Push it when it is said; see `recall.stale_s`.")
                return Done("queued")
            case Take():
                return Taken() if self._is_off(caller) else await self._recall.take(caller, request.take_id)
            case Turn():
                _check_owner(request.update, caller)
                wait_s = min(request.wait_s, TURN_SHARE * deadline_s)
                return await self._intake.turn(request.update, request.take_id, wait_s)
            case Cleared():
                await self._recall.clear(caller)
                return Done()
            case Recall():
                return Taken(await self._recall.recall(caller, request.messages))
            case Why():
                return Traces(traces=tuple(await self._recall.traces(caller, limit=request.limit)))
            case CountEvents():
                return EventCounts(counts=tuple(await self._ledger.events.counts(caller.owner, days=request.days)))
            case Switch():
                return await self._switches.turn(caller, on=request.on, everywhere=request.everywhere)
            case Backup():
                return Done(await self._back_up(Path(request.path) if request.path else None))
            case Reindex():
                self._indexer.rebuild()
                return Done("rebuilding; `memoryd status` shows how far it is")
            case GetStatus():
                return await self._health.status(caller)
            case Ping():
                return self._pong()
            case _:
                assert_never(request)

    def _pong(self) -> Pong:
        return Pong(pid=os.getpid(), version=__version__, ready=self._health.ready)

    def _is_off(self, caller: Caller) -> bool:
        return self._switches.off(caller.owner, caller.project) is not None


def _check_owner(update: ContextUpdate, caller: Caller) -> None:
    if update.caller.owner != caller.owner:
        raise Refused("a context belongs to whoever pushes it", "Push it under its own owner.")
