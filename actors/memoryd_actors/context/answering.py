"""Answers what is asked of conversations: to write them down, to read and search them, to build contexts of them."""

from collections.abc import Callable, Sequence
from typing import assert_never

from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.names import check_names
from memoryd_actors.context.building import ContextBuilder
from memoryd_actors.context.compacting import Compactor
from memoryd_actors.context.turn_summaries import TurnSummariser
from memoryd_actors.conversations.orders import ImportEntries
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.conversations.session_access import SessionAccess
from memoryd_actors.core.errors import Refused
from memoryd_actors.ports.ledger import PurgeRepository
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.purging.finisher import PurgeFinisher
from memoryd_actors.searching.conversation import Conversations
from memoryd_client.base.wording import counted
from memoryd_client.wire.archiving import (
    ArchiveTurns,
    ArchivingRequest,
    ListTurnSummaries,
    SummarizeTurns,
    TurnSummaries,
)
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.core_memory import SummarizedSoFar
from memoryd_client.wire.request import Done
from memoryd_client.wire.session_context import BuildContext, Compact, Compacted, ContextRequest, SessionContext
from memoryd_client.wire.transcripts import (
    Append,
    Appended,
    Ended,
    EndSession,
    Entry,
    FoundMessages,
    ImportTranscript,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SearchMessages,
    Sessions,
    Transcript,
    TranscriptRecord,
    TranscriptRequest,
)

ConversationReply = (
    Appended | SessionContext | Compacted | TurnSummaries | Transcript | Sessions | FoundMessages | Ended | Done
)


class ConversationAnswers:
    """Hands what concerns conversations to the scribe, the transcripts, the contexts or the compactor."""

    def __init__(
        self,
        *,
        summaries: TurnSummariser,
        scribe: Scribe,
        transcripts: Transcripts,
        conversations: Conversations,
        access: SessionAccess,
        contexts: ContextBuilder,
        compactor: Compactor,
        switches: Switches,
        on_append: Callable[[Sequence[Entry | TranscriptRecord], Caller], None],
        purges: PurgeRepository,
        finisher: PurgeFinisher,
        let_go: Callable[[Key], None],
    ) -> None:
        """Prepare; `on_append` hears of entries where memory is on, `let_go` that a session is purged."""
        self._summaries = summaries
        self._scribe = scribe
        self._transcripts = transcripts
        self._conversations = conversations
        self._access = access
        self._contexts = contexts
        self._compactor = compactor
        self._switches = switches
        self._on_append = on_append
        self._purges = purges
        self._finisher = finisher
        self._let_go = let_go

    async def answer(  # noqa: PLR0911, PLR0912 - one case a request
        self, request: TranscriptRequest | ContextRequest | ArchivingRequest, caller: Caller, deadline_s: float
    ) -> ConversationReply:
        """Answer a request within its deadline.

        Raises:
            Refused: no session is named, or the agent may see its own only.
            Unavailable: the index of messages cannot be searched.
            PurgeUnfinished: a session is purged, and something that has its words cannot be rewritten now.
        """
        match request:
            case Append():
                check_names(**{f"entries[{number}].id": entry.id for number, entry in enumerate(request.entries)})
                appended = await self._scribe.append(caller, request.entries, deadline_s=deadline_s)
                if self._switches.off(caller.owner, caller.project) is None:
                    self._on_append(request.entries, caller)
                return appended
            case BuildContext():
                await self._access.check(caller, request.session or caller.session)
                off = self._switches.off(caller.owner, caller.project) is not None
                return await self._contexts.build(request, caller, off=off)
            case Compact():
                session = request.session or caller.session
                if not session:
                    raise Refused("there is no session to compact", "Name it: `session=`, or `--session`.")
                await self._access.check(caller, session)
                return await self._compactor.compact((caller.owner, session), deadline_s=deadline_s)
            case SummarizeTurns() | ArchiveTurns() | ListTurnSummaries():
                session = request.session or caller.session
                if not session:
                    raise Refused("it is not said of which session", "Name it: `session=`, or `--session`.")
                await self._access.check(caller, session)
                return await self._summaries.answer(request, (caller.owner, session))
            case ReadTranscript():
                await self._access.check(caller, request.session or caller.session)
                return await self._conversations.read(request, caller)
            case ListSessions():
                return Sessions(
                    sessions=await self._access.sessions(caller, limit=request.limit, offset=request.offset)
                )
            case SearchMessages():
                await self._access.check(caller, request.session)
                return await self._conversations.search(request, caller, deadline_s=deadline_s)
            case EndSession():
                return await self._end(request.session or caller.session, caller, deadline_s)
            case ImportTranscript():
                await self._access.check(caller, request.session)
                project, agent = request.project or caller.project, request.agent or caller.agent
                bring = ImportEntries(caller, request.session, request.records, project, agent)
                brought = await self._scribe.bring(bring, deadline_s=deadline_s)
                if self._switches.off(caller.owner, project) is None:
                    self._on_append(
                        request.records,
                        Caller(owner=caller.owner, project=project, agent=agent, session=request.session),
                    )
                return brought
            case PurgeSession():
                await self._access.check(caller, request.session)
                return await self._purge((caller.owner, request.session), caller.project, deadline_s)
            case _:
                assert_never(request)

    async def summarized(self, caller: Caller, session: str) -> SummarizedSoFar | None:
        """Return how far a session is summarised; None where nothing was said, or the caller may not look into it."""
        try:
            await self._access.check(caller, session)
        except Refused:
            return None
        return await self._summaries.so_far((caller.owner, session))

    async def _purge(self, key: Key, project: str, deadline_s: float) -> Done:
        info = await self._transcripts.info(key)
        last = await self._transcripts.last(key)
        self._let_go(key)
        await self._purges.purge_session(*key, project=info.project if info else project, last=last)
        await self._finisher.finish(deadline_s=deadline_s)
        leaves = self._purges.leaves
        return Done(f"{counted(info.entries if info else 0, 'entry')} {f'purged: {leaves}' if leaves else 'destroyed'}")

    async def _end(self, session: str, caller: Caller, deadline_s: float) -> Ended:
        if not session:
            raise Refused("there is no session to end", "Name it: `session=`, or `memoryd session end SESSION`.")
        await self._access.check(caller, session)
        check_names(session=session)
        return Ended(session=session, last=await self._scribe.end((caller.owner, session), deadline_s=deadline_s))
