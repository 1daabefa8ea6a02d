"""The recall pipeline: from a context update to what is worth knowing on the next turn.

Nine steps (clean, gate, embed, topic, search, surfaced, judge, pending, take); the last one is `recall.Recall.take`.
Every update leaves a trace that says what was considered, what was decided and why.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from memoryd_actors.access.categories import Categories
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.core.errors import ModelUnavailable, Refused
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.judge import Judge
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Embedder, Vector, Vectors
from memoryd_actors.recall.focus import WINDOW_MESSAGES, Focus, find_focus
from memoryd_actors.recall.session import SessionState
from memoryd_actors.recall.stages import Stages
from memoryd_actors.recall.topic import BLENDED_WORDS, UNDECIDED, Topic, blended, topic_change
from memoryd_actors.recall.weighing import Weighed, Weighing
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Searcher, Sifted
from memoryd_actors.texts.clean import clean
from memoryd_client.wire.context import ContextUpdate, Message, Trigger
from memoryd_client.wire.pending import SurfacedMemory
from memoryd_client.wire.traces import Trace

LOOKED_AT = 50
"""Messages, tool output included, among which the request is looked for."""


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What a context brought up, before it is judged."""

    request: Vector | None
    """None where there was no model."""
    before: Vectors | None
    """Of the window; None where it was not needed yet."""
    sifted: Sifted
    visible: Visibility


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
    ) -> None:
        """Prepare; without `relatives` nothing stands beside what is found.

        `files` knows what stands in a project's environment files: no context may take that to a model.
        """
        self._files = files
        self._embedder = embedder
        self._searcher = searcher
        self._indexer = indexer
        self._weighing = Weighing(judge, judged=settings.judged, relatives=relatives if settings.related else None)
        self._clock = clock
        self._settings = settings
        self.rules = rules
        self._categories = categories or Categories()
        self._thread = WorkerThreads(name="recall")

    async def decide(self, state: SessionState, update: ContextUpdate) -> tuple[Trace, Focus | None]:
        """Bring a session up to date with a context: afterwards `state.found` holds what may be taken.

        Returns the trace, and what the context is about.
        """
        stages = Stages()
        with stages.stage("clean"):
            focus = await self.focus_of(update.messages, update.trigger, update.caller.project)
        return await self._decide(state, update, focus, stages), focus

    async def focus_of(self, messages: Sequence[Message], trigger: Trigger, project: str) -> Focus | None:
        """Clean the end of a conversation and find what it is about, under the rules of its project."""
        rules = await self._rules_for(project)
        return await self._thread.run(partial(self.read, messages, trigger, rules))

    async def _rules_for(self, project: str) -> Rules:
        """Return what is replaced in what is said in a project: what stands in its environment files as well."""
        if self._files is None or not project:
            return self.rules
        environment = (await self._files.look(project, ())).environment
        return replace(self.rules, environment=environment) if environment else self.rules

    def undecided(self, state: SessionState, update: ContextUpdate, why: Refused) -> Trace:
        """Return the trace of a context that could not be decided; the same context again is tried again."""
        return self._trace(update, state, Stages(), focus="", outcome=f"not decided: {why} {why.hint}".rstrip())

    async def _decide(self, state: SessionState, update: ContextUpdate, focus: Focus | None, stages: Stages) -> Trace:
        settings = self._settings
        if focus is None:
            return self._trace(update, state, stages, focus="", outcome="nobody said anything")
        if focus.fingerprint == state.fingerprint:
            return self._trace(update, state, stages, focus=focus.text, outcome="same context as before")
        turn_before = state.turn
        if update.trigger == "turn":
            state.begin_turn(update.turn, reset_turns=settings.reset_turns)
        state.expire(pending_turns=settings.pending_turns)
        visible = self._categories.recalled(update.caller)
        exclude = state.surfaced.keys() | state.written.keys()
        gathered = await self._gather(focus, visible, exclude, stages)
        topic, since = UNDECIDED, None
        # Only what was shown or waits depends on the topic. Where there is none of it, the topic is decided once the
        # memories are ready to be taken: embedding what was said before takes as long as all the rest.
        early = bool(state.found) or any(one.memory.id in state.surfaced for one in gathered.sifted.excluded)
        if early:
            topic, since = await self._topic(gathered, focus, state, turn_before, stages)
        weighed = await self._weighing.weigh(
            focus,
            gathered.sifted,
            gathered.visible,
            stages,
            shown=state.surfaced,
            written=state.written,
        )
        with stages.stage("pending"):
            state.fingerprint = focus.fingerprint
            state.add(weighed.kept, keep=settings.maximum_surfaced, pending_turns=settings.pending_turns)
        stages.finish()
        if not early:
            topic, since = await self._topic(gathered, focus, state, turn_before, stages)
        outcome = f"{len(state.found)} pending" if weighed.kept else "nothing relevant"
        if gathered.request is None:
            outcome += " (by words alone: no model)"
        return self._trace(
            update,
            state,
            stages,
            focus=focus.text,
            outcome=outcome,
            topic_changed=topic.changed,
            topic_similarity=topic.similarity,
            topic_turn=since,
            weighed=weighed,
        )

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

    async def recall(self, focus: Focus, visible: Visibility) -> tuple[SurfacedMemory, ...]:
        """Return what is worth knowing for a focus now, whatever was shown before."""
        stages = Stages()
        gathered = await self._gather(focus, visible, (), stages)
        weighed = await self._weighing.weigh(focus, gathered.sifted, visible, stages, shown={}, written={})
        best = sorted(weighed.kept, key=lambda memory: -memory.score)
        return tuple(best[: self._settings.maximum_surfaced])

    async def _gather(self, focus: Focus, visible: Visibility, exclude: Collection[str], stages: Stages) -> _Gathered:
        """Embed the request and search for it, by words alone where there is no model."""
        request = before = query = None
        self._indexer.hurry()  # what was written just now is there before the model has run
        with stages.stage("embed"), suppress(ModelUnavailable):
            request = query = (await self._embedder.embed([focus.text]))[0]
            if focus.words < BLENDED_WORDS:
                before = await self._embedder.embed(focus.window)
                query = blended(request, before, words=focus.words)
        with stages.stage("search"):
            await self._indexer.wait_open(deadline_s=10.0)
            sifted = await self._searcher.sift(
                # Twice what is judged: what says the same as another gives up its place.
                vector=query,
                words=focus.text,
                visible=visible,
                limit=2 * self._settings.judged,
                exclude=exclude,
            )
        return _Gathered(request, before, sifted, visible)

    async def _topic(
        self, gathered: _Gathered, focus: Focus, state: SessionState, turn_before: int, stages: Stages
    ) -> tuple[Topic, int | None]:
        """Decide whether this turn or the one before it, whose reply is known now, began a new topic, and begin it.

        Returns the decision and the turn that the new topic began with; undecided without a model and between turns.
        """
        with stages.stage("topic"), suppress(ModelUnavailable):
            turn, last = focus.turn, focus.last_turn
            if gathered.request is None or turn is None:
                return UNDECIDED, None
            rule, threshold = self._settings.topic_rule, self._settings.topic_threshold
            if rule != "exchange" or state.topic_turn >= turn_before:
                last = None
            # In one call: all but the newest reply was embedded for the contexts before, and is still known.
            vectors = await self._embedder.embed(turn.texts + (last.texts if last else ()))
            topic = topic_change(turn, vectors[: len(turn.texts)], rule=rule, threshold=threshold)
            since = state.turn
            if last is not None and not topic.changed:
                late = topic_change(last, vectors[len(turn.texts) :], rule=rule, threshold=threshold)
                if late.changed:
                    topic, since = late, turn_before
            if topic.changed:
                state.change_topic(since)
                return topic, since
            return topic, None
        return UNDECIDED, None

    def _trace(
        self,
        update: ContextUpdate,
        state: SessionState,
        stages: Stages,
        *,
        focus: str,
        outcome: str,
        topic_changed: bool = False,
        topic_similarity: float | None = None,
        topic_turn: int | None = None,
        weighed: Weighed | None = None,
    ) -> Trace:
        return Trace(
            session=update.caller.session,
            turn=state.turn,
            at=self._clock.now().isoformat(timespec="milliseconds"),
            trigger=update.trigger,
            focus=focus[:200],
            outcome=outcome,
            topic_changed=topic_changed,
            topic_similarity=None if topic_similarity is None else round(topic_similarity, 4),
            topic_turn=topic_turn,
            judge=weighed.judge if weighed else "",
            candidates=weighed.candidates if weighed else (),
            timings_ms=stages.finish(),
        )
