"""The Memory actor: one for the daemon, and within it one latest-wins actor for each session.

Sessions never wait for each other: a slow judge delays its own session only, and a newer context of a session replaces
one that is still waiting. Nothing here blocks whoever pushes.
"""

import logging
from collections.abc import Callable, Collection, Sequence

import anyio
import msgspec
from anyio.abc import TaskGroup

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.visibility import is_allowed
from memoryd_actors.actor import Actor, ActorRef, RestartLimit
from memoryd_actors.errors import ActorStopped, DiskFull, Refused
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.always import MOST_ALWAYS, fingerprint, in_order, named
from memoryd_actors.recall.changes import News, header
from memoryd_actors.recall.focus import Focus
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_actors.recall.render import render, surfaced
from memoryd_actors.recall.session import SessionState, decode_state, encode_state, handed_over
from memoryd_actors.searching.related import checked_again
from memoryd_actors.settings import RecallSettings
from memoryd_actors.upkeep.events import of_context
from memoryd_client.consent import Consent
from memoryd_client.memory import Memory, PendingMemory, State, SurfacedMemory
from memoryd_client.messages import Caller, ContextUpdate, Message, PipelineRan, Surfaced, Taken, Trace, Warned

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Owner and session."""
UNSAVED_TRACES = 50
MOST_NEWS = 200
"""Writes that are looked at for the change header."""
IDLE_S = 1800.0
"""A session unused for this long leaves memory; its state is in the ledger."""


class _Session:
    """One session in memory."""

    def __init__(self, memory: "Recall", key: Key, now: float) -> None:
        self.key = key
        self.used = now
        self.actor: ActorRef[ContextUpdate, Trace] = ActorRef(
            f"session {key[1] or '(unnamed)'}",
            lambda: _SessionActor(memory, self),
            on_crash=memory.crashed,
            limit=RestartLimit(restarts=10, window_s=60.0),
        )
        self.state: SessionState | None = None
        """None: not read from the ledger yet."""
        self.loading = anyio.Lock()
        self.saving = anyio.Lock()
        self.version = 0
        """Of the state that was read or saved last."""
        self.saved = b""
        """That state, where another daemon may save one, too."""
        self.focus: Focus | None = None
        """What it talked about last; never written to disk."""
        self.traces: list[Trace] = []
        """Not in the ledger yet."""
        self.looked: dict[str, int] = {}
        """The ledger's change at which what is always in context was last looked at; by agent and project."""
        self.queried_on = -1
        """The turn on which it asked for memory last."""


