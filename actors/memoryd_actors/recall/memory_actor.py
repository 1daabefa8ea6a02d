"""The Memory actor: one for the daemon, and within it one latest-wins actor for each session.

Sessions never wait for each other: a slow judge delays its own session only, and a newer context of a session replaces
one that is still waiting. Nothing here blocks whoever pushes.
"""

import logging
from collections.abc import Callable, Collection, Sequence

import msgspec
from anyio.abc import TaskGroup

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.render import render
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.handover import Handover
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.session import Key, Session
from memoryd_actors.recall.session_parts import RecentlyPurged, SessionCounts, SessionParts
from memoryd_actors.recall.session_registry import SessionRegistry
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.events import Warned
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory, Taken
from memoryd_client.wire.traces import Trace

log = logging.getLogger(__name__)


class MemoryActor:
    """Takes contexts in, hands memories out."""

    def __init__(
        self,
        pipeline: Pipeline,
        ledger: Ledger,
        clock: Clock,
        publish: Publisher,
        settings: RecallSettings,
        *,
        standing: StandingMemory,
        categories: Categories | None = None,
        sequence: Callable[[], int] = lambda: 0,
        drops: Callable[[Caller], bool] = lambda _: False,
        shared: bool = False,
    ) -> None:
        """Prepare; the options are those of `SessionParts`."""
        self._pipeline = pipeline
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._settings = settings
        self._categories = categories or Categories()
        self.drops = drops
        """Says of a caller whether memory is off there."""
        self._standing = standing
        self._handover = Handover(ledger, clock, self._categories, standing, settings)
        self.counts = SessionCounts()
        self._purged = RecentlyPurged(clock)
        self._sessions = SessionRegistry(lambda key: Session(key, parts), clock)
        parts = SessionParts(
            pipeline=pipeline,
            handover=self._handover,
            ledger=ledger,
            clock=clock,
            publish=publish,
            sequence=sequence,
            drops=drops,
            shared=shared,
            counts=self.counts,
            purged=self._purged,
            on_crash=self._crashed,
            start=self._sessions.start,
        )

    def _crashed(self, name: str, bug: Exception) -> None:
        """Count and tell of a context that met a bug."""
        self.counts.crashed += 1
        log.error("%s crashed on a context and was rebuilt", name, exc_info=bug)
        self._publish(Warned(component="sessions", message=f"{name} crashed: {type(bug).__name__}"))

    def start(self, tasks: TaskGroup) -> None:
        """Let sessions run in `tasks` from now on."""
        self._sessions.tasks = tasks

    def offer(self, update: ContextUpdate) -> bool:
        """Accept a context without waiting; return False where it is stale, memory is off, or the daemon stops."""
        if self.drops(update.caller):
            return False
        age_s = self._clock.now().timestamp() - update.sent_at
        # A negative age is a clock that went backwards, not an old message.
        if update.sent_at > 0 and age_s > self._settings.stale_s:
            self.counts.dropped_stale += 1
            return False
        self.counts.accepted += 1
        return self._sessions.of(update.caller).mailbox.offer(update)

    def take_now(self, caller: Caller, take_id: str) -> Taken | None:
        """Answer a take without waiting where nothing has to be written: None where it has to be."""
        session = self._sessions.known(caller)
        return None if session is None else session.take_now(caller, take_id)

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what is pending, exactly once; it counts as surfaced from here on, across restarts."""
        return await self._sessions.of(caller).take(caller, take_id)

    async def wait_for(self, update: ContextUpdate, wait_s: float) -> None:
        """Wait until what a context brings up can be taken, at most so long; it was offered just now."""
        await self._sessions.of(update.caller).wait_for(update, wait_s)

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found, and leave it waiting."""
        return await self._sessions.of(caller).peek(caller)

    async def clear(self, caller: Caller) -> None:
        """Hear that a session's host has cleared its context."""
        await self._sessions.of(caller).clear()

    async def standing(self, caller: Caller) -> list[Memory]:
        """Return what stands in a caller's context, in order."""
        return await self._standing.all(caller)

    async def hear(self, caller: Caller, handed: Collection[str]) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories, and count it as told.

        Without a session there is nobody to remember what was told.
        """
        return await self._sessions.of(caller).hear(caller, handed) if caller.session else ()

    async def recall(self, caller: Caller, messages: Sequence[Message]) -> PendingMemory | None:
        """Judge memories against a context now.

        Raises:
            Refused: there are no messages, and this session has not pushed any since the daemon started.
        """
        session = self._sessions.of(caller)
        focus = await self._pipeline.focus_of(messages, "turn", caller.project) if messages else session.focus
        if focus is None:
            raise Refused("there is no context to recall for", "Push one first, or give the messages.")
        memories = await self._pipeline.recall(focus, caller, session.in_force(caller))
        return render(memories, turn=session.turn, budget_tokens=self._settings.budget_tokens)

    async def note_written(self, caller: Caller, ids: Sequence[str]) -> None:
        """Remember that a session stored these itself: they are not news to it."""
        if caller.session:
            await self._sessions.of(caller).note_written(ids)

    async def note_changed(self, caller: Caller, ids: Sequence[str]) -> None:
        """Remember that a session changed these itself: that is not news to it."""
        if caller.session:
            await self._sessions.of(caller).note_changed(ids)

    async def was_captured(self, caller: Caller, memory_id: str) -> bool:
        """Return whether this was captured from the session before."""
        return await self._sessions.of(caller).was_captured(memory_id)

    async def note_captured(self, caller: Caller, memory_id: str, *, refused: str = "") -> None:
        """Remember that this was captured from the session; or why it was `refused`, which its next take tells."""
        await self._sessions.of(caller).note_captured(memory_id, refused=refused)

    def note_query(self, caller: Caller, ids: Sequence[str]) -> None:
        """Count that an agent asked for memory itself, and what it got; nobody waits for it."""
        self.counts.query_calls += 1
        session = self._sessions.known(caller)
        if session is not None:
            session.note_query()
        if ids and self._sessions.tasks is not None:
            self._sessions.tasks.start_soon(self._handover.touch, caller.owner, tuple(ids), name="touch")

    def begin_purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed, in every session that is in memory or comes into it."""
        self._purged.under_way += 1
        self._forget(ids)

    def end_purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are destroyed, and what was asked meanwhile."""
        self._forget(ids)
        self._purged.under_way -= 1

    def _forget(self, ids: Sequence[str]) -> None:
        self._purged.add(ids)
        self._sessions.purge(ids)
        self._standing.forget()

    def forget_session(self, key: Key) -> None:
        """Let go of a session that is purged, unsaved."""
        self._sessions.forget(key)

    async def traces(self, caller: Caller, *, limit: int) -> list[Trace]:
        """Return the last decision traces of the caller's session, newest first; of all where it names none."""
        await self._sessions.wait_traced(caller)
        # Those not saved yet come first: one that is saved meanwhile then is in both lists rather than in none.
        fresh = self._sessions.unsaved_traces(caller)
        kept = await self._ledger.sessions.traces(caller.owner, caller.session, limit=limit)
        # By order, not by time: the clock may have gone backwards.
        traces = [*fresh, *(trace for trace in kept if trace not in fresh)]
        if self._categories.allowed(caller.agent) is not None:
            traces = [trace for trace in traces if trace.agent == caller.agent]
        traces = traces[:limit]
        return [await self._within_reach(caller, trace) for trace in traces]

    async def _within_reach(self, caller: Caller, trace: Trace) -> Trace:
        """Return a trace without the candidates of categories that the caller's agent may not see."""
        seen = self._categories.visible(caller)
        if seen.allowed is None or not trace.candidates:
            return trace
        known = await self._ledger.memories.get(caller.owner, [candidate.id for candidate in trace.candidates])
        shown = [
            candidate
            for candidate in trace.candidates
            if candidate.id in known and is_allowed(known[candidate.id].category, seen)
        ]
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
