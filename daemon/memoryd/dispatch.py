"""From requests to actors and back: what each request of the wire asks of the system."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import assert_never

from memoryd import __version__
from memoryd_actors.actor import ActorRef
from memoryd_actors.admission import category_of
from memoryd_actors.categories import Categories
from memoryd_actors.errors import Refused
from memoryd_actors.indexer import Indexer
from memoryd_actors.keeper import ChangeState, KeeperMessage, Store
from memoryd_actors.ports import Clock, Ledger
from memoryd_actors.querying import Querier
from memoryd_actors.recall import Recall
from memoryd_actors.search import Searcher
from memoryd_client.memory import Memory, MemoryPage, State
from memoryd_client.messages import (
    Backup,
    Caller,
    Done,
    Forget,
    Get,
    GetHistory,
    GetStatus,
    History,
    Hits,
    List,
    Memories,
    Page,
    Ping,
    Pong,
    Push,
    Read,
    Reindex,
    Remember,
    Reply,
    Request,
    Restore,
    Search,
    Status,
    Take,
    Taken,
    Traces,
    Why,
)
from memoryd_client.messages import Recall as RecallRequest
from memoryd_client.query import Query


class Dispatcher:
    """Answers requests. Expected failures leave as `memoryd_actors.errors`; the server makes them replies."""

    def __init__(
        self,
        *,
        recall: Recall,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        searcher: Searcher,
        querier: Querier,
        indexer: Indexer,
        ledger: Ledger,
        clock: Clock,
        status: Callable[[], Awaitable[Status]],
        back_up: Callable[[Path | None], Awaitable[str]],
        ready: Callable[[], bool],
        categories: Categories,
    ) -> None:
        self._recall = recall
        self._keeper = keeper
        self._searcher = searcher
        self._querier = querier
        self._indexer = indexer
        self._ledger = ledger
        self._clock = clock
        self._status = status
        self._back_up = back_up
        self._ready = ready
        self._categories = categories

    def answer_now(self, request: Request, caller: Caller) -> Reply | None:
        """Answer what needs neither disk nor model; None for everything else."""
        match request:
            case Take():
                return self._recall.take_now(caller, request.take_id)
            case Ping():
                return Pong(pid=os.getpid(), version=__version__, ready=self._ready())
            case _:
                return None

    async def answer(self, request: Request, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911, PLR0912 - one case a request
        """Answer a request within its deadline."""
        match request:
            case Ping():
                return Pong(pid=os.getpid(), version=__version__, ready=self._ready())
            case GetStatus():
                return await self._status()
            case Push():
                if request.update.caller.owner != caller.owner:
                    raise Refused("a context belongs to whoever pushes it", "Push it under its own owner.")
                if not self._recall.offer(request.update):
                    raise Refused("the context is too old", "Push it when it is said; see `recall.stale_s`.")
                return Done("queued")
            case Take():
                return await self._recall.take(caller, request.take_id)
            case Remember():
                self._categories.check(caller.agent, map(category_of, request.memories))
                stored = await self._keeper.ask(Store(request.memories, caller), deadline_s=deadline_s)
                await self._recall.note_written(caller, [memory.id for memory in stored])
                return Memories(memories=stored)
            case Search():
                hits = await self._searcher.search(
                    request.query,
                    self._categories.visible(caller, request.filters),
                    limit=request.limit,
                    deadline_s=deadline_s,
                )
                return Hits(hits=tuple(hits))
            case Query():
                return await self._querier.query(request, caller, deadline_s=deadline_s)
            case RecallRequest():
                return Taken(await self._recall.recall(caller, request.messages))
            case List():
                return await self._list(request, caller)
            case Get():
                return Memories(memories=(await self._resolve(caller, request.id),))
            case Read():
                return await self._read(request, caller)
            case Forget():
                return await self._change_state(request.id, State.FORGOTTEN, caller, deadline_s)
            case Restore():
                return await self._change_state(request.id, State.ACTIVE, caller, deadline_s)
            case GetHistory():
                return await self._history(request, caller)
            case Why():
                return Traces(traces=tuple(await self._recall.traces(caller, limit=request.limit)))
            case Backup():
                return Done(await self._back_up(Path(request.path) if request.path else None))
            case Reindex():
                self._indexer.rebuild()
                return Done("rebuilding; `memoryd status` shows how far it is")
            case _:
                assert_never(request)

    async def _list(self, request: List, caller: Caller) -> Memories:
        visible = self._categories.visible(caller, request.filters)
        before = (await self._resolve(caller, request.before)).id if request.before else ""
        memories = await self._ledger.page(visible, limit=request.limit, before=before)
        more = memories[-1].id if len(memories) == request.limit else ""
        return Memories(memories=tuple(memories), next=more)

    async def _read(self, request: Read, caller: Caller) -> Page:
        memory = await self._resolve(caller, request.id)
        await self._ledger.touch(caller.owner, [memory.id], self._clock.now())
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
        memory_id = (await self._resolve(caller, request.id)).id if request.id else ""
        entries = await self._ledger.history(
            caller.owner, memory_id=memory_id, limit=request.limit, allowed=self._categories.allowed(caller.agent)
        )
        return History(entries=tuple(entries))

    async def _change_state(self, memory_id: str, state: State, caller: Caller, deadline_s: float) -> Memories:
        memory = await self._resolve(caller, memory_id)
        changed = await self._keeper.ask(ChangeState(memory.id, state, caller), deadline_s=deadline_s)
        return Memories(memories=changed)

    async def _resolve(self, caller: Caller, memory_id: str) -> Memory:
        """Return the one memory that the caller means; of a category that its agent may not see, there is none."""
        return await self._ledger.resolve(caller.owner, memory_id, allowed=self._categories.allowed(caller.agent))
