"""The recall pipeline: from a context update to what is worth knowing on the next turn.

Nine steps (clean, gate, embed, topic, search, surfaced, judge, pending, take); the last one is `recall.Recall.take`.
Every update leaves a trace that says what was considered, what was decided and why.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.visibility import Visibility
from memoryd_actors.admission.project_rules import IgnoredFiles
from memoryd_actors.errors import ModelUnavailable, Refused
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.judging.cadence import Cadence
from memoryd_actors.judging.case import Case, Exhibit
from memoryd_actors.judging.judge import Judge, Judgement, Verdict
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.embedder import Embedder, Vector, Vectors
from memoryd_actors.recall.clean import clean
from memoryd_actors.recall.fence import one_line
from memoryd_actors.recall.focus import WINDOW_MESSAGES, Focus, find_focus
from memoryd_actors.recall.render import MAX_SUMMARY, SHORT_ID, summary, surfaced
from memoryd_actors.recall.session import SessionState
from memoryd_actors.recall.topic import BLENDED_WORDS, UNDECIDED, Topic, blended, topic_change
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.searching.near_identical import adds_nothing, told, told_again
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import Found, Searcher, Sifted
from memoryd_actors.settings import RecallSettings
from memoryd_client.memory import SurfacedMemory
from memoryd_client.messages import CandidateTrace, ContextUpdate, Message, Trace, Trigger

if TYPE_CHECKING:
    from collections.abc import Generator

LOOKED_AT = 50
"""Messages, tool output included, among which the request is looked for."""
LONGEST_EXHIBIT = 1_000
"""Characters of a memory that the judge reads."""


@dataclass(slots=True)
class _Stages:
    """Milliseconds per stage."""

    timings: dict[str, float] = field(default_factory=dict[str, float])
    began: float = field(default_factory=perf_counter)

    @contextmanager
    def stage(self, name: str) -> "Generator[None]":
        start = perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((perf_counter() - start) * 1000, 3)

    def finish(self) -> dict[str, float]:
        """Stop counting the total, the first time: what follows keeps nobody waiting."""
        self.timings.setdefault("total", round((perf_counter() - self.began) * 1000, 3))
        return self.timings


@dataclass(frozen=True, slots=True)
class Weighed:
    """A judged search: what is worth surfacing, and the story of every candidate."""

    kept: tuple[SurfacedMemory, ...]
    candidates: tuple[CandidateTrace, ...]
    judge: str
    stood_in: bool = True
    """Whether anybody but the configured judge decided."""


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
        cadence: Cadence = Cadence(),  # noqa: B008 - frozen
        relatives: Relatives | None = None,
        files: IgnoredFiles | None = None,
    ) -> None:
        """Prepare; without `relatives` nothing stands beside what is found.

        `files` knows what stands in a project's environment files: no context may take that to a model.
        """
        self._relatives = relatives
        self._files = files
        self._embedder = embedder
        self._searcher = searcher
        self._indexer = indexer
        self._judge = judge
        self._clock = clock
        self._settings = settings
        self.rules = rules
        self._categories = categories or Categories()
        self._cadence = cadence

    async def decide(self, state: SessionState, update: ContextUpdate) -> tuple[Trace, Focus | None]:
        """Bring a session up to date with a context: afterwards `state.found` holds what may be taken.

        Returns the trace, and what the context is about.
        """
        stages = _Stages()
        with stages.stage("clean"):
            focus = self.read(update.messages, update.trigger, await self.rules_for(update.caller.project))
        return await self._decide(state, update, focus, stages), focus

    async def rules_for(self, project: str) -> Rules:
        """Return what is replaced in what is said in a project: what stands in its environment files as well."""
        if self._files is None or not project:
            return self.rules
        environment = (await self._files.look(project, ())).environment
        return replace(self.rules, environment=environment) if environment else self.rules

    def undecided(self, state: SessionState, update: ContextUpdate, why: Refused) -> Trace:
        """Return the trace of a context that could not be decided; the same context again is tried again."""
        return self._trace(update, state, _Stages(), focus="", outcome=f"not decided: {why} {why.hint}".rstrip())

    async def _decide(self, state: SessionState, update: ContextUpdate, focus: Focus | None, stages: _Stages) -> Trace:
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
        early = self._cadence.needs_topic or bool(state.found)
        early = early or any(one.memory.id in state.surfaced for one in gathered.sifted.excluded)
        if early:
            topic, since = await self._topic(gathered, focus, state, turn_before, stages)
        sparing = self._cadence.objection(
            trigger=update.trigger, turn=state.turn, asked_turn=state.asked_turn, topic_changed=topic.changed
        )
        weighed = await self._weigh(
            focus, gathered, stages, shown=state.surfaced, written=state.written, sparing=sparing
        )
        if not weighed.stood_in:
            state.asked_turn = state.turn
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
        stages = _Stages()
        gathered = await self._gather(focus, visible, (), stages)
        weighed = await self._weigh(focus, gathered, stages, shown={}, written={})
        best = sorted(weighed.kept, key=lambda memory: -memory.score)
        return tuple(best[: self._settings.maximum_surfaced])

    async def _gather(self, focus: Focus, visible: Visibility, exclude: Collection[str], stages: _Stages) -> _Gathered:
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
        self, gathered: _Gathered, focus: Focus, state: SessionState, turn_before: int, stages: _Stages
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

    async def _weigh(
        self,
        focus: Focus,
        gathered: _Gathered,
        stages: _Stages,
        *,
        shown: Mapping[str, int],
        written: Mapping[str, int],
        sparing: str = "",
    ) -> Weighed:
        """Judge what was found; return what is kept and why everything else is not."""
        with stages.stage("surfaced"):
            # Looked up before the topic was known: where it changed, what had been shown may come back.
            hidden = [one for one in gathered.sifted.excluded if one.memory.id in shown or one.memory.id in written]
            again = [one for one in gathered.sifted.excluded if one not in hidden]
            ranked = sorted([*gathered.sifted.found, *again], key=lambda one: -one.ranked.score)
            found, repeated = _distinct(ranked, hidden, most=self._settings.judged)
            lowest = found[-1].ranked.score if found else 0.0
            traces = [
                _candidate(one, f"already shown on turn {shown[one.memory.id]}")
                if one.memory.id in shown
                else _candidate(one, "stored by this session itself")
                for one in hidden
                if one.ranked.score >= lowest
            ]
            traces += [_candidate(one, f"adds nothing to {twin.memory.id[:SHORT_ID]}") for one, twin in repeated]
        if not found:
            return Weighed((), tuple(traces), "")
        with stages.stage("judge"):
            judgement = await self._judge.judge(_case(focus, found, gathered.visible, sparing))
        kept, judged = _settle(found, judgement)
        with stages.stage("related"):
            kept, related = await self._related(
                kept, gathered, hidden=shown.keys() | written.keys(), passed_over=judged
            )
        traces += related
        who = f"{judgement.judge} ({judgement.note})" if judgement.note else judgement.judge
        return Weighed(tuple(kept), tuple(judged + traces), who, judgement.judge != self._judge.name)

    async def _related(
        self,
        kept: list[SurfacedMemory],
        gathered: _Gathered,
        *,
        hidden: Collection[str],
        passed_over: Sequence[CandidateTrace],
    ) -> tuple[list[SurfacedMemory], list[CandidateTrace]]:
        """Put beside what is kept what contradicts it or is near to it; return both as they are to be told."""
        if self._relatives is None or not kept or not self._settings.related:
            return kept, []
        beside = await self._relatives.beside(
            {one.id: told_again(one) for one in sorted(kept, key=lambda one: -one.score)},
            gathered.visible,
            hidden=hidden,
            passed_over=[one.id for one in passed_over],
        )
        traces = [
            CandidateTrace(
                id=one.id,
                summary=one_line(one.content, MAX_SUMMARY),
                vector_score=0.0,
                word_score=0.0,
                score=0.0,
                kept=True,
                reason=f"beside {memory_id[:SHORT_ID]}: {one.reason}",
            )
            for memory_id, related in beside.items()
            for one in related
        ]
        return [msgspec.structs.replace(one, related=beside.get(one.id, ())) for one in kept], traces

    def _trace(
        self,
        update: ContextUpdate,
        state: SessionState,
        stages: _Stages,
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


def _case(focus: Focus, found: Sequence[Found], visible: Visibility, sparing: str) -> Case:
    return Case(
        focus=focus.text,
        window="\n".join(focus.window),
        exhibits=tuple(
            Exhibit(
                id=one.memory.id,
                text=_exhibit_text(one),
                category=one.memory.category,
                date=one.memory.occurred_at or one.memory.created_at,
                trust=one.memory.trust,
                vector_score=one.ranked.vector_score,
                word_score=one.ranked.word_score,
                score=one.ranked.score,
                sourced=bool(one.memory.session),
            )
            for one in found
        ),
        visible=visible,
        sparing=sparing,
    )


def _distinct(
    ranked: Sequence[Found], hidden: Sequence[Found], *, most: int
) -> tuple[list[Found], list[tuple[Found, Found]]]:
    """Return the first `most` that each say something new, and those passed over, with what says the same already."""
    found: list[Found] = []
    repeated: list[tuple[Found, Found]] = []
    known = [(one, told(one.memory)) for one in hidden]
    for one in ranked:
        if len(found) == most:
            break
        new = told(one.memory)
        twin = next((other for other, shown in known if adds_nothing(new, shown)), None)
        if twin is not None:
            repeated.append((one, twin))
            continue
        found.append(one)
        known.append((one, new))
    return found, repeated


def _exhibit_text(one: Found) -> str:
    memory = one.memory
    said = f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content
    return (f"{memory.title}\n{said}" if memory.title else said)[:LONGEST_EXHIBIT]


def _settle(found: Sequence[Found], judgement: Judgement) -> tuple[list[SurfacedMemory], list[CandidateTrace]]:
    """Turn verdicts into what is kept; an exhibit without a verdict, or with an impossible index, is dropped."""
    verdicts: dict[int, Verdict] = {}
    for given in judgement.verdicts:
        verdicts.setdefault(given.index, given)
    kept: list[SurfacedMemory] = []
    traces: list[CandidateTrace] = []
    for n, one in enumerate(found):
        if (verdict := verdicts.get(n)) is None:
            traces.append(_candidate(one, "the judge had no word for it"))
            continue
        keep = verdict.relevant and verdict.actionable
        if keep:
            kept.append(surfaced(one.memory, score=verdict.score, reason=verdict.reason))
        why = verdict.reason if keep or not verdict.relevant else f"relevant, not actionable: {verdict.reason}"
        traces.append(_candidate(one, why, verdict=verdict, kept=keep))
    return kept, traces


def _candidate(one: Found, reason: str, *, verdict: Verdict | None = None, kept: bool = False) -> CandidateTrace:
    return CandidateTrace(
        id=one.memory.id,
        summary=summary(one.memory),
        vector_score=round(one.ranked.vector_score, 4),
        word_score=round(one.ranked.word_score, 4),
        score=round(one.ranked.score, 4),
        boosts={name: round(more, 4) for name, more in one.ranked.boosts},
        kept=kept,
        reason=reason,
        judge_score=verdict.score if verdict else None,
        actionable=verdict.actionable if verdict else None,
    )
