"""From requests to actors and back: what each request of the wire asks of the system."""

import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import assert_never

from anyio import to_thread
from msgspec import UNSET
from msgspec.structs import replace

from memoryd import __version__
from memoryd.transcript_dispatch import TranscriptDispatcher
from memoryd_actors.access.categories import Categories
from memoryd_actors.access.switch import Switches, refusal
from memoryd_actors.admission.gate import category_of
from memoryd_actors.admission.names import are_names, check_names
from memoryd_actors.consolidating.answering import Consolidating
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import NotFound, Refused, Unavailable
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.keeping.checkpoints import CheckpointKeeper
from memoryd_actors.keeping.core_memory import CoreMemory
from memoryd_actors.keeping.importing import Importer
from memoryd_actors.keeping.orders import Answer, Edit, KeeperMessage, Link, SetState, Store, TakeBack
from memoryd_actors.keeping.orders import Purge as PurgeMemories
from memoryd_actors.keeping.successors import heir
from memoryd_actors.memory.origin import other_end, showings
from memoryd_actors.memory.settings import name_of
from memoryd_actors.memory.signature import signed
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.purging.purger import TranscriptPurger
from memoryd_actors.recall.memory_actor import Recall
from memoryd_actors.searching.querying import Querier
from memoryd_actors.searching.search import Searcher
from memoryd_actors.virtual_files import VirtualFiles
from memoryd_client.drafts import destroy
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.checkpoints import DeleteCheckpoint, ListCheckpoints, LoadCheckpoint, SaveCheckpoint
from memoryd_client.wire.consent import Consents, DecideConsent, ListConsents
from memoryd_client.wire.consolidation import Consolidate, ListConsolidations, PlanConsolidation
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.core_memory import (
    CoreAppend,
    CorePurge,
    CoreReplace,
    CoreSet,
    CoreUndo,
    CoreView,
    GetCoreHistory,
)
from memoryd_client.wire.edges import Edges, GetEdges, Relate, Unrelate
from memoryd_client.wire.editing import Update
from memoryd_client.wire.event_counts import CountEvents, EventCounts
from memoryd_client.wire.history import GetHistory, History, Undo
from memoryd_client.wire.importing import Import, Imported, LeftOut, Record
from memoryd_client.wire.memories import Forget, Get, List, Memories, MemoryPage, Page, Read, Remember, Restore
from memoryd_client.wire.memory import Memory, State
from memoryd_client.wire.origin import GetOrigin, Origin
from memoryd_client.wire.pending import Recall as RecallRequest
from memoryd_client.wire.pending import Take, Taken
from memoryd_client.wire.protocol import AnyRequest, Reply
from memoryd_client.wire.purging import PlanPurge, Purge, PurgePlan
from memoryd_client.wire.query import Query
from memoryd_client.wire.request import Done
from memoryd_client.wire.search import Hits, Search
from memoryd_client.wire.session_context import BuildContext, Compact
from memoryd_client.wire.status import GetStatus, Ping, Pong, Status
from memoryd_client.wire.switching import Switch
from memoryd_client.wire.traces import Traces, Why
from memoryd_client.wire.transcripts import (
    Append,
    EndSession,
    ImportTranscript,
    ListSessions,
    PurgeSession,
    ReadTranscript,
    SearchMessages,
)
from memoryd_client.wire.upkeep import Backup, Reindex
from memoryd_client.wire.virtual_files import (
    DeleteFile,
    EditFile,
    GrepFiles,
    ListFiles,
    ReadFile,
    SearchFiles,
    WriteFile,
)

PLANNED = 2_000
"""Entries that the plan of a purge names: a frame has room for 4 KB of each."""
RETOLD = 500
"""Episodes and summaries that it names, each of some kilobytes,"""
NAMED = 5
"""and that an answer names by their ids."""
TRACES_READ = 500
"""Decision traces in which it is looked where a memory was shown."""


