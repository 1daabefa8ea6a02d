"""Answers what is asked of the Keeper: to store memories, to change, link and import them, to decide proposals."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import assert_never

import anyio
from msgspec import UNSET
from msgspec.structs import replace

from memoryd_actors.access.recording import ClientRecorder
from memoryd_actors.access.switch import Switches, refusal
from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import BY_AGENT, agents_trust
from memoryd_actors.core.actor import ActorRef
from memoryd_actors.core.errors import Refused, first_of
from memoryd_actors.keeping.authorship import (
    Authorship,
    brought_by_agent,
    changed_by_agent,
    check_outranked,
    placed,
    stored_by_agent,
)
from memoryd_actors.keeping.importing import Importer
from memoryd_actors.keeping.orders import (
    DecideProposal,
    EditMemory,
    KeeperMessage,
    LinkMemories,
    SetState,
    Store,
    TakeBack,
)
from memoryd_actors.memory.steps import RELATED, RESERVED, AddEdge
from memoryd_actors.ports.ledger import ConsentRepository
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consents, DecideConsent, ListConsents
from memoryd_client.wire.edges import Edges, Relate, Unrelate
from memoryd_client.wire.editing import Update
from memoryd_client.wire.history import Undo
from memoryd_client.wire.importing import Import, Imported, LeftOut, MemoryRecord
from memoryd_client.wire.memories import Forget, Memories, Remember, Restore
from memoryd_client.wire.memory import Memory, NewMemory, Scope, State

KeepingRequest = Remember | Update | Forget | Restore | Relate | Unrelate | Undo | Import | ListConsents | DecideConsent
KeepingReply = Memories | Edges | Imported | Consents


class KeepingAnswers:
    """Hands what callers want kept or changed to the Keeper."""

    def __init__(
        self,
        *,
        keeper: ActorRef[KeeperMessage, tuple[Memory, ...]],
        importer: Importer,
        consents: ConsentRepository,
        view: MemoryView,
        switches: Switches,
        note_written: Callable[[Caller, Sequence[str]], Coroutine[object, object, None]],
        note_changed: Callable[[Caller, Sequence[str]], Coroutine[object, object, None]],
        named_project: Callable[[Caller], Awaitable[str]],
        authorship: Authorship,
        recorder: ClientRecorder,
    ) -> None:
        """Prepare; `note_` put down durably what a session knows because it wrote or changed it.

        `named_project` knows which project the user named in the caller's session; empty where none was.
        """
        self._keeper = keeper
        self._importer = importer
        self._consents = consents
        self._view = view
        self._switches = switches
        self._note_written = note_written
        self._note_changed = note_changed
        self._named_project = named_project
        self._authorship = authorship
        self._recorder = recorder

    async def answer(self, request: KeepingRequest, caller: Caller, deadline_s: float) -> KeepingReply:  # noqa: PLR0911 - one case a request
        """Answer a request within its deadline; what it changes is durable then.

        Raises:
            NotFound: there is no such memory, or none that the caller may see.
            Refused: the gate lets it not through, it cannot be, or memory is off where it belongs.
        """
        match request:
            case Remember():
                return await self._remember(request, caller, deadline_s)
            case Update():
                return await self._update(request, caller, deadline_s)
            case Forget():
                return await self._change_state(request.id, State.FORGOTTEN, caller, deadline_s)
            case Restore():
                return await self._change_state(request.id, State.ACTIVE, caller, deadline_s)
            case Relate() | Unrelate():
                return await self._link(request, caller, deadline_s)
            case Undo():
                return await self._undo(request, caller, deadline_s)
            case Import():
                return await self._import(request, caller, deadline_s)
            case ListConsents():
                waiting = await self._consents.waiting(self._view.visible(caller), limit=request.limit)
                return Consents(consents=tuple(self._view.asked_through(caller, waiting)))
            case DecideConsent():
                proposal = await self._view.resolve(caller, request.id)
                message = DecideProposal(proposal.id, request.approve, caller)
                return Memories(memories=await self._keeper.ask(message, deadline_s=deadline_s))
            case _:
                assert_never(request)

    async def _remember(self, request: Remember, caller: Caller, deadline_s: float) -> Memories:
        if request.by_model or caller.is_agent:
            with self._recorder.refusals("create", caller):
                given = stored_by_agent(request.memories)
            memories = await self._placed(given, caller)
            request = replace(request, memories=memories, by_model=True)
        asked = [new.id for new in request.memories]
        replaced = await self._replaced(request, caller)
        links = await self._links(request, caller)
        told = await self._authorship.told_in(caller, request.memories)
        store = Store(request.memories, caller, replaced, links, told=told)
        stored: tuple[Memory, ...] = ()
        try:
            # Beside the storing, which waits for the model: one after the other, two commits took 6 ms more of 42.
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._note_written, caller, asked)
                stored = await self._keeper.ask(store, deadline_s=deadline_s)
        except BaseExceptionGroup as failed:
            # One of the two failed, and the other was cancelled.
            raise first_of(failed) from None
        if merged := [memory.id for memory in stored if memory.id not in asked]:
            await self._note_written(caller, merged)
        return Memories(memories=stored)

    async def _placed(self, memories: Sequence[NewMemory], caller: Caller) -> tuple[NewMemory, ...]:
        """Return what an agent stores with the tag of the project that it, or else the user of its session, names."""
        done: list[NewMemory] = []
        for new in memories:
            named = (lambda: self._named_project(caller)) if new.scope is Scope.PROJECT else None
            done.append(replace(new, tags=await placed(new.tags, new.content, named)))
        return tuple(done)

    async def _replaced(self, request: Remember, caller: Caller) -> str:
        """Return the memory whose place a new one takes; none where it takes nobody's."""
        if not request.replaces:
            return ""
        if len(request.memories) != 1:
            raise Refused(f"{len(request.memories)} memories cannot take the place of one", "Store one that does.")
        old = await self._changeable(caller, request.replaces)
        self._view.check_write(caller, old.category)
        if not old.active and old.superseded_by != request.memories[0].id:
            by = f" by {old.superseded_by}" if old.superseded_by else ""
            raise Refused(
                f"{old.id} is {old.state.value}{by}, and only an active memory is replaced",
                "Store the new one by itself, or replace the memory that is true now.",
            )
        if request.by_model and old.active:
            check_outranked(old, agents_trust(request.memories[0]))
        return old.id

    async def _links(self, request: Remember, caller: Caller) -> tuple[AddEdge, ...]:
        """Return the edges from the only new memory to those that it is something to."""
        if not request.related:
            if request.relation != RELATED and not (request.replaces and request.relation in RESERVED):
                raise Refused(
                    f"it is not said what the memory is `{' '.join(request.relation.split())}` to",
                    "Name the ids of those memories in `related`, or leave `relation` out.",
                )
            return ()
        if len(request.memories) != 1:
            raise Refused(f"{len(request.memories)} memories cannot be related at once", "Store one that is.")
        relation = " ".join(request.relation.split())
        if relation in RESERVED:
            raise Refused(
                f"`{relation}` says what became of a memory, and is not said while one is stored",
                "Name what it replaces in `replaces`.",
            )
        (new,) = request.memories
        others = [await self._changeable(caller, memory_id) for memory_id in request.related]
        return tuple(AddEdge(new.id, other.id, relation, 1.0, told=True) for other in others)

    async def _update(self, request: Update, caller: Caller, deadline_s: float) -> Memories:
        memory = await self._changeable(caller, request.id)
        with self._recorder.refusals("update", caller):
            changes = changed_by_agent(memory, request.changes) if caller.is_agent else request.changes
        said = [text for text in (changes.title, changes.content) if text is not UNSET]
        told = await self._authorship.told(caller, "\n".join(said))
        edit = EditMemory(memory.id, changes, request.revision, caller, told)
        return await self._changed(caller, await self._keeper.ask(edit, deadline_s=deadline_s))

    async def _change_state(self, memory_id: str, state: State, caller: Caller, deadline_s: float) -> Memories:
        memory = await self._view.resolve(caller, memory_id)
        if state is State.FORGOTTEN and memory.active and caller.is_agent:
            check_outranked(memory, BY_AGENT, "forgets")
        changed = await self._keeper.ask(SetState(memory.id, state, caller), deadline_s=deadline_s)
        return await self._changed(caller, changed)

    async def _changed(self, caller: Caller, memories: tuple[Memory, ...]) -> Memories:
        await self._note_changed(caller, [memory.id for memory in memories])
        return Memories(memories=memories)

    async def _link(self, request: Relate | Unrelate, caller: Caller, deadline_s: float) -> Edges:
        source, target = [await self._changeable(caller, one) for one in (request.from_id, request.to_id)]
        link = LinkMemories(
            source.id,
            target.id,
            request.relation,
            request.strength if isinstance(request, Relate) else 0.0,
            caller,
            remove=isinstance(request, Unrelate),
        )
        await self._keeper.ask(link, deadline_s=deadline_s)
        return Edges(edges=tuple(await self._view.edges(caller, [source.id])))

    async def _undo(self, request: Undo, caller: Caller, deadline_s: float) -> Memories:
        self._view.check_sees_all(
            caller, "an operation may concern others", "Undo it as yourself: `memoryd undo` without `--agent`."
        )
        taken_back = await self._keeper.ask(TakeBack(request.operation, caller), deadline_s=deadline_s)
        return await self._changed(caller, taken_back)

    async def _import(self, request: Import, caller: Caller, deadline_s: float) -> Imported:
        closed: list[LeftOut] = []
        kept: list[MemoryRecord] = []
        for record in request.records:
            # A record may belong to another project than the caller's, and memory may be off there.
            off = self._switches.off(caller.owner, record.project) if record.project else None
            if off is None:
                kept.append(brought_by_agent(record, caller.agent) if caller.is_agent else record)
            else:
                closed.append(LeftOut(id=record.id, reason=str(refusal(off))))
        hidden = await self._view.hidden(caller, {end for edge in request.edges for end in (edge.from_id, edge.to_id)})
        edges = tuple(edge for edge in request.edges if not {edge.from_id, edge.to_id} & hidden)
        done = await self._importer.bring_in(
            replace(request, records=tuple(kept), edges=edges), caller, deadline_s=deadline_s
        )
        await self._note_written(caller, (*done.added, *done.proposed))
        return replace(done, left_out=(*closed, *done.left_out))

    async def _changeable(self, caller: Caller, memory_id: str) -> Memory:
        """Return the memory that the caller means to change: also from elsewhere, memory has to be on where it is."""
        memory = await self._view.resolve(caller, memory_id)
        if memory.project and (off := self._switches.off(caller.owner, memory.project)):
            raise refusal(off)
        return memory
