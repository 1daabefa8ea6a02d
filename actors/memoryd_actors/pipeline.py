"""The recall pipeline: from a context update to what is worth knowing on the next turn.

Nine steps (clean, gate, embed, topic, search, surfaced, judge, pending, take); the last one is `recall.Recall.take`.
Every update leaves a trace that says what was considered, what was decided and why.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from memoryd_actors.clean import clean
from memoryd_actors.errors import ModelUnavailable
from memoryd_actors.focus import FOCUS_TOKENS, WINDOW_TOKENS, Focus, find_focus
from memoryd_actors.indexer import Indexer
from memoryd_actors.ports import Case, Clock, Embedder, Exhibit, Judge, Judgement, Vector, Vectors, Verdict, Visibility
from memoryd_actors.render import summary, surfaced
from memoryd_actors.search import Found, Searcher
from memoryd_actors.session import SessionState
from memoryd_actors.settings import RecallSettings
from memoryd_actors.topic import blended, topic_change
from memoryd_client.memory import SurfacedMemory
from memoryd_client.messages import CandidateTrace, ContextUpdate, Message, Trace, Trigger

if TYPE_CHECKING:
    from collections.abc import Generator

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
        yield
        self.timings[name] = round((perf_counter() - start) * 1000, 3)

    def total(self) -> dict[str, float]:
        self.timings["total"] = round((perf_counter() - self.began) * 1000, 3)
        return self.timings


@dataclass(frozen=True, slots=True)
class Weighed:
    """A judged search: what is worth surfacing, and the story of every candidate."""

    kept: tuple[SurfacedMemory, ...]
    candidates: tuple[CandidateTrace, ...]
    judge: str


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
    ) -> None:
        self._embedder = embedder
        self._searcher = searcher
        self._indexer = indexer
        self._judge = judge
        self._clock = clock
        self._settings = settings

    async def decide(self, state: SessionState, update: ContextUpdate) -> Trace:
        """Bring a session up to date with a context: afterwards `state.found` holds what may be taken."""
        settings = self._settings
        stages = _Stages()
        with stages.stage("clean"):
            focus = self.read(update.messages, update.trigger)
        if focus is None:
            return self._trace(update, state, stages, focus="", outcome="nobody said anything")
        if focus.fingerprint == state.fingerprint:
            return self._trace(update, state, stages, focus=focus.text, outcome="same context as before")
        if update.trigger == "turn":
            state.begin_turn(update.turn, reset_turns=settings.reset_turns)
        state.expire(pending_turns=settings.pending_turns)
        with stages.stage("embed"):
            vectors = await self._embed(focus)
        changed, similarity, query = False, None, None
        if vectors is not None:
            request, before = vectors
            topic = topic_change(request, before, words=focus.words, threshold=settings.topic_threshold)
            changed, similarity = topic.changed, topic.similarity
            query = blended(request, before, words=focus.words)
            if changed:
                state.change_topic()
        visible = Visibility(owner=update.caller.owner, project=update.caller.project)
        weighed = await self.weigh(focus, query, visible, stages, shown=state.surfaced, written=state.written)
        with stages.stage("pending"):
            state.fingerprint = focus.fingerprint
            state.add(weighed.kept, keep=settings.maximum_surfaced, pending_turns=settings.pending_turns)
        outcome = f"{len(state.found)} pending" if weighed.kept else "nothing relevant"
        if vectors is None:
            outcome += " (by words alone: no model)"
        return self._trace(
            update,
            state,
            stages,
            focus=focus.text,
            outcome=outcome,
            topic_changed=changed,
            topic_similarity=similarity,
            weighed=weighed,
        )

    @staticmethod
    def read(messages: Sequence[Message], trigger: Trigger) -> Focus | None:
        """Clean a conversation and find what it is about."""
        # Older messages decide nothing, and cleaning them costs.
        return find_focus(clean(messages[-12:]), trigger)

    async def recall(self, focus: Focus, visible: Visibility) -> tuple[SurfacedMemory, ...]:
        """Return what is worth knowing for a focus now, whatever was shown before."""
        vectors = await self._embed(focus)
        query = blended(*vectors, words=focus.words) if vectors is not None else None
        weighed = await self.weigh(focus, query, visible, _Stages(), shown={}, written={})
        best = sorted(weighed.kept, key=lambda memory: -memory.score)
        return tuple(best[: self._settings.maximum_surfaced])

    async def _embed(self, focus: Focus) -> tuple[Vector, Vectors] | None:
        """Return the vector of the request and those of the window, or None without a model."""
        try:
            request = (await self._embedder.embed([focus.text], max_tokens=FOCUS_TOKENS))[0]
            if not focus.window:
                return request, np.empty((0, len(request)), dtype=np.float32)
            return request, await self._embedder.embed(focus.window, max_tokens=WINDOW_TOKENS)
        except ModelUnavailable:
            return None

    async def weigh(
        self,
        focus: Focus,
        query: Vector | None,
        visible: Visibility,
        stages: _Stages,
        *,
        shown: dict[str, int],
        written: dict[str, int],
    ) -> Weighed:
        """Search and judge; return what is kept and why everything else is not."""
        settings = self._settings
        with stages.stage("search"):
            await self._indexer.wait_open(deadline_s=10.0)
            sifted = await self._searcher.sift(
                vector=query,
                words=focus.text,
                visible=visible,
                limit=settings.judged,
                exclude=shown.keys() | written.keys(),
            )
        with stages.stage("surfaced"):
            traces = [
                _candidate(one, f"already shown on turn {shown[one.memory.id]}")
                if one.memory.id in shown
                else _candidate(one, "stored by this session itself")
                for one in sifted.excluded
            ]
        if not sifted.found:
            return Weighed((), tuple(traces), "")
        with stages.stage("judge"):
            judgement = await self._judge.judge(_case(focus, sifted.found))
        kept, judged = _settle(sifted.found, judgement)
        who = f"{judgement.judge} ({judgement.note})" if judgement.note else judgement.judge
        return Weighed(tuple(kept), tuple(judged + traces), who)

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
            judge=weighed.judge if weighed else "",
            candidates=weighed.candidates if weighed else (),
            timings_ms=stages.total(),
        )


def _case(focus: Focus, found: Sequence[Found]) -> Case:
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
            )
            for one in found
        ),
    )


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
        kept=kept,
        reason=reason,
        judge_score=verdict.score if verdict else None,
        actionable=verdict.actionable if verdict else None,
    )
