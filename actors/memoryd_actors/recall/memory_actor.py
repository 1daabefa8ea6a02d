"""The Memory actor: one for the daemon, and within it one latest-wins actor for each session.

Sessions never wait for each other: a slow judge delays its own session only, and a newer context of a session replaces
one that is still waiting. Nothing here blocks whoever pushes.
"""

from collections.abc import Callable, Collection, Sequence

import msgspec
from anyio.abc import TaskGroup

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import DiskFull, Refused
from memoryd_actors.memory.events import of_context
from memoryd_actors.memory.render import render
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.handing_over import HandingOver
from memoryd_actors.recall.live_session import Key, LiveSession
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.saved_sessions import SavedSessions
from memoryd_actors.recall.sessions import Sessions
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.events import PipelineRan
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory, Taken
from memoryd_client.wire.traces import Trace

UNSAVED_TRACES = 50


class Recall:
    """Takes contexts in, hands memories out."""

    def __init__(
        self,
        pipeline: Pipeline,
        ledger: Ledger,
        clock: Clock,
        publish: Publisher,
        settings: RecallSettings,
        *,
        categories: Categories | None = None,
        sequence: Callable[[], int] = lambda: 0,
        listen: Callable[[ContextUpdate], None] = lambda _: None,
        drops: Callable[[Caller], bool] = lambda _: False,
        shared: bool = False,
    ) -> None:
        """Prepare; `sequence` returns the number of the ledger's newest change, as far as it is known here.

        `drops` says whether a caller's contexts are to be dropped: memory is off there.
        `listen` hears every context that arrives, and must not wait. `shared` says whether other daemons serve the same
        sessions from the same ledger: then it is asked each time how a session stands.

        """
        self._pipeline = pipeline
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self._categories = categories or Categories()
        self._listen = listen
        self._drops = drops
        self._sessions = Sessions(self._decide, clock, publish)
        self._saved = SavedSessions(ledger, clock, publish, shared=shared)
        self._out = HandingOver(
            sessions=self._sessions,
            saved=self._saved,
            ledger=ledger,
            clock=clock,
            publish=publish,
            categories=self._categories,
            budget_tokens=settings.budget_tokens,
            sequence=sequence,
        )
        self.dropped_stale = 0
        self.dropped_late = 0
        self.accepted = 0
        self.decided = 0
        self.turns = 0
        self.query_calls = 0
        self.query_turns = 0
        """Turns on which memory was asked for (seed 002, item 11: fewer than a tenth)."""

    def start(self, tasks: TaskGroup) -> None:
        """Let sessions run in `tasks` from now on."""
        self._sessions.tasks = tasks

    def offer(self, update: ContextUpdate) -> bool:
        """Accept a context without waiting; return False where it is stale, memory is off, or the daemon stops."""
        if self._drops(update.caller):
            return False
        # What a user asks to have remembered does not go stale.
        self._listen(update)
        age_s = self._clock.now().timestamp() - update.sent_at
        # A negative age is a clock that went backwards, not an old message.
        if update.sent_at > 0 and age_s > self._settings.stale_s:
            self.dropped_stale += 1
            return False
        session = self._sessions.of((update.caller.owner, update.caller.session))
        self.accepted += 1
        return session.actor.offer(update)

    async def _decide(self, session: LiveSession, update: ContextUpdate) -> Trace:
        """Run the pipeline for one context of one session."""
        if self._drops(update.caller):
            raise Refused("memory was turned off meanwhile")
        state = await self._saved.state(session)
        if state.is_late(update.client, update.sequence):
            self.dropped_late += 1
            raise Refused("a newer context of this client was here first")
        before, failed = (state.turn, state.reset_at_turn), False
        try:
            trace, focus = await self._pipeline.decide(state, update)
            session.focus = focus or session.focus
        except Refused as refused:
            # The same context will be tried again, and is one turn then, too.
            state.turn, state.reset_at_turn = before
            trace, failed = self._pipeline.undecided(state, update, refused), True
        self.decided += 1
        self.turns += state.turn > before[0]
        self._ledger.events.record([of_context(session.key[0], trace, failed=failed)])
        # What is told as decided is on the disk: a session that goes on after a crash goes on from there.
        await self._saved.save(session)
        session.traces.append(trace)
        del session.traces[:-UNSAVED_TRACES]
        self._publish(PipelineRan(trace, session.key[0]))
        try:
            await self._ledger.sessions.add_trace(session.key[0], trace)
        except DiskFull:
            return trace
        session.traces.remove(trace)
        return trace

    def take_now(self, caller: Caller, take_id: str) -> Taken | None:
        """Answer a take without waiting where nothing has to be written: None where it has to be."""
        return self._out.take_now(caller, take_id)

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what is pending, exactly once; it counts as surfaced from here on, across restarts."""
        return await self._out.take(caller, take_id)

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found, and leave it waiting."""
        return await self._out.peek(caller)

    async def standing(self, caller: Caller) -> list[Memory]:
        """Return what is always in a caller's context, in order."""
        return await self._out.standing(caller)

    async def hear(self, caller: Caller, handed: Collection[str]) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories, and count it as told.

        Without a session there is nobody to remember what was told.
        """
        return await self._out.hear(caller, handed)

    async def recall(self, caller: Caller, messages: Sequence[Message]) -> PendingMemory | None:
        """Judge memories against a context now.

        Raises:
            Refused: there are no messages, and this session has not pushed any since the daemon started.
        """
        session = self._sessions.of((caller.owner, caller.session))
        focus = await self._pipeline.focus_of(messages, "turn", caller.project) if messages else session.focus
        if focus is None:
            raise Refused("there is no context to recall for", "Push one first, or give the messages.")
        memories = await self._pipeline.recall(focus, self._categories.recalled(caller))
        turn = session.state.turn if session.state else 0
        return render(memories, turn=turn, budget_tokens=self._settings.budget_tokens)

    async def note_written(self, caller: Caller, ids: Sequence[str]) -> None:
        """Remember that a session stored these itself: they are not news to it."""
        if not caller.session:
            return
        session = self._sessions.of((caller.owner, caller.session))
        state = await self._saved.state(session)
        state.note_written(ids)
        await self._saved.save(session)

    async def was_captured(self, caller: Caller, memory_id: str) -> bool:
        """Return whether this was captured from the session before."""
        return memory_id in (await self._saved.state(self._sessions.of((caller.owner, caller.session)))).captured

    async def note_captured(self, caller: Caller, memory_id: str) -> None:
        """Remember that this was captured from the session."""
        session = self._sessions.of((caller.owner, caller.session))
        (await self._saved.state(session)).note_captured(memory_id)
        await self._saved.save(session)

    def note_query(self, caller: Caller, ids: Sequence[str]) -> None:
        """Count that an agent asked for memory itself, and what it got; nobody waits for it."""
        self.query_calls += 1
        session = self._sessions.known((caller.owner, caller.session))
        if session is not None and session.state is not None and session.queried_on != session.state.turn:
            session.queried_on = session.state.turn
            self.query_turns += 1
        if ids and self._sessions.tasks is not None:
            self._sessions.tasks.start_soon(self._out.touch, caller.owner, tuple(ids), name="touch")

    def purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed, in every session that is in memory."""
        self._sessions.purge(ids)
        self._out.forget()

    def forget_session(self, key: Key) -> None:
        """Let go of a session that is purged, unsaved."""
        self._sessions.forget(key)

    async def traces(self, caller: Caller, *, limit: int) -> list[Trace]:
        """Return the last decision traces of the caller's session, newest first; of all where it names none."""
        # Those not saved yet come first: one that is saved meanwhile then is in both lists rather than in none.
        fresh = self._sessions.unsaved(caller)
        kept = await self._ledger.sessions.traces(caller.owner, caller.session, limit=limit)
        # By order, not by time: the clock may have gone backwards.
        traces = [*fresh, *(trace for trace in kept if trace not in fresh)][:limit]
        return [await self._within_reach(caller, trace) for trace in traces]

    async def _within_reach(self, caller: Caller, trace: Trace) -> Trace:
        """Return a trace without the candidates of categories that the caller's agent may not see."""
        seen = self._categories.visible(caller)
        if seen.allowed is None or not trace.candidates:
            return trace
        known = await self._ledger.memories.get(caller.owner, [one.id for one in trace.candidates])
        shown = [one for one in trace.candidates if one.id in known and is_allowed(known[one.id].category, seen)]
        return msgspec.structs.replace(trace, candidates=tuple(shown))

    def busy(self) -> int:
        """Return how many sessions have a context waiting or under way."""
        return self._sessions.busy()

    def loaded(self) -> int:
        """Return how many sessions are in memory."""
        return self._sessions.loaded()

    def evict_idle(self) -> int:
        """Let sessions go that nobody used for a while; return how many."""
        return self._sessions.evict_idle()

    async def drain(self) -> None:
        """Take no more contexts and see those accepted through."""
        await self._sessions.drain()