class Dispatcher:
    """Answers requests. Expected failures leave as `memoryd_actors.core.errors`; the server makes them replies."""

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
        core: CoreMemory,
        checkpoints: CheckpointKeeper,
        files: VirtualFiles,
        transcripts: TranscriptDispatcher,
        accept: Callable[[ContextUpdate, float], Awaitable[bool]],
        switches: Switches,
        importer: Importer,
        consolidating: Consolidating,
        purger: TranscriptPurger,
        drafts: Path,
    ) -> None:
        self._purger = purger
        self._drafts = drafts
        self._accept = accept
        self._transcripts = transcripts
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
        self._core = core
        self._checkpoints = checkpoints
        self._files = files
        self._switches = switches
        self._importer = importer
        self._consolidating = consolidating

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
                return Pong(pid=os.getpid(), version=__version__, ready=self._ready())
            case _:
                return None

    async def answer(self, request: AnyRequest, caller: Caller, deadline_s: float) -> Reply:  # noqa: PLR0911, PLR0912 - one case a request
        """Answer a request within its deadline."""
        self._check(request, caller)
        match request:
            case Ping():
                return Pong(pid=os.getpid(), version=__version__, ready=self._ready())
            case GetStatus():
                return await self._told(await self._status(), caller)
            case Push():
                if request.update.caller.owner != caller.owner:
                    raise Refused("a context belongs to whoever pushes it", "Push it under its own owner.")
                if not await self._accept(request.update, deadline_s):
                    raise Refused("the context is too old", "Push it when it is said; see `recall.stale_s`.")
                return Done("queued")
            case Take():
                return Taken() if self._is_off(caller) else await self._recall.take(caller, request.take_id)
            case Remember():
                self._categories.check(caller.agent, map(category_of, request.memories))
                return Memories(memories=await self._remember(request, caller, deadline_s))
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
            case Update():
                return await self._update(request, caller, deadline_s)
            case Relate() | Unrelate():
                return await self._link(request, caller, deadline_s)
            case Undo():
                return await self._undo(request, caller, deadline_s)
            case Purge():
                return await self._purge(request, caller, deadline_s)
            case PlanPurge():
                return await self._plan_purge(request, caller)
            case GetOrigin():
                return await self._origin(request, caller)
            case GetHistory():
                return await self._history(request, caller)
            case ListConsents():
                waiting = await self._ledger.consents.waiting(self._categories.visible(caller), limit=request.limit)
                return Consents(consents=tuple(waiting))
            case DecideConsent():
                proposal = await self._resolve(caller, request.id)
                answer = Answer(proposal.id, request.approve, caller)
                return Memories(memories=await self._keeper.ask(answer, deadline_s=deadline_s))
            case CountEvents():
                counts = await self._ledger.events.counts(caller.owner, days=request.days)
                return EventCounts(counts=tuple(counts))
            case Why():
                return Traces(traces=tuple(await self._recall.traces(caller, limit=request.limit)))
            case Import():
                return await self._import(request, caller, deadline_s)
            case GetEdges():
                return await self._edges(request, caller)
            case Backup():
                return Done(await self._back_up(Path(request.path) if request.path else None))
            case Reindex():
                self._indexer.rebuild()
                return Done("rebuilding; `memoryd status` shows how far it is")
            case ListFiles() | ReadFile() | WriteFile() | EditFile() | GrepFiles() | SearchFiles() | DeleteFile():
                return await self._files.answer(request, caller, deadline_s=deadline_s)
            case CoreView() | CoreAppend() | CoreReplace() | CoreSet() | CoreUndo() | CorePurge() | GetCoreHistory():
                return await self._core.answer(request, caller)
            case SaveCheckpoint() | LoadCheckpoint() | ListCheckpoints() | DeleteCheckpoint():
                return await self._checkpoints.answer(request, caller)
            case (
                Append()
                | BuildContext()
                | Compact()
                | ReadTranscript()
                | ListSessions()
                | SearchMessages()
                | EndSession()
                | ImportTranscript()
                | PurgeSession()
            ):
                return await self._transcripts.answer(request, caller, deadline_s)
            case Consolidate() | PlanConsolidation() | ListConsolidations():
                return await self._consolidating.answer(request, caller)
            case Switch():
                return await self._switches.turn(caller, on=request.on, everywhere=request.everywhere)
            case _:
                assert_never(request)

    def _check(self, request: AnyRequest, caller: Caller) -> None:
        check_names(owner=caller.owner, session=caller.session, project=caller.project)
        self._switches.check(request, caller)

    def _is_off(self, caller: Caller) -> bool:
        return self._switches.off(caller.owner, caller.project) is not None

    async def _told(self, status: Status, caller: Caller) -> Status:
        """Return the status with what is the caller's owner's: what is off, and the last consolidation."""
        memory = self._switches.status(caller)
        loud = (f"{memory.message}. {memory.hint}",) if memory.message else ()
        components = {**status.components, "memory": memory}
        if "consolidation" in components:
            facts = await self._consolidating.last(caller.owner)
            components["consolidation"] = replace(components["consolidation"], facts=facts)
        return replace(status, components=components, warnings=(*loud, *status.warnings))

    async def _list(self, request: List, caller: Caller) -> Memories:
        visible = self._categories.visible(caller, request.filters)
        before = (await self._resolve(caller, request.before)).id if request.before else ""
        memories = await self._ledger.memories.page(visible, limit=request.limit, before=before)
        more = memories[-1].id if len(memories) == request.limit else ""
        return Memories(memories=tuple(memories), next=more)

    async def _read(self, request: Read, caller: Caller) -> Page:
        memory = await self._resolve(caller, request.id)
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
        allowed = self._categories.allowed(caller.agent)
        try:
            memory_id = (await self._resolve(caller, request.id)).id if request.id else ""
        except NotFound:
            # Of what was purged there is a history still, under its whole id.
            memory_id = request.id
            if not await self._ledger.memories.history(caller.owner, memory_id=memory_id, limit=1, allowed=allowed):
                raise
        entries = await self._ledger.memories.history(
            caller.owner, memory_id=memory_id, limit=request.limit, allowed=allowed, before=request.before
        )
        return History(entries=tuple(entries))

    async def _update(self, request: Update, caller: Caller, deadline_s: float) -> Memories:
        memory = await self._changeable(caller, request.id)
        if request.changes.category is not UNSET:
            self._categories.check(caller.agent, [request.changes.category.casefold()])
        edit = Edit(memory.id, request.changes, request.revision, caller)
        return Memories(memories=await self._keeper.ask(edit, deadline_s=deadline_s))

    async def _undo(self, request: Undo, caller: Caller, deadline_s: float) -> Memories:
        if self._categories.allowed(caller.agent) is not None:
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and an operation may concern others",
                "Undo it as yourself: `memoryd undo` without `--agent`.",
            )
        taken_back = await self._keeper.ask(TakeBack(request.operation, caller), deadline_s=deadline_s)
        return Memories(memories=taken_back)

    async def _link(self, request: Relate | Unrelate, caller: Caller, deadline_s: float) -> Edges:
        link = Link(
            (await self._changeable(caller, request.from_id)).id,
            (await self._changeable(caller, request.to_id)).id,
            request.relation,
            request.strength if isinstance(request, Relate) else 0.0,
            caller,
            remove=isinstance(request, Unrelate),
        )
        source = (await self._keeper.ask(link, deadline_s=deadline_s))[0]
        return Edges(edges=tuple(await self._ledger.memories.edges(caller.owner, [source.id])))

    async def _purge(self, request: Purge, caller: Caller, deadline_s: float) -> Done:
        if request.every_session:
            self._check_sees_all(caller)
        doomed = [await self._resolve(caller, one) for one in request.ids]
        ids = [one.id for one in doomed]
        told = await self._purger.told(caller.owner, doomed, every_session=request.every_session)
        places = told.places
        seen = self._categories.visible(caller)
        retold = [one for one in told.retold if is_allowed(one.category, seen)]
        ids += [one.id for one in retold if request.transcripts]
        replaced = await self._replaced(list(dict.fromkeys((*told.ids, *ids))), caller)
        await to_thread.run_sync(destroy, self._drafts, ids)
        message = PurgeMemories(tuple(ids), caller.owner, signed(caller))
        gone = await self._keeper.ask(message, deadline_s=deadline_s)
        if not await self._indexer.purge(deadline_s=deadline_s):
            raise Unavailable(
                f"{len(gone)} memories are gone from the ledger, but their vectors are still on the disk",
                "They go when the index can be written; `memoryd status` says why it cannot.",
            )
        leaves = self._ledger.purges.leaves
        answer = f"{len(gone)} memories {f'purged: {leaves}' if leaves else 'destroyed'}"
        if places and request.transcripts:
            said = await self._purger.erase(places, deadline_s=deadline_s)
            answer += f", and the words of {said} entries of {len(places)} transcripts"
        elif places:
            sessions = ", ".join(f"`{session}` ({len(numbers)})" for (_, session), numbers in places.items())
            answer += (
                f"; transcripts still tell it, entries by session: {sessions}; `--transcripts` takes them out, too"
            )
        if retold and not request.transcripts:
            named = ", ".join(f"`{one.id}`" for one in retold[:NAMED])
            more = f" and {len(retold) - NAMED} more" if len(retold) > NAMED else ""
            answer += f"; episodes and summaries tell it, too, and go with `--transcripts`: {named}{more}"
        if request.transcripts and told.unreadable:
            answer += (
                f"; {told.unreadable} entries there have damaged lines and may tell it: `memoryd doctor` says which"
            )
        if replaced:
            answer += f"; superseded, by nothing that is there, until restored: {', '.join(replaced)}"
        return Done(answer)

    async def _plan_purge(self, request: PlanPurge, caller: Caller) -> PurgePlan:
        self._check_sees_all(caller)
        doomed = [await self._resolve(caller, one) for one in request.ids]
        told = await self._purger.told(caller.owner, doomed, every_session=request.every_session)
        return PurgePlan(
            ids=told.ids,
            entries=told.entries[:PLANNED],
            retold=told.retold[:RETOLD],
            more=len(told.entries[PLANNED:]),
            sessions=told.sessions,
            unreadable=told.unreadable,
            replaced=await self._replaced(told.ids, caller),
        )

    async def _replaced(self, ids: Sequence[str], caller: Caller) -> tuple[str, ...]:
        """Return what the caller may see of that which only these memories have taken the place of."""
        edges = await self._ledger.memories.edges(caller.owner, ids)
        there = await self._ledger.memories.get(
            caller.owner, list({end for one in edges for end in (one.from_id, one.to_id)})
        )
        leaving = {one: there[one].superseded_by if one in there else "" for one in ids}
        seen = self._categories.visible(caller)
        return tuple(
            one.id
            for one in there.values()
            if one.superseded_by in leaving
            and one.id not in leaving
            and not heir(one.superseded_by, leaving)
            and is_allowed(one.category, seen)
        )

    def _check_sees_all(self, caller: Caller) -> None:
        if self._categories.allowed(caller.agent) is not None:
            raise Refused(
                f"the agent `{caller.agent}` may see some categories only, and of transcripts that of its own session",
                "Purge it as yourself: without `--agent`.",
            )

    async def _origin(self, request: GetOrigin, caller: Caller) -> Origin:
        memory = await self._resolve(caller, request.id)
        seen = self._categories.visible(caller)
        edges = await self._ledger.memories.edges(caller.owner, [memory.id])
        found = await self._ledger.memories.get(caller.owner, [other_end(edge, memory.id) for edge in edges])
        others = {one.id: one for one in found.values() if is_allowed(one.category, seen)}
        edges = [edge for edge in edges if other_end(edge, memory.id) in others]
        traces = await self._ledger.sessions.traces(caller.owner, "", limit=TRACES_READ)
        return Origin(
            memory=memory,
            edges=tuple(edges),
            others=tuple(others.values()),
            history=tuple(await self._ledger.memories.history(caller.owner, memory_id=memory.id)),
            shown=tuple(showings(memory.id, traces)),
        )

    async def _import(self, request: Import, caller: Caller, deadline_s: float) -> Imported:
        self._categories.check(caller.agent, (name_of(record.category) for record in request.records))
        closed: list[LeftOut] = []
        kept: list[Record] = []
        for record in request.records:
            # A record may belong to another project than the caller's, and memory may be off there.
            off = self._switches.off(caller.owner, record.project) if record.project else None
            if off is None:
                kept.append(record)
            else:
                closed.append(LeftOut(id=record.id, reason=str(refusal(off))))
        if self._categories.allowed(caller.agent) is not None and request.edges:
            ends = {end for edge in request.edges for end in (edge.from_id, edge.to_id)}
            seen = self._categories.visible(caller)
            found = await self._ledger.memories.get(caller.owner, sorted(ends))
            hidden = {one.id for one in found.values() if not is_allowed(one.category, seen)}
            edges = tuple(one for one in request.edges if not {one.from_id, one.to_id} & hidden)
        else:
            edges = request.edges
        done = await self._importer.bring_in(
            replace(request, records=tuple(kept), edges=edges), caller, deadline_s=deadline_s
        )
        await self._recall.note_written(caller, (*done.added, *done.proposed))
        return replace(done, left_out=(*closed, *done.left_out))

    async def _edges(self, request: GetEdges, caller: Caller) -> Edges:
        edges = await self._ledger.memories.edges(caller.owner, request.ids)
        if self._categories.allowed(caller.agent) is not None:
            ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
            seen = self._categories.visible(caller)
            found = await self._ledger.memories.get(caller.owner, sorted(ends))
            shown = {one.id for one in found.values() if is_allowed(one.category, seen)}
            edges = [edge for edge in edges if {edge.from_id, edge.to_id} <= shown]
        return Edges(edges=tuple(edges))

    async def _remember(self, request: Remember, caller: Caller, deadline_s: float) -> tuple[Memory, ...]:
        noted = partial(self._recall.note_written, caller)
        store = Store(request.memories, caller, on_admitted=noted)
        stored = await self._keeper.ask(store, deadline_s=deadline_s)
        asked = {one.id for one in request.memories}
        if others := [memory.id for memory in stored if memory.id not in asked]:
            # Those that they were merged into.
            await noted(others)
        seen = self._categories.visible(caller)
        if hidden := [memory.id for memory in stored if not is_allowed(memory.category, seen)]:
            # An id that was taken, or words that another agent stored: what it is belongs to those who may see it.
            raise Refused(
                f"the agent `{caller.agent}` may not see {len(hidden)} of what this says or is called",
                "Leave the ids out, and say it in other words.",
            )
        return stored

    async def _change_state(self, memory_id: str, state: State, caller: Caller, deadline_s: float) -> Memories:
        memory = await self._resolve(caller, memory_id)
        changed = await self._keeper.ask(SetState(memory.id, state, caller), deadline_s=deadline_s)
        return Memories(memories=changed)

    async def _changeable(self, caller: Caller, memory_id: str) -> Memory:
        """Return the memory that the caller means to change: also from elsewhere, memory has to be on where it is."""
        memory = await self._resolve(caller, memory_id)
        if memory.project and (off := self._switches.off(caller.owner, memory.project)):
            raise refusal(off)
        return memory

    async def _resolve(self, caller: Caller, memory_id: str) -> Memory:
        """Return the one memory that the caller means; of a category that its agent may not see, there is none."""
        return await self._ledger.memories.resolve(
            caller.owner, memory_id, allowed=self._categories.allowed(caller.agent)
        )
