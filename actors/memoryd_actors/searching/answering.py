"""Answers what is asked of memories that are there: to find them, to read them, to tell where they come from."""

from typing import assert_never

from msgspec.structs import replace

from memoryd_actors.access.categories import DOCUMENTS
from memoryd_actors.access.recording import ClientRecorder
from memoryd_actors.access.view import MemoryView
from memoryd_actors.core.errors import NotFound
from memoryd_actors.memory.origin import other_end, showings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.searching.querying import Querier
from memoryd_actors.searching.search import FLOOR, Searcher
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.categories import CategoryList, ListCategories
from memoryd_client.wire.edges import Edges, GetEdges
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.history import GetHistory, History
from memoryd_client.wire.memories import Get, List, Memories, MemoryPage, Page, Read
from memoryd_client.wire.origin import GetOrigin, Origin
from memoryd_client.wire.query import Queried, Query
from memoryd_client.wire.search import Hits, Search

SearchingRequest = Search | Query | List | Get | Read | GetHistory | GetOrigin | GetEdges | ListCategories
SearchingReply = Hits | Queried | Memories | Page | History | Origin | Edges | CategoryList

TRACES_READ = 500
"""Decision traces in which it is looked where a memory was shown."""


class SearchingAnswers:
    """Finds and reads memories for whoever may see them."""

    def __init__(
        self,
        *,
        searcher: Searcher,
        querier: Querier,
        ledger: Ledger,
        view: MemoryView,
        clock: Clock,
        recorder: ClientRecorder,
    ) -> None:
        """Prepare; the recorder learns of each search."""
        self._recorder = recorder
        self._searcher = searcher
        self._querier = querier
        self._ledger = ledger
        self._view = view
        self._clock = clock

    async def answer(self, request: SearchingRequest, caller: Caller, deadline_s: float) -> SearchingReply:  # noqa: PLR0911 - one case a request
        """Answer a request within its deadline.

        Raises:
            NotFound: there is no such memory, or none that the caller may see.
            Refused: a category is not on the agent's allowlist.
            Unavailable: the index cannot be searched.
        """
        match request:
            case Search():
                return await self._search(request, caller, deadline_s)
            case Query():
                return await self._querier.query(request, caller, deadline_s=deadline_s)
            case List():
                return await self._list(request, caller)
            case Get():
                return Memories(memories=(await self._view.resolve(caller, request.id),))
            case Read():
                return await self._read(request, caller)
            case GetHistory():
                return await self._history(request, caller)
            case GetOrigin():
                return await self._origin(request, caller)
            case GetEdges():
                return Edges(edges=tuple(await self._view.edges(caller, request.ids)))
            case ListCategories():
                return await self._view.categories(caller, Filters(scope=request.scope))
            case _:
                assert_never(request)

    async def _search(self, request: Search, caller: Caller, deadline_s: float) -> Hits:
        with self._recorder.recorded("search", caller) as outcome:
            visible = self._apart(self._view.visible(caller, request.filters))
            hits = await self._searcher.search(
                request.query,
                visible,
                limit=request.limit,
                deadline_s=deadline_s,
                floor=0.0 if request.everything else FLOOR,
                folded=not request.everything,
            )
            outcome.note(hit.vector_score for hit in hits.hits)
        return hits

    @staticmethod
    def _apart(visible: Visibility) -> Visibility:
        """Return what is visible without documents, unless their category is asked for."""
        return visible if visible.filters.categories else replace(visible, without=visible.without | DOCUMENTS)

    async def _list(self, request: List, caller: Caller) -> Memories:
        visible = self._view.visible(caller, request.filters)
        if not request.passages:
            visible = self._apart(visible)
        before = (await self._view.resolve(caller, request.before)).id if request.before else ""
        memories = await self._ledger.memories.page(visible, limit=request.limit, before=before)
        more = memories[-1].id if len(memories) == request.limit else ""
        return Memories(memories=tuple(memories), next=more)

    async def _read(self, request: Read, caller: Caller) -> Page:
        memory = await self._view.resolve(caller, request.id)
        await self._ledger.memories.touch(caller.owner, [memory.id], self._clock.now())
        end = request.offset + request.limit
        return Page(
            MemoryPage(
                id=memory.id,
                content=memory.content[request.offset : end],
                offset=request.offset,
                total=len(memory.content),
                next_offset=end if end < len(memory.content) else None,
            )
        )

    async def _history(self, request: GetHistory, caller: Caller) -> History:
        try:
            memory_id = (await self._view.resolve(caller, request.id)).id if request.id else ""
        except NotFound:
            # Of what was purged there is a history still, under its whole id.
            memory_id = request.id
            if not await self._view.history(caller, memory_id=memory_id, limit=1):
                raise
        entries = await self._view.history(caller, memory_id=memory_id, limit=request.limit, before=request.before)
        return History(entries=tuple(entries))

    async def _origin(self, request: GetOrigin, caller: Caller) -> Origin:
        memory = await self._view.resolve(caller, request.id)
        edges = await self._view.edges(caller, [memory.id])
        others = await self._view.get(caller, [other_end(edge, memory.id) for edge in edges])
        traces = await self._ledger.sessions.traces(caller.owner, "", limit=TRACES_READ)
        if not self._view.sees_all(caller):
            # What was said of it to others may be about more than it.
            traces = [trace for trace in traces if trace.agent == caller.agent]
        return Origin(
            memory=memory,
            edges=tuple(edges),
            others=tuple(others.values()),
            history=tuple(await self._ledger.memories.history(caller.owner, memory_id=memory.id)),
            shown=tuple(showings(memory.id, traces)),
        )
