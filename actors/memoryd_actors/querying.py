"""Answers `memory.query`: what is relevant, as much of it as a budget of tokens holds."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import ceil

import msgspec

from memoryd_actors.always import named
from memoryd_actors.categories import Categories
from memoryd_actors.fence import defused, one_line
from memoryd_actors.ports import Ledger, TokenCounter
from memoryd_actors.render import CHARACTERS_PER_TOKEN, MAX_LABEL
from memoryd_actors.search import Searcher
from memoryd_client.memory import Memory
from memoryd_client.messages import Caller
from memoryd_client.query import Bullet, Queried, Query

WIDER = 5
"""Times as many are looked at where a threshold may drop some."""
LONGEST_BULLET = 4_000
"""Characters of one bullet, before the budget has its say."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """One memory, and how relevant it is."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What the budget holds: which texts, as they then read."""

    texts: dict[int, str]
    tokens: int
    counted: bool


class Querier:
    """Searches, counts and packs."""

    def __init__(
        self,
        searcher: Searcher,
        ledger: Ledger,
        tokens: TokenCounter,
        categories: Categories,
        *,
        note: Callable[[Caller, Sequence[str]], None],
        hear: Callable[[Caller, Sequence[str]], Awaitable[tuple[str, ...]]],
    ) -> None:
        """Prepare; `note` is told who got which memories, and does not wait. `hear` returns what changed for them."""
        self._searcher = searcher
        self._ledger = ledger
        self._tokens = tokens
        self._categories = categories
        self._note = note
        self._hear = hear

    async def query(self, request: Query, caller: Caller, *, deadline_s: float) -> Queried:
        """Return what is asked for.

        Raises:
            Refused: a category is not on the agent's allowlist.
            Unavailable: the index cannot be searched.

        """
        chosen, note = await self._chosen(request, caller, deadline_s)
        if request.return_ == "full":
            texts = [f"{one.memory.title}\n{one.memory.content}".strip() for one in chosen]
            fitted = await self._fit(texts, request.budget_tokens, cut=False)
            memories = tuple(chosen[n].memory for n in fitted.texts)
            answer = Queried(memories=memories, tokens=fitted.tokens, counted=fitted.counted, note=note)
        else:
            fitted = await self._fit([_line(one.memory) for one in chosen], request.budget_tokens, cut=True)
            bullets = tuple(
                Bullet(
                    id=chosen[n].memory.id,
                    category=chosen[n].memory.category,
                    text=text,
                    score=round(chosen[n].score, 4),
                )
                for n, text in fitted.texts.items()
            )
            answer = Queried(bullets=bullets, tokens=fitted.tokens, counted=fitted.counted, note=note)
        handed = [chosen[n].memory.id for n in fitted.texts]
        self._note(caller, handed)
        changes = await self._hear(caller, handed)
        return msgspec.structs.replace(answer, left_out=len(chosen) - len(fitted.texts), changes=changes)

    async def _chosen(self, request: Query, caller: Caller, deadline_s: float) -> tuple[list[_Chosen], str]:
        categories = tuple(dict.fromkeys((*request.categories, *request.filters.categories)))
        visible = self._categories.recalled(caller, msgspec.structs.replace(request.filters, categories=categories))
        if not request.query.strip():
            return [_Chosen(memory, 0.0) for memory in await self._ledger.page(visible, limit=request.top_k)], ""
        wider = WIDER if request.threshold is not None else 1
        found = await self._searcher.find(
            request.query, visible, limit=min(200, wider * request.top_k), deadline_s=deadline_s
        )
        note = ""
        if request.threshold is not None:
            # Without a model there is no cosine to hold the threshold against.
            by_words = bool(found) and not any(one.ranked.vector_score for one in found)
            if by_words:
                note = "there is no model: the threshold was held against the score by words"
            least = request.threshold
            found = [one for one in found if (one.ranked.score if by_words else one.ranked.vector_score) >= least]
        return [_Chosen(one.memory, one.ranked.score) for one in found[: request.top_k]], note

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


def _line(memory: Memory) -> str:
    """Return a memory in one line that opens no tag."""
    category = one_line(memory.category, MAX_LABEL).replace("]", ")")
    return defused(f"[{category}] {one_line(named(memory).content, LONGEST_BULLET)}")
