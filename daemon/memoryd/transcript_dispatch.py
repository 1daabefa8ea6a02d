"""What is asked of conversations: which request goes to the scribe, the transcripts, the contexts or the compactor."""

from collections.abc import Awaitable, Callable, Sequence
from typing import assert_never

from memoryd_actors.access.categories import Categories
from memoryd_actors.admission.names import check_names
from memoryd_actors.context import Compactor, ContextBuilder
from memoryd_actors.conversations.orders import Bring
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.core.errors import Refused
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.memory.progress import ENDED, Progress, ProgressBook
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_actors.searching.conversation import Conversations
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.protocol import Reply
from memoryd_client.wire.request import Done
from memoryd_client.wire.session_context import BuildContext, Compact
from memoryd_client.wire.transcripts import (
    Append,
    Ended,
    EndSession,
    Entry,
    ImportTranscript,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SearchMessages,
    Sessions,
)

TranscriptRequest = (
    Append
    | BuildContext
    | Compact
    | ReadTranscript
    | ListSessions
    | SearchMessages
    | EndSession
    | ImportTranscript
    | PurgeSession
)


class TranscriptDispatcher:
    """Answers what is asked of transcripts."""

    def __init__(
        self,
        *,
        scribe: Scribe,
        transcripts: Transcripts,
        conversations: Conversations,
        indexer: MessageIndexer,
        categories: Categories,
        contexts: ContextBuilder,
        compactor: Compactor,
        off: Callable[[str, str], object | None],
        forget: Callable[[Key, str], Awaitable[None]],
        progress: ProgressBook,
        on_append: Callable[[Sequence[Entry], Caller], None],
        on_end: Callable[[Key], None],
    ) -> None:
        self._progress = progress
        self._on_append = on_append
        self._on_end = on_end
        self._forget_memories = forget
        self._contexts = contexts
        self._compactor = compactor
        self._off = off
        self._scribe = scribe
        self._transcripts = transcripts
        self._conversations = conversations
        self._indexer = indexer
        self._categories = categories

    async def answer(self, request: TranscriptRequest, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911 - one case a request
        """Answer a request within its deadline."""
        match request:
            case Append():
                check_names(**{f"entries[{number}].id": entry.id for number, entry in enumerate(request.entries)})
                appended = await self._scribe.append(caller, request.entries, deadline_s=deadline_s)
                if self._off(caller.owner, caller.project) is None:
                    self._on_append(request.entries, caller)
                return appended
            case BuildContext():
                self._check(caller, request.session or caller.session)
                off = self._off(caller.owner, caller.project) is not None
                return await self._contexts.build(request, caller, off=off)
            case Compact():
                session = request.session or caller.session
                if not session:
                    raise Refused("there is no session to compact", "Name it: `session=`, or `--session`.")
                self._check(caller, session)
                return await self._compactor.compact((caller.owner, session), deadline_s=deadline_s)
            case ReadTranscript():
                self._check(caller, request.session or caller.session)
                return await self._conversations.read(request, caller)
            case ListSessions():
                self._check(caller, "")
                listed = await self._transcripts.sessions(caller.owner, limit=request.limit, offset=request.offset)
                return Sessions(sessions=tuple(listed))
            case SearchMessages():
                self._check(caller, request.session)
                return await self._conversations.search(request, caller, deadline_s=deadline_s)
            case EndSession():
                return await self._end(request.session or caller.session, caller, deadline_s)
            case ImportTranscript():
                self._check(caller, request.session)
                project, agent = request.project or caller.project, request.agent or caller.agent
                bring = Bring(caller, request.session, request.records, project, agent)
                return await self._scribe.bring(bring, deadline_s=deadline_s)
            case PurgeSession():
                self._check(caller, request.session)
                key = caller.owner, request.session
                info = await self._transcripts.info(key)
                gone = await self._scribe.purge(key, self._forget, deadline_s=deadline_s)
                await self._forget_memories(key, info.project if info else caller.project)
                return Done(f"{gone} entries destroyed")
            case _:
                assert_never(request)

    async def _end(self, session: str, caller: Caller, deadline_s: float) -> Ended:
        if not session:
            raise Refused("there is no session to end", "Name it: `session=`, or `memoryd session end SESSION`.")
        self._check(caller, session)
        check_names(session=session)
        key = caller.owner, session

        async def note(last: int) -> None:
            await self._progress.note_progress(Progress(*key, ENDED, last))

        last = await self._scribe.end(key, note, deadline_s=deadline_s)
        self._on_end(key)
        return Ended(session=session, last=last)

    async def _forget(self, key: Key) -> None:
        await self._indexer.forget(key)
        await self._progress.forget_progress(*key)
        self._on_end(key)

    def _check(self, caller: Caller, session: str) -> None:
        """Refuse an agent that may see some categories only what was said elsewhere: it may be about the others."""
        if self._categories.allowed(caller.agent) is not None and (not session or session != caller.session):
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and of transcripts that of its own session",
                "Name that session, or ask as somebody else.",
            )