class _SessionActor(Actor[ContextUpdate, Trace]):
    """Runs the pipeline for the contexts of one session."""

    def __init__(self, memory: "Recall", session: _Session) -> None:
        self._memory = memory
        self._session = session

    async def handle(self, message: ContextUpdate) -> Trace:
        """Decide one context, publish the trace, save the state."""
        return await self._memory.decide(self._session, message)


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
        self._sequence = sequence
        self._listen = listen
        self._drops = drops
        self._shared = shared
        self._tasks: TaskGroup | None = None
        self._sessions: dict[Key, _Session] = {}
        self.dropped_stale = 0
        self.dropped_late = 0
        self.accepted = 0
        self.decided = 0
        self.turns = 0
        self.query_calls = 0
        self.query_turns = 0
        """Turns on which memory was asked for (seed 002, item 11: fewer than a tenth)."""

    # --- in

    def start(self, tasks: TaskGroup) -> None:
        """Let sessions run in `tasks` from now on."""
        self._tasks = tasks

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
        session = self._session((update.caller.owner, update.caller.session))
        self.accepted += 1
        return session.actor.offer(update)

    async def decide(self, session: _Session, update: ContextUpdate) -> Trace:
        """Run the pipeline for one context of one session."""
        if self._drops(update.caller):
            raise Refused("memory was turned off meanwhile")
        state = await self._loaded(session)
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
        self._ledger.record([of_context(session.key[0], trace, failed=failed)])
        # What is told as decided is on the disk: a session that goes on after a crash goes on from there.
        await self._save(session)
        session.traces.append(trace)
        del session.traces[:-UNSAVED_TRACES]
        self._publish(PipelineRan(trace, session.key[0]))
        try:
            await self._ledger.add_trace(session.key[0], trace)
        except DiskFull:
            return trace
        session.traces.remove(trace)
        return trace

    # --- out

    def take_now(self, caller: Caller, take_id: str) -> Taken | None:
        """Answer a take without waiting where nothing has to be written: None where it has to be."""
        session = self._sessions.get((caller.owner, caller.session))
        if session is None or session.state is None:
            return None
        session.used = self._clock.monotonic()
        last = session.state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        if self._shared:
            return None
        return None if session.state.found or self._may_be_due(session, _whose(caller)) else Taken()

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what is pending, exactly once; it counts as surfaced from here on, across restarts."""
        session = self._session((caller.owner, caller.session))
        while (taken := await self._take(session, caller, take_id)) is None:
            pass
        return taken

    async def _take(self, session: _Session, caller: Caller, take_id: str) -> Taken | None:
        """Hand over what is pending; None, and nothing handed over, where another daemon was first."""
        state = await self._loaded(session)
        version = session.version
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        whose, now = _whose(caller), self._sequence()
        due = self._may_be_due(session, whose)
        standing = await self._standing(caller) if due else []
        shown = fingerprint(standing)
        asked = [one for one in await self._questions(caller) if one.id not in state.consents] if due else []
        if not state.found and not standing and not asked:
            if due:
                state.note_standing(whose, shown)
                session.looked[whose] = now
            return Taken()
        waiting = state.waiting()
        beside = {one.id for memory in state.best() for one in memory.related}
        known = await self._ledger.get(caller.owner, sorted(waiting | beside))
        news, since, revision = await self._news(caller, state)
        # From here to `state.take` nothing awaits: two clients cannot take the same, and one that asks twice at a time
        # gets one answer twice.
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        state.withdraw(one for one in waiting if one not in known or known[one].state is not State.ACTIVE)
        # What was found while the ledger answered is for the next take: nobody has looked whether it is still true.
        # What another agent of this session may not see waits for the one that may.
        seen = self._categories.visible(caller)
        checked = [one for one in state.best() if one.id in waiting and is_allowed(known[one.id].category, seen)]
        checked = checked_again(checked, known, seen, hidden=state.surfaced.keys() | state.written.keys())
        always: list[SurfacedMemory] = []
        if due and state.standing.get(whose, "") != shown:
            always = [surfaced(named(memory), score=1.0, reason="always in context") for memory in standing]
        changes = header(news, since=since, known=state.written.keys() | state.waiting(), shown=state.surfaced)
        pending = render(
            checked,
            turn=state.turn,
            budget_tokens=self._settings.budget_tokens,
            always=always,
            changes=changes,
            consents=[one for one in asked if one.id not in state.consents],
        )

        def hand_over(state: SessionState) -> None:
            if due:
                state.note_standing(whose, shown)
            if pending is not None:
                state.take(take_id, pending, revision=revision)

        if pending is None:
            hand_over(state)
        elif not await self._hand_over(session, version, hand_over):
            return None
        if due and (pending is None or len(pending.consents) == len(asked)):
            session.looked[whose] = now  # otherwise the next take asks about the others
        if pending is None:
            return Taken()
        ids = tuple(handed_over(pending))
        if ids:
            self._publish(Surfaced(session=caller.session, turn=pending.turn, memories=ids, owner=caller.owner))
        await self._touch(caller.owner, (*ids, *(memory.id for memory in pending.always)))
        return Taken(pending)

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found, and leave it waiting."""
        state = await self._loaded(self._session((caller.owner, caller.session)))
        if not state.found:
            return None
        best = state.best()
        beside = {one.id for memory in best for one in memory.related}
        known = await self._ledger.get(caller.owner, sorted({memory.id for memory in best} | beside))
        seen = self._categories.visible(caller)
        checked = [
            one for one in best if one.id in known and known[one.id].active and is_allowed(known[one.id].category, seen)
        ]
        checked = checked_again(checked, known, seen, hidden=state.surfaced.keys() | state.written.keys())
        return render(checked, turn=state.turn, budget_tokens=self._settings.budget_tokens)

    async def standing(self, caller: Caller) -> list[Memory]:
        """Return what is always in a caller's context, in order."""
        return await self._standing(caller)

    async def _news(self, caller: Caller, state: SessionState) -> tuple[list[News], int, int]:
        """Return what was written since the session was told last, since when that is, and up to when.

        A session hears of what happens while it lasts, not of what was there before it.
        """
        revision = await self._ledger.revision(caller.owner)
        if state.told is None or state.told >= revision:
            return [], revision, revision
        visible = self._categories.visible(caller)
        return await self._ledger.news(visible, after=state.told, limit=MOST_NEWS), state.told, revision

    async def recall(self, caller: Caller, messages: Sequence[Message]) -> PendingMemory | None:
        """Judge memories against a context now.

        Raises:
            Refused: there are no messages, and this session has not pushed any since the daemon started.
        """
        session = self._session((caller.owner, caller.session))
        rules = await self._pipeline.rules_for(caller.project)
        focus = self._pipeline.read(messages, "turn", rules) if messages else session.focus
        if focus is None:
            raise Refused("there is no context to recall for", "Push one first, or give the messages.")
        memories = await self._pipeline.recall(focus, self._categories.recalled(caller))
        turn = session.state.turn if session.state else 0
        return render(memories, turn=turn, budget_tokens=self._settings.budget_tokens)

    async def note_written(self, caller: Caller, ids: Sequence[str]) -> None:
        """Remember that a session stored these itself: they are not news to it."""
        if not caller.session:
            return
        session = self._session((caller.owner, caller.session))
        state = await self._loaded(session)
        state.note_written(ids)
        await self._save(session)

    async def was_captured(self, caller: Caller, memory_id: str) -> bool:
        """Return whether this was captured from the session before."""
        return memory_id in (await self._loaded(self._session((caller.owner, caller.session)))).captured

    async def note_captured(self, caller: Caller, memory_id: str) -> None:
        """Remember that this was captured from the session."""
        session = self._session((caller.owner, caller.session))
        (await self._loaded(session)).note_captured(memory_id)
        await self._save(session)

    def purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed, in every session that is in memory."""
        for session in self._sessions.values():
            if session.state is not None:
                session.state.purge(ids)
            # What was asked may say what is destroyed; of what is not saved yet, nobody looks which.
            session.traces = [
                msgspec.structs.replace(
                    trace, focus="", candidates=tuple(one for one in trace.candidates if one.id not in ids)
                )
                for trace in session.traces
            ]

    def forget_session(self, key: Key) -> None:
        """Let go of a session that is purged, unsaved."""
        session = self._sessions.pop(key, None)
        if session is not None:
            session.traces = []
            session.actor.close()

    async def traces(self, caller: Caller, *, limit: int) -> list[Trace]:
        """Return the last decision traces of the caller's session, newest first; of all where it names none."""
        # Those not saved yet come first: one that is saved meanwhile then is in both lists rather than in none.
        fresh = [
            trace
            for (owner, name), session in self._sessions.items()
            if owner == caller.owner and caller.session in {"", name}
            for trace in reversed(session.traces)
        ]
        kept = await self._ledger.traces(caller.owner, caller.session, limit=limit)
        # By order, not by time: the clock may have gone backwards.
        traces = [*fresh, *(trace for trace in kept if trace not in fresh)][:limit]
        return [await self._within_reach(caller, trace) for trace in traces]

    async def _within_reach(self, caller: Caller, trace: Trace) -> Trace:
        """Return a trace without the candidates of categories that the caller's agent may not see."""
        seen = self._categories.visible(caller)
        if seen.allowed is None or not trace.candidates:
            return trace
        known = await self._ledger.get(caller.owner, [one.id for one in trace.candidates])
        shown = [one for one in trace.candidates if one.id in known and is_allowed(known[one.id].category, seen)]
        return msgspec.structs.replace(trace, candidates=tuple(shown))

    # --- what is always in context, and what was asked for

    def _may_be_due(self, session: _Session, whose: str) -> bool:
        """Return whether something may have changed in what is always in context since it was last looked at."""
        state = session.state
        return state is None or whose not in state.standing or session.looked.get(whose) != self._sequence()

    async def _standing(self, caller: Caller) -> list[Memory]:
        # One by one: the ledger finds a single category without walking through all.
        pages = [await self._ledger.page(one, limit=MOST_ALWAYS) for one in self._categories.standing(caller)]
        return in_order(memory for page in pages for memory in page)

    async def _questions(self, caller: Caller) -> list[Consent]:
        """Return the proposals that only the user's yes decides; what waits for another signal asks nobody."""
        waiting = await self._ledger.consents(self._categories.visible(caller), limit=MOST_ALWAYS)
        return [one for one in waiting if not one.needs]

    async def hear(self, caller: Caller, handed: Collection[str]) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories, and count it as told.

        Without a session there is nobody to remember what was told.
        """
        if not caller.session:
            return ()
        session = self._session((caller.owner, caller.session))
        state = await self._loaded(session)
        version = session.version
        news, since, revision = await self._news(caller, state)
        # From here on nothing awaits: of two clients that ask at a time one is told.
        if not news or state.told != since:
            return ()
        changes = header(news, since=since, known=state.written.keys() | set(handed), shown=state.surfaced)
        told = await self._hand_over(session, version, lambda state: state.tell(since, revision))
        return changes if told else ()

    def note_query(self, caller: Caller, ids: Sequence[str]) -> None:
        """Count that an agent asked for memory itself, and what it got; nobody waits for it."""
        self.query_calls += 1
        session = self._sessions.get((caller.owner, caller.session))
        if session is not None and session.state is not None and session.queried_on != session.state.turn:
            session.queried_on = session.state.turn
            self.query_turns += 1
        if ids and self._tasks is not None:
            self._tasks.start_soon(self._touch, caller.owner, tuple(ids), name="touch")

    async def _touch(self, owner: str, ids: Sequence[str]) -> None:
        try:
            await self._ledger.touch(owner, ids, self._clock.now())
        except Refused as refused:
            log.info("an access was not counted: %s", refused)

    # --- life

    def busy(self) -> int:
        """Return how many sessions have a context waiting or under way."""
        counts = [session.actor.statistics() for session in self._sessions.values()]
        return sum(1 for count in counts if count.waiting or count.busy)

    def loaded(self) -> int:
        """Return how many sessions are in memory."""
        return len(self._sessions)

    def evict_idle(self) -> int:
        """Let sessions go that nobody used for a while; return how many."""
        horizon = self._clock.monotonic() - IDLE_S
        idle = [key for key, session in self._sessions.items() if session.used < horizon and not session.traces]
        for key in idle:
            self._sessions.pop(key).actor.close()
        return len(idle)

    async def drain(self) -> None:
        """Take no more contexts and see those accepted through."""
        sessions = list(self._sessions.values())
        for session in sessions:
            session.actor.close()
        for session in sessions:
            await session.actor.stopped.wait()

    def _session(self, key: Key) -> _Session:
        session = self._sessions.get(key)
        if session is None:
            if self._tasks is None:
                raise ActorStopped("the memory actor")
            session = _Session(self, key, self._clock.monotonic())
            self._sessions[key] = session
            self._tasks.start_soon(self._run, session, name=session.actor.name)
        session.used = self._clock.monotonic()
        return session

    async def _run(self, session: _Session) -> None:
        """Run a session's actor; one that keeps crashing is put out of service alone, not with the daemon."""
        try:
            await session.actor.run()
        except ActorStopped as stopped:
            log.exception("a session keeps crashing")
            self._publish(Warned(component="sessions", message=str(stopped), hint="`memoryd logs` has the reason."))
            if self._sessions.get(session.key) is session:
                del self._sessions[session.key]

    def crashed(self, name: str, bug: Exception) -> None:
        """Tell that a session's actor hit a bug and was rebuilt."""
        log.error("%s crashed on a context and was rebuilt", name, exc_info=bug)
        self._publish(Warned(component="sessions", message=f"{name} crashed: {type(bug).__name__}"))

    async def _loaded(self, session: _Session) -> SessionState:
        if session.state is None:
            async with session.loading:
                if session.state is None:
                    saved = await self._ledger.load_session(*session.key)
                    state = decode_state(saved.state) if saved else SessionState()
                    if state.told is None:
                        state.told = await self._ledger.revision(session.key[0])
                    session.version, session.saved = (saved.version, saved.state) if saved else (0, b"")
                    session.state = state
                    return state
        if self._shared:
            async with session.saving:
                await self._refresh(session, session.state)
        return session.state

    async def _refresh(self, session: _Session, state: SessionState) -> None:
        """Take in what another daemon made of a session, where it did; the caller holds `saving`."""
        saved = await self._ledger.load_session(*session.key, known=session.version)
        if saved is None:
            return
        other, unsaved = decode_state(saved.state), encode_state(state) != session.saved
        state.join(other) if unsaved else state.become(other)
        session.version, session.saved = saved.version, saved.state
        # What was purged there meanwhile must not be saved once more here.
        held = state.held()
        if held:
            state.purge(held - (await self._ledger.get(session.key[0], sorted(held))).keys())

    async def _save(self, session: _Session) -> None:
        """Save a session's state. On a full disk the daemon goes on serving: only a restart would forget it."""
        if session.state is None:
            return
        try:
            if not self._shared:
                await self._ledger.save_session(*session.key, encode_state(session.state), self._clock.now())
                return
            async with session.saving:
                while not await self._save_version(session, encode_state(session.state)):
                    await self._refresh(session, session.state)
        except DiskFull as full:
            self._publish(Warned(component="ledger", message=str(full), hint=full.hint))

    async def _save_version(self, session: _Session, state: bytes) -> bool:
        """Save a state over the one that is known; return False where there is another by now."""
        now = self._clock.now()
        version = await self._ledger.save_session(*session.key, state, now, version=session.version)
        if version is None:
            return False
        session.version, session.saved = version, state
        return True

    async def _hand_over(self, session: _Session, version: int, change: Callable[[SessionState], object]) -> bool:
        """Change and save a state from which something is given away: to one only, of however many daemons ask for it.

        Return False, and leave it as it is, where it is no longer at `version`.

        Raises:
            DiskFull: nothing is given away, as nobody could be kept from giving it away once more.

        """
        if session.state is None:
            return False
        if not self._shared:
            change(session.state)
            await self._save(session)
            return True
        async with session.saving:
            after = decode_state(encode_state(session.state))
            change(after)
            if session.version != version or not await self._save_version(session, encode_state(after)):
                return False
            change(session.state)
        return True


def _whose(caller: Caller) -> str:
    """Return for whom it is kept what is always in context: agents may see different things, so may projects."""
    return f"{caller.agent}\n{caller.project}"
