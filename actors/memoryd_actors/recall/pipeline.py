"""The recall pipeline: from a context update to what is worth knowing on the next turn.

Nine steps (clean, gate, embed, topic, search, surfaced, judge, pending, take); the last one is `Session.take`. It reads
the state of a session and returns what is to change in it. Every update leaves a trace that says what was considered,
what was decided and why.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.core.errors import ModelUnavailable, Refused
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.judge import Judge
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.recall.documents import DocumentRecall
from memoryd_actors.recall.focus import WINDOW_MESSAGES, Focus, find_focus
from memoryd_actors.recall.session_state import Decided, SessionLimits, SessionState, turns_shown, whose_context
from memoryd_actors.recall.stages import Stages
from memoryd_actors.recall.standing_memory import StandingMemory
from memoryd_actors.recall.topic import BLENDED_WORDS, UNDECIDED, Topic, blended, topic_change
from memoryd_actors.recall.weighing import Weighed, Weighing
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher, Sifted
from memoryd_actors.texts.clean import clean
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Message, Trigger
from memoryd_client.wire.pending import SurfacedMemory
from memoryd_client.wire.traces import SAME_CONTEXT, Trace

OPENS_S = 60.0
"""How long a context waits for the index to open."""
STANDS = "stands in the context"
SHORT = 500
"""Characters of a context that are read at once: going to another thread takes as long."""
LOOKED_AT = 50
"""Messages, tool output included, among which the request is looked for."""


class _Gathered(msgspec.Struct, frozen=True):
    """What a context brought up, before it is judged."""

    focus: Focus
    """What was searched for."""
    query: Vector | None
    """None where there was no model."""
    sifted: Sifted
    topic: Topic | None = None
    """None where it is not decided yet."""
    since: int | None = None

    @property
    def embedded(self) -> bool:
        """Whether there was a model."""
        return self.query is not None


class Decision(msgspec.Struct, frozen=True):
    """What became of a context."""

    update: ContextUpdate
    focus: Focus | None
    stages: Stages
    outcome: str = ""
    """Empty where it was searched for."""
    change: Decided | None = None
    """What it changes in its session; None: nothing."""
    begun: SessionState = msgspec.field(default_factory=SessionState)
    """The session as the context found it, its turn begun."""
    turn_before: int = 0
    """The turn before the one that was begun."""
    topic: Topic | None = UNDECIDED
    """None where it is to be decided once the memories can be taken."""
    since: int | None = None
    """The turn that began a new topic."""
    weighed: Weighed | None = None
    embedded: bool = True


class Pipeline:
    """Runs the steps for one context at a time; holds no state of its own, so sessions can share it."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        searcher: Searcher,
        indexer: Indexer,
        judge: Judge,
        clock: Clock,
        settings: RecallSettings,
        rules: Rules = DEFAULT,
        categories: Categories | None = None,
        relatives: Relatives | None = None,
        files: IgnoredFiles | None = None,
        standing: StandingMemory | None = None,
        documents: DocumentRecall | None = None,
    ) -> None:
        """Prepare; without `relatives` nothing stands beside what is found, without `standing` nothing in a context.

        `files` knows what stands in a project's environment files: no context may take that to a model.
        """
        self._files = files
        self._standing = standing
        self._documents = documents
        self.limits = SessionLimits(settings.reset_turns, settings.pending_turns, settings.maximum_surfaced)
        self._embedder = embedder
        self._searcher = searcher
        self._indexer = indexer
        self._categories = categories or Categories()
        self._weighing = Weighing(
            judge,
            searcher,
            self._categories,
            judged=settings.judged,
            relatives=relatives if settings.related else None,
        )
        self._clock = clock
        self._settings = settings
        self.rules = rules
        self._thread = WorkerThreads(name="recall")

    async def decide(self, state: SessionState, update: ContextUpdate) -> Decision:
        """Decide what a context brings up in a session as it stands, and its topic where anything turns on it."""
        stages = Stages()
        with stages.stage("clean"):
            focus = await self.focus_of(update.messages, update.trigger, update.caller.project)
        if focus is None:
            return Decision(update, None, stages, "nobody said anything")
        focus = msgspec.structs.replace(focus, files=update.files)
        await self._indexer.wait_open(deadline_s=OPENS_S)
        considered, same = self._indexer.target, focus.fingerprint == state.fingerprint
        if same and considered == state.considered:
            return Decision(update, focus, stages, SAME_CONTEXT)
        change = Decided(
            turn=update.turn,
            begins_turn=update.trigger == "turn" and not same,
            stands=turns_shown(update),
            fingerprint=focus.fingerprint,
            considered=considered,
        )
        decision = Decision(
            update, focus, stages, change=change, begun=state.begin(change, self.limits), turn_before=state.turn
        )
        return await self._decide(decision, focus, change)

    async def _decide(self, decision: Decision, focus: Focus, change: Decided) -> Decision:
        """Search, and have judged what is found."""
        state, stages, caller = decision.begun, decision.stages, decision.update.caller
        visible = self._categories.recalled(caller)
        standing = await self._untold(caller, state, focus)
        gathered = await self._gather(focus, decision, visible, _known(state, caller, standing))
        topic, since = gathered.topic, gathered.since
        # Only what was shown or waits depends on the topic. Where there is none of it, the topic is decided once the
        # memories are ready to be taken: embedding what was said before takes as long as all the rest.
        early = bool(state.found) or any(one.memory.id in state.surfaced for one in gathered.sifted.excluded)
        if topic is None and (early or not gathered.embedded):
            topic, since = await self._topic(focus, decision) if gathered.embedded else (UNDECIDED, None)
        if since is not None:
            state = state.change_topic(since, stands=change.stands)
        weighed = await self._weighing.weigh(
            gathered.focus, gathered.sifted, visible, stages, known=_known(state, caller, standing)
        )
        weighed = await self._with_documents(weighed, gathered, decision, _known(state, caller, standing))
        return msgspec.structs.replace(
            decision,
            change=msgspec.structs.replace(change, since=since, memories=weighed.kept),
            topic=topic,
            since=since,
            weighed=weighed,
            embedded=gathered.embedded,
        )

    def apply(self, decision: Decision, state: SessionState) -> SessionState:
        """Return a session with what a context brings up."""
        if decision.change is None:
            return state
        with decision.stages.stage("pending"):
            state = state.decide(decision.change, self.limits)
        decision.stages.finish()
        return state

    async def decide_topic(self, decision: Decision) -> Decision:
        """Decide the topic of a context where that was left until its memories can be taken."""
        if decision.topic is not None or decision.focus is None:
            return decision
        topic, since = await self._topic(decision.focus, decision)
        return msgspec.structs.replace(decision, topic=topic, since=since)

    async def focus_of(self, messages: Sequence[Message], trigger: Trigger, project: str) -> Focus | None:
        """Clean the end of a conversation and find what it is about, under the rules of its project."""
        rules = await self._rules_for(project)
        if sum(len(message.content) for message in messages[-LOOKED_AT:]) <= SHORT:
            return self.read(messages, trigger, rules)
        return await self._thread.run(partial(self.read, messages, trigger, rules))

    async def _rules_for(self, project: str) -> Rules:
        """Return what is replaced in what is said in a project: what stands in its environment files as well."""
        if self._files is None or not project:
            return self.rules
        environment = (await self._files.look(project, ())).environment
        return msgspec.structs.replace(self.rules, environment=environment) if environment else self.rules

    def undecided(self, update: ContextUpdate, why: Refused, *, turn: int) -> Trace:
        """Return the trace of a context that could not be decided; the same context again is tried again."""
        outcome = f"not decided: {why} {why.hint}".rstrip()
        return self.trace(Decision(update, None, Stages(), outcome), SessionState(turn=turn))

    @staticmethod
    def read(messages: Sequence[Message], trigger: Trigger, rules: Rules = DEFAULT) -> Focus | None:
        """Clean the end of a conversation and find what it is about."""
        recent: list[Message] = []
        requests = before = 0
        # From the newest back, until there is all that a focus can need, the request before the latest and what was
        # said before that: older messages decide nothing, and cleaning costs half a millisecond per kilobyte.
        for message in reversed(messages[-LOOKED_AT:]):
            kept = clean([message], rules)
            recent += kept
            before += len(kept) if requests >= 2 else 0
            requests += sum(one.role == "user" for one in kept)
            if before >= WINDOW_MESSAGES:
                break
        return find_focus(recent[::-1], trigger)

    async def recall(self, focus: Focus, caller: Caller, known: Collection[str]) -> tuple[SurfacedMemory, ...]:
        """Return what is worth knowing for a focus now, whatever was shown before, but for what is `known`."""
        visible, stages = self._categories.recalled(caller), Stages()
        await self._indexer.wait_open(deadline_s=OPENS_S)
        decision = Decision(ContextUpdate(caller=caller, messages=()), focus, stages)
        standing = dict.fromkeys(known, STANDS)
        gathered = await self._gather(msgspec.structs.replace(focus, turn=None), decision, visible, standing)
        weighed = await self._weighing.weigh(gathered.focus, gathered.sifted, visible, stages, known=standing)
        weighed = await self._with_documents(weighed, gathered, decision, standing)
        best = sorted(weighed.kept, key=lambda memory: -memory.score)
        return tuple(best[: self._settings.maximum_surfaced])

    async def _with_documents(
        self, weighed: Weighed, gathered: _Gathered, decision: Decision, known: Mapping[str, str]
    ) -> Weighed:
        if self._documents is None:
            return weighed
        return await self._documents.beside(
            weighed,
            gathered.focus,
            gathered.query,
            decision.update.caller,
            decision.stages,
            known=known,
            stored=self._indexer.target,
        )

    async def _untold(self, caller: Caller, state: SessionState, focus: Focus) -> set[str]:
        """Return the standing memory that the next take will tell."""
        if self._standing is None:
            return set()
        standing = await self._standing.choose(caller, focus.text)
        return {one.id for one in standing.untold(state.in_force.get(whose_context(caller)), state.written)}

    async def _gather(
        self, focus: Focus, decision: Decision, visible: Visibility, known: Mapping[str, str]
    ) -> _Gathered:
        """Embed the request and search for it, by words alone where there is no model.

        A short request is searched for together with what led to it, unless it opens a new topic.
        """
        self._indexer.hurry()  # what was written just now is there before the model has run
        stages, stored = decision.stages, self._indexer.target
        topic: Topic | None = None
        since: int | None = None
        query: Vector | None = None
        if focus.words < BLENDED_WORDS and focus.turn is not None:
            topic, since = await self._topic(focus, decision)
            if topic.changed and since == decision.begun.turn:
                focus = focus.alone()
        with stages.stage("embed"), suppress(ModelUnavailable):
            vectors = self._embedder.embed([focus.text], query=True)
            query = request = (await self._searcher.meanwhile(vectors, focus.text, visible))[0]
            if focus.words < BLENDED_WORDS:
                window = await self._embedder.embed(focus.window, query=True)
                query = blended(request, window, words=focus.words)
        with stages.stage("search"):
            sifted = await self._searcher.sift(
                # Twice what is judged: what says the same as another gives up its place.
                vector=query,
                words=focus.text,
                visible=visible,
                limit=2 * self._settings.judged,
                exclude=known,
                stored=stored,
            )
        return _Gathered(focus, query, sifted, topic, since)

    async def _topic(self, focus: Focus, decision: Decision) -> tuple[Topic, int | None]:
        """Decide whether this turn or the one before it, whose reply is known now, began a new topic.

        Returns the decision and the turn that the new topic began with; undecided without a model and between turns.
        """
        state, turn_before = decision.begun, decision.turn_before
        with decision.stages.stage("topic"), suppress(ModelUnavailable):
            turn, last = focus.turn, focus.last_turn
            if turn is None:
                return UNDECIDED, None
            rule, threshold = self._settings.topic_rule, self._settings.topic_threshold
            if rule != "exchange" or state.topic_turn >= turn_before:
                last = None
            # In one call: all but the newest reply was embedded for the contexts before, and is still known.
            vectors = await self._embedder.embed(turn.texts + (last.texts if last else ()))
            topic = topic_change(turn, vectors[: len(turn.texts)], rule=rule, threshold=threshold)
            if topic.changed:
                return topic, state.turn
            if last is not None:
                late = topic_change(last, vectors[len(turn.texts) :], rule=rule, threshold=threshold)
                if late.changed:
                    return late, turn_before
            return topic, None
        return UNDECIDED, None

    def trace(self, decision: Decision, state: SessionState) -> Trace:
        """Tell how a context was decided, with the state after it."""
        weighed, topic = decision.weighed, decision.topic or UNDECIDED
        outcome = decision.outcome
        if not outcome:
            outcome = f"{len(state.found)} pending" if weighed and weighed.kept else "nothing relevant"
            outcome += "" if decision.embedded else " (by words alone: no model)"
        return Trace(
            session=decision.update.caller.session,
            turn=state.turn,
            at=self._clock.now().isoformat(timespec="milliseconds"),
            trigger=decision.update.trigger,
            focus=decision.focus.text[:200] if decision.focus else "",
            outcome=outcome,
            topic_changed=topic.changed,
            topic_similarity=None if topic.similarity is None else round(topic.similarity, 4),
            topic_turn=decision.since,
            judge=weighed.judge if weighed else "",
            agent=decision.update.caller.agent,
            candidates=weighed.candidates if weighed else (),
            timings_ms=decision.stages.finish(),
        )


def _known(state: SessionState, caller: Caller, untold: Collection[str]) -> dict[str, str]:
    """Return what is not brought up, and why, in words."""
    return {
        **dict.fromkeys(state.known(whose_context(caller)), STANDS),
        **dict.fromkeys(untold, STANDS),
        **dict.fromkeys(state.written, "stored by this session itself"),
        **{memory: f"already shown on turn {turn}" for memory, turn in state.surfaced.items()},
    }
