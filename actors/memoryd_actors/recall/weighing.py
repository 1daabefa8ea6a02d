"""What was found is judged, and every candidate has its story: why it is kept, or why not."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.slices import SLICES
from memoryd_actors.judging.judge import LOCAL, Judge, Judgement, Verdict
from memoryd_actors.memory.case import Case, Exhibit, StoreStatistics
from memoryd_actors.memory.described import MAX_SUMMARY, summary, surfaced
from memoryd_actors.memory.render import SHORT_ID
from memoryd_actors.memory.settings import DERIVED, PROCEDURES
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.recall.focus import Focus
from memoryd_actors.recall.precedence import SHARE_DERIVED, objection, split
from memoryd_actors.recall.stages import Stages
from memoryd_actors.searching.near_identical import adds_nothing, told, told_again
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import FoundMemory, Searcher, Sifted
from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.pending import SurfacedMemory
from memoryd_client.wire.traces import CandidateTrace

_ANSWERED = "a conversation went over it, and what was told about it comes first"
_BELOW = 0.99
"""Of the lowest score of what was told, the most that what is derived beside it may have."""
LONGEST_EXHIBIT = 1_000
"""Characters of a memory that the judge reads."""


class Weighed(msgspec.Struct, frozen=True):
    """A judged search: what is worth surfacing, and the story of every candidate."""

    kept: tuple[SurfacedMemory, ...]
    candidates: tuple[CandidateTrace, ...]
    judge: str


class Weighing:
    """Has what was found judged."""

    def __init__(
        self, judge: Judge, searcher: Searcher, categories: Categories, *, judged: int, relatives: Relatives | None
    ) -> None:
        """Prepare; at most `judged` are put before the judge, and without `relatives` nothing stands beside them."""
        self._judge = judge
        self._searcher = searcher
        self._categories = categories
        self._judged = judged
        self._relatives = relatives

    async def weigh(
        self,
        focus: Focus,
        sifted: Sifted,
        visible: Visibility,
        stages: Stages,
        *,
        known: Mapping[str, str],
    ) -> Weighed:
        """Judge what was found; return what is kept and why everything else is not: of what is `known`, by id."""
        with stages.stage("surfaced"):
            # Looked up before the topic was known: where it changed, what had been shown may come back.
            hidden = [one for one in sifted.excluded if one.memory.id in known]
            again = [one for one in sifted.excluded if one not in hidden]
            request = focus.turn.request if focus.turn else focus.text
            before = focus.turn.before if focus.turn else focus.window
            ranked, objected = await _unobjected([*sifted.found, *again], request, before)
            told, derived = split(sorted(ranked, key=lambda one: -one.ranked.score))
            told, repeated = await _distinct(told, hidden, most=self._judged)
            derived, more = await _distinct(derived, [*hidden, *told], most=max(1, self._judged // SHARE_DERIVED))
            found = [*told, *derived]
            lowest = min((one.ranked.score for one in found), default=0.0)
            traces = [_candidate(one, known[one.memory.id]) for one in hidden if one.ranked.score >= lowest]
            traces += [_candidate(one, why) for one, why in objected if one.ranked.score >= lowest]
            repeated += more
            traces += [_candidate(one, f"adds nothing to {twin.memory.id[:SHORT_ID]}") for one, twin in repeated]
        if not found:
            return Weighed((), tuple(traces), "")
        with stages.stage("judge"):
            store = await self._searcher.statistics(focus.text, visible)
            case = _case(focus, found, hidden, store, visible)
            await SLICES.pause()
            judgement = await self._judge.judge(case)
            if derived and judgement.judge == self._judge.name == LOCAL:
                judgement = await self._in_turn(case, judgement, len(told))
        await SLICES.pause()
        kept, judged = _settle(found, judgement, request)
        kept = _in_precedence(kept, {one.memory.id for one in derived})
        with stages.stage("related"):
            kept, related = await self._related(kept, request, visible, in_context=known.keys(), passed_over=judged)
        traces += related
        who = f"{judgement.judge} ({judgement.note})" if judgement.note else judgement.judge
        return Weighed(tuple(kept), tuple(judged + traces), who)

    async def _in_turn(self, case: Case, judgement: Judgement, told: int) -> Judgement:
        """Return the local judge's verdicts on what was told by itself, and on what is derived where nobody told it.

        It holds candidates against each other, and an episode repeats the very words of the question.
        """
        exhibits = case.exhibits[:told]
        first = (
            await self._judge.judge(msgspec.structs.replace(case, exhibits=exhibits))
            if told
            else msgspec.structs.replace(judgement, verdicts=())
        )
        derived = [one for one in judgement.verdicts if one.index >= told]
        if any(one.relevant for one in derived):
            known = tuple(one for one in case.in_context if one.category not in DERIVED)
            before = (
                (await self._judge.judge(msgspec.structs.replace(case, exhibits=known, in_context=()))).kept
                if known
                else ()
            )
            sure = max((one.score for one in (*first.kept, *before)), default=0.0)
            derived = [
                msgspec.structs.replace(one, relevant=False, reason=_ANSWERED)
                if one.relevant and one.score <= sure
                else one
                for one in derived
            ]
        return msgspec.structs.replace(judgement, verdicts=(*first.verdicts, *derived))

    async def _related(
        self,
        kept: list[SurfacedMemory],
        request: str,
        visible: Visibility,
        *,
        in_context: Collection[str],
        passed_over: Sequence[CandidateTrace],
    ) -> tuple[list[SurfacedMemory], list[CandidateTrace]]:
        """Put beside what is kept what contradicts it or is near to it; return both as they are to be told."""
        if self._relatives is None or not kept:
            return kept, []
        kept = await self._relatives.together(visible.owner, kept, request)
        folded = {near.id for one in kept for near in one.related}
        beside = await self._relatives.beside(
            {one.id: told_again(one) for one in sorted(kept, key=lambda one: -one.score)},
            visible,
            hidden=folded,
            in_context=in_context,
            passed_over=[one.id for one in passed_over],
            room=self._categories.room(
                one.category for one in (*kept, *(near for one in kept for near in one.related))
            ),
            unfit=lambda memory: objection(memory, request),  # what is no candidate comes in by no other door
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
        return [msgspec.structs.replace(one, related=(*one.related, *beside.get(one.id, ()))) for one in kept], traces


def _case(
    focus: Focus,
    found: Sequence[FoundMemory],
    hidden: Sequence[FoundMemory],
    store: StoreStatistics,
    visible: Visibility,
) -> Case:
    return Case(
        focus=focus.text,
        window="\n".join(focus.window),
        exhibits=tuple(map(_exhibit, found)),
        in_context=tuple(map(_exhibit, hidden)),
        store=store,
        visible=visible,
        files=focus.files,
    )


def _exhibit(one: FoundMemory) -> Exhibit:
    return Exhibit(
        id=one.memory.id,
        text=_exhibit_text(one),
        category=one.memory.category,
        date=one.memory.occurred_at or one.memory.created_at,
        trust=one.memory.trust,
        vector_score=one.ranked.vector_score,
        word_score=one.ranked.word_score,
        score=one.ranked.score,
        speaker=one.memory.speaker,
        source=one.memory.source.value,
        trigger=one.memory.title if one.memory.category in PROCEDURES else "",
        sourced=bool(one.memory.session or one.memory.files),
        files=one.memory.files,
    )


async def _unobjected(
    candidates: Sequence[FoundMemory], request: str, before: Sequence[str]
) -> tuple[list[FoundMemory], list[tuple[FoundMemory, str]]]:
    """Return what is a candidate for a request, and what is not, each with the reason."""
    objected: list[tuple[FoundMemory, str]] = []
    for one in candidates:
        await SLICES.pause()
        if why := objection(one.memory, request, before):
            objected.append((one, why))
    out = {one.memory.id for one, _ in objected}
    return [one for one in candidates if one.memory.id not in out], objected


def _in_precedence(kept: Sequence[SurfacedMemory], derived: Collection[str]) -> list[SurfacedMemory]:
    """Return what is kept, with all that is derived scored below what was told."""
    lowest = min((one.score for one in kept if one.id not in derived), default=None)
    if lowest is None:
        return list(kept)
    below = lowest * _BELOW
    return [msgspec.structs.replace(one, score=min(one.score, below)) if one.id in derived else one for one in kept]


async def _distinct(
    ranked: Sequence[FoundMemory], hidden: Sequence[FoundMemory], *, most: int
) -> tuple[list[FoundMemory], list[tuple[FoundMemory, FoundMemory]]]:
    """Return the first `most` that each say something new, and those passed over, with what says the same already."""
    found: list[FoundMemory] = []
    repeated: list[tuple[FoundMemory, FoundMemory]] = []
    known = [(one, told(one.memory)) for one in hidden]
    for one in ranked:
        if len(found) == most:
            break
        await SLICES.pause()
        new = told(one.memory)
        twin = next((other for other, shown in known if adds_nothing(new, shown)), None)
        if twin is not None:
            repeated.append((one, twin))
            continue
        found.append(one)
        known.append((one, new))
    return found, repeated


def _exhibit_text(one: FoundMemory) -> str:
    memory = one.memory
    said = f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content
    return (f"{memory.title}\n{said}" if memory.title else said)[:LONGEST_EXHIBIT]


def _settle(
    found: Sequence[FoundMemory], judgement: Judgement, request: str
) -> tuple[list[SurfacedMemory], list[CandidateTrace]]:
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
            kept.append(surfaced(one.memory, score=verdict.score, reason=verdict.reason, request=request))
        why = verdict.reason if keep or not verdict.relevant else f"relevant, not actionable: {verdict.reason}"
        traces.append(_candidate(one, why, verdict=verdict, kept=keep))
    return kept, traces


def _candidate(one: FoundMemory, reason: str, *, verdict: Verdict | None = None, kept: bool = False) -> CandidateTrace:
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
