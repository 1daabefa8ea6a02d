"""Answers `memory.query`: what is relevant, as much of it as a budget of tokens holds."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import ceil

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.access.recording import ClientRecorder, SearchOutcome
from memoryd_actors.memory.described import MAX_LABEL
from memoryd_actors.memory.render import CHARACTERS_PER_TOKEN, MOST_RELATED
from memoryd_actors.memory.standing import named
from memoryd_actors.memory.steps import CONTRADICTS
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.ports.token_counter import TokenCounter
from memoryd_actors.searching.near_identical import DatedText, told
from memoryd_actors.searching.related import Relatives
from memoryd_actors.searching.search import FLOOR, Searcher
from memoryd_actors.texts.fence import defused, one_line
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import RelatedMemory
from memoryd_client.wire.query import Bullet, Queried, Query, RelatedBullet

WIDER = 5
"""Times as many are looked at where a threshold may drop some."""
LONGEST_BULLET = 4_000
"""Characters of one bullet, before the budget has its say."""


class _Chosen(msgspec.Struct, frozen=True):
    """One memory, and how relevant it is."""

    memory: Memory
    score: float
    whole: Memory
    cosine: float = 0.0
    """0 where it was not compared by meaning."""


class _Fitted(msgspec.Struct, frozen=True):
    """What the budget holds: which texts, as they then read."""

    texts: dict[int, str]
    tokens: int
    counted: bool


class Querier:
    """Searches, counts and packs."""

    def __init__(
        self,
        searcher: Searcher,
        ledger: MemoryRepository,
        tokens: TokenCounter,
        categories: Categories,
        *,
        recorder: ClientRecorder,
        note: Callable[[Caller, Sequence[str]], None],
        hear: Callable[[Caller, Sequence[str]], Awaitable[tuple[str, ...]]],
    ) -> None:
        """Prepare; the recorder learns of each query.

        `note` is told who got which memories, and does not wait. `hear` returns what changed for them.
        """
        self._searcher = searcher
        self._ledger = ledger
        self._relatives = Relatives(ledger)
        self._tokens = tokens
        self._categories = categories
        self._recorder = recorder
        self._note = note
        self._hear = hear

    async def query(self, request: Query, caller: Caller, *, deadline_s: float) -> Queried:
        """Return what is asked for.

        Raises:
            Refused: a category is not on the agent's allowlist.
            Unavailable: the index cannot be searched.
        """
        with self._recorder.recorded("query", caller) as outcome:
            return await self._query(request, caller, outcome, deadline_s)

    async def _query(self, request: Query, caller: Caller, outcome: SearchOutcome, deadline_s: float) -> Queried:
        categories = tuple(dict.fromkeys((*request.categories, *request.filters.categories)))
        visible = self._categories.recalled(caller, msgspec.structs.replace(request.filters, categories=categories))
        chosen, note = await self._chosen(request, visible, deadline_s)
        outcome.note(one.cosine for one in chosen)
        if request.return_ == "full":
            texts = [f"{one.memory.title}\n{one.whole.content}".strip() for one in chosen]
            fitted = await self._fit(texts, request.budget_tokens, cut=False)
            memories = tuple(chosen[n].whole for n in fitted.texts)
            answer = Queried(memories=memories, tokens=fitted.tokens, counted=fitted.counted, note=note)
        else:
            fitted = await self._fit([_line(one.memory) for one in chosen], request.budget_tokens, cut=True)
            shown = {chosen[n].memory.id: told(chosen[n].memory) for n in fitted.texts}
            room = self._categories.room(chosen[n].memory.category for n in fitted.texts)
            beside = await self._beside(shown, visible, request.budget_tokens - fitted.tokens, room)
            bullets = tuple(
                Bullet(
                    id=chosen[n].memory.id,
                    category=chosen[n].memory.category,
                    text=text,
                    score=round(chosen[n].score, 4),
                    related=tuple(one for one, _ in beside.get(chosen[n].memory.id, ())),
                )
                for n, text in fitted.texts.items()
            )
            tokens = fitted.tokens + sum(count for related in beside.values() for _, count in related)
            answer = Queried(bullets=bullets, tokens=tokens, counted=fitted.counted, note=note)
        handed = [chosen[n].memory.id for n in fitted.texts]
        handed += [one.id for bullet in answer.bullets for one in bullet.related]
        self._note(caller, handed)
        changes = await self._hear(caller, handed)
        left_out = len(chosen) - len(fitted.texts)
        against = await self._relatives.contradictions(handed, visible)
        return msgspec.structs.replace(answer, left_out=left_out, changes=changes, contradictions=against)

    async def _chosen(self, request: Query, visible: Visibility, deadline_s: float) -> tuple[list[_Chosen], str]:
        if not request.query.strip():
            return [
                _Chosen(memory, 0.0, memory) for memory in await self._ledger.page(visible, limit=request.top_k)
            ], ""
        wider = WIDER if request.threshold is not None else 1
        findings = await self._searcher.find(
            request.query,
            visible,
            limit=min(200, wider * request.top_k),
            deadline_s=deadline_s,
            floor=0.0 if request.everything or request.threshold is not None else FLOOR,
        )
        found, note = findings.found, findings.note
        if request.threshold is not None:
            # Without a model there is no cosine to hold the threshold against.
            by_words = bool(found) and not any(one.ranked.vector_score for one in found)
            if by_words:
                note = f"{note}; the threshold was held against the score by words".removeprefix("; ")
            least = request.threshold
            found = [one for one in found if (one.ranked.score if by_words else one.ranked.vector_score) >= least]
        chosen = [
            _Chosen(one.memory, one.ranked.score, one.whole, one.ranked.vector_score) for one in found[: request.top_k]
        ]
        return chosen, note

    async def _beside(
        self, shown: Mapping[str, DatedText], visible: Visibility, tokens: int, room: Mapping[str, int]
    ) -> dict[str, list[tuple[RelatedBullet, int]]]:
        """Return what belongs beside which of the bullets, within the same filters, and its tokens.

        In what the budget has left: what was asked for has never less room for it.
        """
        found = await self._relatives.beside(shown, visible, room=room)
        offered = [(memory_id, one, _beside(one)) for memory_id, related in found.items() for one in related]
        if not offered:
            return {}
        offered.sort(key=lambda each: each[1].relation != CONTRADICTS)
        counts, _ = await self._count([text for _, _, text in offered])
        kept: dict[str, list[tuple[RelatedBullet, int]]] = {}
        left = MOST_RELATED
        for (memory_id, one, text), count in zip(offered, counts, strict=True):
            if left and count <= tokens:
                bullet = RelatedBullet(
                    id=one.id, category=one.category, text=text, relation=one.relation, outgoing=one.outgoing
                )
                kept.setdefault(memory_id, []).append((bullet, count))
                tokens -= count
                left -= 1
        return kept

    async def _fit(self, texts: Sequence[str], budget: int, *, cut: bool) -> _Fitted:
        """Keep the texts that fit, best first; with `cut` the best one always does, as far as there is room."""
        if not texts:
            return _Fitted({}, 0, counted=True)
        counts, counted = await self._count(texts)
        kept: dict[int, str] = {}
        tokens = 0
        for n, (text, count) in enumerate(zip(texts, counts, strict=True)):
            if tokens + count <= budget:
                kept[n] = text
                tokens += count
            elif cut and not kept:
                kept[n], tokens = await self._cut(text, count, budget)
        return _Fitted(kept, tokens, counted)

    async def _cut(self, text: str, count: int, budget: int) -> tuple[str, int]:
        """Return the beginning of a text that has `count` tokens and may have `budget`, and how many that has."""
        while count > budget:
            # Strictly shorter each time; tokens are spread unevenly, so it may take a few.
            text = text[: min(len(text) * budget // count, len(text) - 1) - 2].rstrip() + " …"
            (count,), _ = await self._count([text])
        return text, count

    async def _count(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        counts = await self._tokens.count(texts)
        if counts is not None:
            return counts, True
        return [ceil(len(text) / CHARACTERS_PER_TOKEN) for text in texts], False


def _beside(memory: RelatedMemory) -> str:
    """Return a related memory in one line that opens no tag."""
    category = one_line(memory.category, MAX_LABEL).replace("]", ")")
    return defused(f"{memory.reason} [{category}] {one_line(memory.content, LONGEST_BULLET)}")


def _line(memory: Memory) -> str:
    """Return a memory in one line that opens no tag."""
    category = one_line(memory.category, MAX_LABEL).replace("]", ")")
    return defused(f"[{category}] {one_line(named(memory).content, LONGEST_BULLET)}")
