"""A session in memory: an actor that owns its state, decides its contexts and hands over what they brought up."""

import logging
from collections.abc import Collection, Iterable, Sequence

import anyio

from memoryd_actors.core.actor import Actor, ActorRef
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.events import of_context
from memoryd_actors.recall.focus import Focus
from memoryd_actors.recall.pipeline import Decision
from memoryd_actors.recall.purged_traces import without_purged
from memoryd_actors.recall.session_parts import SessionParts
from memoryd_actors.recall.session_state import SessionState, handed_over, in_force, turns_shown, whose_context
from memoryd_actors.recall.stored_state import StoredState
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import PipelineRan, Surfaced
from memoryd_client.wire.pending import PendingMemory, Taken
from memoryd_client.wire.traces import CandidateTrace, Trace

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Owner and session."""
ANSWERED_S = 0.005
"""How long what nobody waits for is put off: who waits is answered first, which takes 1 to 4 ms."""


class Session(Actor[ContextUpdate, Trace]):
    """One session in memory.

    Contexts come through the mailbox, one at a time and only the newest. Takes and notes do not: one that waits for a
    slow judge would be too late. They are safe beside it because the state is a frozen value, replaced in one step
    (`StoredState.change`) by what follows from the one before, whoever comes first; and because between looking whether
    a take was answered already (`repeated_take`) and answering it (`SessionState.take`) nothing awaits. A context that
    is being decided works on the state as it was, and what it brings is merged into the one that there is by then.
    """

    def __init__(self, key: Key, parts: SessionParts) -> None:
        self.key = key
        self.mailbox: ActorRef[ContextUpdate, Trace] = ActorRef(
            f"session {key[1] or '(unnamed)'}",
            lambda: self,  # nothing is half done after a crash: the state was not touched
            on_crash=parts.on_crash,
        )
        self._parts = parts
        self._used = parts.clock.monotonic()
        self._stored = StoredState(*key, parts)
        self._focus: Focus | None = None
        """What it talked about last; never written to disk."""
        self._looked: dict[str, int] = {}
        """The ledger's change at which it was last looked what stands in the context; by agent and project."""
        self._queried_on = -1
        """The turn on which it asked for memory last."""
        self._abandoned = False
        self._before_purge = 0
        """How many contexts of those that are under way came before the last purge ended."""
        self._awaited: dict[int, anyio.Event] = {}
        """By the identity of a context: set once what it brings up can be taken."""
        self._tracing: anyio.Event | None = None
        """Set once the trace of what can be taken is there; None where nobody has to wait for it."""

    # --- contexts

    async def handle(self, message: ContextUpdate) -> Trace:
        """Decide one context, save the state, publish the trace."""
        try:
            return await self._handle(message)
        finally:
            self._before_purge = max(0, self._before_purge - 1)
            self._tell_ready(message)
            self._traced()

    async def _handle(self, update: ContextUpdate) -> Trace:
        parts = self._parts
        if id(update) not in self._awaited:
            await anyio.sleep(ANSWERED_S)  # many who push take right after it
        if parts.drops(update.caller):
            raise Refused("memory was turned off meanwhile")
        state = await self._stored.current()
        if state.is_late(update.client, update.sequence):
            parts.counts.dropped_late += 1
            raise Refused("a newer context of this client was here first")
        state = self._stored.change(lambda state: state.note_update(update.client, update.sequence))
        failed = False
        try:
            trace = await self._decide(state, update)
        except Refused as refused:
            # The same context will be tried again, and is one turn then, too.
            trace, failed = parts.pipeline.undecided(update, refused, turn=state.turn), True
        if self._abandoned:
            raise Refused("the session was purged meanwhile")
        if self._before_purge or parts.purged.under_way or _judged(trace.candidates, parts.purged.ids()):
            # What was asked may say what is destroyed, and was looked at by no purge.
            trace = without_purged(trace, parts.purged.ids())
        parts.counts.decided += 1
        parts.counts.turns += trace.turn > state.turn
        parts.ledger.events.record([of_context(self.key[0], trace, failed=failed)])
        # What is told as decided is on the disk, unless the ledger is locked or full: a session that goes on after a
        # crash goes on from there.
        await self._stored.save(trace=trace)
        self._traced()
        parts.publish(PipelineRan(trace, self.key[0]))
        return trace

    async def _decide(self, state: SessionState, update: ContextUpdate) -> Trace:
        """Run the pipeline; what it brings can be taken before a new topic is looked for, where that makes none."""
        pipeline = self._parts.pipeline
        decision = await pipeline.decide(state, update)
        self._focus = decision.focus or self._focus
        state = self._stored.change(lambda state: self._apply(decision, state))
        self._tracing = anyio.Event()
        if self._tell_ready(update):
            await anyio.sleep(ANSWERED_S)
        if decision.topic is None:
            decision = await pipeline.decide_topic(decision)
            since, stands = decision.since, turns_shown(update)
            if since is not None:
                self._stored.change(lambda state: state.change_topic(since, stands=stands))
        return pipeline.trace(decision, state)

    def _apply(self, decision: Decision, state: SessionState) -> SessionState:
        """Return what a decision makes of a state; what was destroyed meanwhile may be in the reasons of the others."""
        state = self._parts.pipeline.apply(decision, state)
        weighed = decision.weighed
        judged = weighed is not None and _judged(weighed.candidates, self._parts.purged.ids())
        return state.without_reasons() if judged else state

    async def wait_for(self, update: ContextUpdate, wait_s: float) -> None:
        """Wait until what a context brings up can be taken, at most so long; it was offered just now."""
        ready = self._awaited[id(update)] = anyio.Event()
        try:
            with anyio.move_on_after(wait_s):
                await ready.wait()
        finally:
            del self._awaited[id(update)]

    def _tell_ready(self, update: ContextUpdate) -> bool:
        """Tell whoever waits for a context that what it brings up can be taken; return whether anybody does."""
        ready = self._awaited.get(id(update))
        if ready:
            ready.set()
        return ready is not None

    @property
    def focus(self) -> Focus | None:
        """What it talked about last, since the daemon started."""
        return self._focus

    @property
    def turn(self) -> int:
        """The turn that it is on, as far as it is known here."""
        return self._stored.known.turn if self._stored.known else 0

    # --- what is handed over

    def take_now(self, caller: Caller, take_id: str) -> Taken | None:
        """Answer a take without waiting where nothing has to be written: None where it has to be."""
        state = self._stored.known
        if state is None:
            return None
        self._used = self._parts.clock.monotonic()
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        if self._parts.shared or state.found or state.notices() or self._is_due(whose_context(caller)):
            return None
        return Taken()

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what is pending, exactly once; it counts as surfaced from here on, across restarts."""
        while (taken := await self._take(caller, take_id)) is None:
            pass
        return taken

    async def _take(self, caller: Caller, take_id: str) -> Taken | None:
        """Hand over what is pending; None, and nothing handed over, where another daemon was first."""
        parts, whose = self._parts, whose_context(caller)
        state = await self._stored.current()
        version, now = self._stored.version, parts.sequence()
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        due = self._is_due(whose)
        about = self._focus.text if self._focus else ""
        offer = await parts.handover.offer(caller, state, due=due, about=about)
        # From here to `SessionState.take` nothing awaits: two clients cannot take the same, and one that asks twice at
        # a time gets one answer twice.
        state = self._stored.known or state
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        handed = parts.handover.hand_over(offer, state, caller, take_id)
        pending = handed.pending
        if pending is None:
            self._stored.change(handed.rule)
            if not self._stored.version:
                await self._stored.save()  # since when it is told what others change, also after a restart
        elif not await self._stored.give(version, handed.rule, used=handed_over(pending) + in_force(pending)):
            return None
        if due and handed.complete:
            self._looked[whose] = now  # otherwise the next take asks about the others
        if pending is not None and (ids := tuple(handed_over(pending))):
            parts.publish(Surfaced(session=caller.session, turn=pending.turn, memories=ids, owner=caller.owner))
        return Taken(pending)

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found, and leave it waiting."""
        state = await self._stored.current()
        if not state.found:
            return None
        offer = await self._parts.handover.offer(caller, state, due=False, about="")
        return self._parts.handover.preview(offer, state, caller)

    async def hear(self, caller: Caller, handed: Collection[str]) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories, and count it as told."""
        state = await self._stored.current()
        version = self._stored.version
        news, since, revision = await self._parts.handover.news(caller, state)
        # From here on nothing awaits: of two clients that ask at a time one is told.
        state = self._stored.known or state
        if not news or state.told != since:
            return ()
        changes = self._parts.handover.header(news, state, caller, handed)
        told = await self._stored.give(
            version, lambda state: state.tell(revision, changes=changes, announced=[one.memory.id for one in news])
        )
        return changes if told else ()

    async def clear(self) -> None:
        """Hear that the host has cleared its context: what was handed over does not stand there any more."""
        await self._stored.current()
        self._stored.change(SessionState.clear)
        self._looked.clear()
        await self._stored.save()

    def _is_due(self, whose: str) -> bool:
        """Return whether something may have changed in what stands in the context since it was last looked at."""
        state = self._stored.known
        return state is None or whose not in state.in_force or self._looked.get(whose) != self._parts.sequence()

    # --- what is noted

    async def note_written(self, ids: Sequence[str]) -> None:
        """Remember that the session stored these itself: they are not news to it."""
        await self._stored.update(lambda state: state.note_written(ids))

    async def note_changed(self, ids: Sequence[str]) -> None:
        """Remember that the session changed these itself just now: that is not news to it."""
        revision = await self._parts.ledger.memories.revision(self.key[0])
        await self._stored.update(lambda state: state.note_changed(ids, revision))

    async def was_captured(self, memory_id: str) -> bool:
        """Return whether this was captured from the session before."""
        return memory_id in (await self._stored.current()).captured

    async def note_captured(self, memory_id: str, *, refused: str = "") -> None:
        """Remember that this was captured from the session, or why it was not kept."""
        await self._stored.update(lambda state: state.note_captured(memory_id, refused=refused))

    def note_query(self) -> None:
        """Count the turn on which the agent asks for memory itself."""
        state = self._stored.known
        if state is not None and self._queried_on != state.turn:
            self._queried_on = state.turn
            self._parts.counts.query_turns += 1

    def in_force(self, caller: Caller) -> set[str]:
        """Return the standing memory that an agent has before it."""
        state = self._stored.known or SessionState()
        return {memory for memory, read in state.in_force.get(whose_context(caller), {}).items() if read}

    def unsaved_traces(self) -> list[Trace]:
        """Return the traces that are not in the ledger yet, newest first."""
        return self._stored.unsaved_traces()

    async def wait_traced(self) -> None:
        """Wait until all that can be taken has its trace: that follows within milliseconds."""
        if self._tracing is not None:
            await self._tracing.wait()

    def _traced(self) -> None:
        if self._tracing is not None:
            self._tracing.set()
            self._tracing = None

    def purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed."""
        under_way = self.mailbox.statistics()
        self._before_purge = under_way.busy + under_way.waiting
        if self._stored.known is not None:
            self._stored.change(lambda state: state.purge(ids).without_reasons())
        # What was asked may say what is destroyed; of what is not saved yet, nobody looks which.
        self._stored.rewrite_traces(lambda trace: without_purged(trace, ids))

    # --- life

    def use(self) -> None:
        """Note that somebody uses it."""
        self._used = self._parts.clock.monotonic()

    def is_idle(self, since: float) -> bool:
        """Return whether nobody used it since a monotonic moment, and nothing is unsaved or under way."""
        if self._used >= since or not self._stored.is_saved or self._awaited:
            return False
        context = self.mailbox.statistics()
        return not (context.busy or context.waiting)

    async def finish(self) -> None:
        """Wait until what it was given is decided and saved; its mailbox is closed."""
        await self.mailbox.stopped.wait()
        await self._stored.saved()

    def abandon(self) -> None:
        """Let go of it, unsaved: it is purged."""
        self._stored.abandon()
        self._abandoned = True
        self.mailbox.close()


def _judged(candidates: Iterable[CandidateTrace], purged: Collection[str]) -> bool:
    """Return whether one of these memories was destroyed while a context was decided."""
    return bool(purged) and any(candidate.id in purged for candidate in candidates)
