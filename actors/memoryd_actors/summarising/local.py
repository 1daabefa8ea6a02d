"""The summariser that needs no key: it quotes the conversation, and says so.

Sentences that are central to all that was said, unlike each other, decisions and questions first, within a budget of
counted tokens. Without an embedding model the likeness of two sentences is that of their words.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b

import numpy as np
from anyio import CapacityLimiter, to_thread
from msgspec.structs import replace

from memoryd_actors.core.errors import ModelUnavailable
from memoryd_actors.ports.embedder import Embedder, Vectors
from memoryd_actors.ports.token_counter import TokenCounter
from memoryd_actors.summarising.central import centrality, chosen
from memoryd_actors.summarising.outcome import decides, outcome
from memoryd_actors.summarising.summary import EXTRACTED, KINDS_OF_FOCUS, Purpose, Spoken, Summary
from memoryd_actors.summarising.units import MOST_UNITS, Unit, earlier_units, topics, units
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.hidden import mentioned
from memoryd_actors.texts.words import content_words

MARK = "Quoted from the conversation, not written by a model:"
EARLIER_SHARE = 0.4
"""Of the budget, for what an earlier summary said."""
RUN_CHARACTERS = 2_000
"""Text embedded in one go: what a context may have to wait for, 60 ms on one core."""
CHARACTERS_PER_TOKEN = 2.0
"""Where nobody can count: of what people write hardly any text has fewer."""
CENTRALITY = 0.4
"""Share of the score that a sentence gets for being central; what it is decides the rest. At 1.0 four points less of
what people noted comes into a summary: what is most central is small talk."""
AHEAD = 2.0
"""More than a score and the likeness to what is chosen can make up for."""
NO_QUESTIONS = frozenset({KINDS_OF_FOCUS["decisions"], KINDS_OF_FOCUS["facts"]})
"""What was only asked is none of these."""
LONGEST_TITLE = 80
MOST_TAGS = 5
_WORD_DIMENSIONS = 512
_NO_TITLE = re.compile(
    r"[\[$>'\"<{=#]|File\s|(?:\S+\s)?\S+:\d+[:\s]|.*\w=\S+\s\w+=|(?:\S+\s){0,2}\S*error:\s"
    r"|(?:\w+\s){0,4}\w+:\s\S+\Z|(?:\S+\s){0,4}\S+:\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""What was pasted, or only leads to that: an alert, a command, where an error is, `since this morning in the log:`."""


class LocalSummariser:
    """Extracts; see `Summariser`."""

    def __init__(self, embedder: Embedder, tokens: TokenCounter) -> None:
        self._embedder = embedder
        self._tokens = tokens
        self._threads = CapacityLimiter(1)

    async def summarise(
        self,
        said: Sequence[Spoken],
        *,
        budget_tokens: int,
        purpose: Purpose = "compaction",
        earlier: str = "",
        focus: str = "",
    ) -> Summary:
        """Return what the conversation says itself, quoted; see the port. What is rolled up is points already.

        What is near to the focus counts more. What is meant by the kinds of focus that have a name counts more anyway:
        being near to such words says nothing (of what is quoted then 4 to 9 points less is what people noted).
        """
        if purpose == "rollup":
            earlier, said = "\n".join([earlier, *(one.text for one in said)]), ()
        # What takes the place of messages leaves out nothing that fits; an episode has no use for small talk.
        slight = purpose == "compaction"
        found = await to_thread.run_sync(partial(units, said, slight=slight), limiter=self._threads)
        if focus in NO_QUESTIONS:
            found = [unit for unit in found if not unit.asks] or found
        before = earlier_units(earlier)[-MOST_UNITS:]
        if not found and not before:
            return Summary(_tools_only(said), EXTRACTED)
        every = [*before, *found]
        vectors = await self._vectors([unit.text for unit in every])
        if focus and focus not in KINDS_OF_FOCUS.values():
            near = await self._near(focus, [unit.text for unit in every], vectors)
            every = [replace(unit, nearness=one) for unit, one in zip(every, near, strict=True)]
        lead = _leads(every, said) if purpose == "episode" else [""] * len(every)
        told = [mentioned(f"{label}{unit.point}") for label, unit in zip(lead, every, strict=True)]
        counts = await count(self._tokens, [MARK, *(f"\n- {one}" for one in told)])
        ending = mentioned(await to_thread.run_sync(outcome, said, limiter=self._threads))
        places = await to_thread.run_sync(
            partial(_selected, every, vectors, counts[1:], budget_tokens - counts[0], len(before)),
            limiter=self._threads,
        )
        lines = [told[place] for place in places]
        return Summary(
            text="\n".join([MARK, *(f"- {line}" for line in lines)]) if lines else "",
            by=EXTRACTED,
            title=mentioned(_title(found)),
            topic=", ".join(topics(found, 3)),
            outcome=ending,
            tags=tuple(topics(found, MOST_TAGS)),
            points=tuple(lines),
            left_out=sum(unit.settles for unit in every) - sum(every[place].settles for place in places),
        )

    async def _near(self, focus: str, texts: Sequence[str], vectors: Vectors) -> list[float]:
        """Return how much nearer each text is to the focus than the middle one is, 0 to 1."""
        try:
            (asked,) = await self._embedder.embed([focus], query=True)
        except ModelUnavailable:
            asked = word_vectors([focus])[0]
        if len(asked) != vectors.shape[1]:  # there was no model a moment ago
            return [0.0] * len(texts)
        cosines = vectors @ asked
        return [float(one) for one in np.maximum(cosines - np.median(cosines), 0.0)]

    async def _vectors(self, texts: Sequence[str]) -> Vectors:
        found: list[Vectors] = []
        run: list[str] = []
        try:
            for text in texts:
                if run and sum(map(len, run)) + len(text) > RUN_CHARACTERS:
                    found.append(await self._embedder.embed(run, background=True))
                    run = []
                run.append(text)
            found.append(await self._embedder.embed(run, background=True))
        except ModelUnavailable:
            return await to_thread.run_sync(word_vectors, texts, limiter=self._threads)
        return np.concatenate(found)


async def count(tokens: TokenCounter, texts: Sequence[str]) -> list[int]:
    """Return how many tokens each text has; estimated, and rather too many, where there is no tokeniser."""
    return await tokens.count(texts) or [math.ceil(len(text) / CHARACTERS_PER_TOKEN) for text in texts]


def word_vectors(texts: Sequence[str]) -> Vectors:
    """Return unit vectors whose cosine is that of the texts' words; shape (len(texts), 512), float32."""
    vectors = np.zeros((len(texts), _WORD_DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        for word in set(content_words(text)):
            vectors[row, int.from_bytes(blake2b(word.encode(), digest_size=2).digest()) % _WORD_DIMENSIONS] = 1.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)


def _selected(every: Sequence[Unit], vectors: Vectors, costs: Sequence[int], budget: int, before: int) -> list[int]:
    """Return the places of what fits the budget, in order; the first `before` are an earlier summary's."""
    ranks = centrality(vectors)
    scores = [(1 - CENTRALITY + CENTRALITY * float(rank)) * unit.boost for rank, unit in zip(ranks, every, strict=True)]
    best = max(scores, default=1.0) or 1.0
    # What is settled comes before all else, however like it is to what is chosen already.
    scores = [score / best + AHEAD * unit.settles for score, unit in zip(scores, every, strict=True)]
    room, old_room = budget, int(budget * EARLIER_SHARE) if before < len(every) else budget

    def fits(place: int) -> bool:
        nonlocal room, old_room
        cost = costs[place]
        if cost > room or (place < before and cost > old_room):
            return False
        room -= cost
        if place < before:
            old_room -= cost
        return True

    taken = set(chosen(vectors[:before], scores[:before], fits))
    for slight in (False, True):
        places = [place for place in range(before, len(every)) if every[place].slight == slight]
        of_these = [scores[place] for place in places]
        taken |= {places[at] for at in chosen(vectors[places], of_these, _at(places, fits))}
    return sorted(taken)


def _at(places: Sequence[int], fits: Callable[[int], bool]) -> Callable[[int], bool]:
    return lambda at: fits(places[at])


def _leads(every: Sequence[Unit], said: Sequence[Spoken]) -> list[str]:
    """Return what stands in front of each point of an episode: decisions and open questions.

    A question is open where nobody else said anything after it.
    """
    spoken = [(place, one.name or one.role) for place, one in enumerate(said) if one.kind == "message"]
    last = next((place for place, who in reversed(spoken) if who != spoken[-1][1]), -1)
    return [
        "Open question: "
        if unit.asks and unit.by_user and unit.place > last
        else "Key decision: "
        if unit.by_user and not unit.asks and decides(unit.text)
        else ""
        for unit in every
    ]


def _title(found: Sequence[Unit]) -> str:
    """Return the first thing of substance that a user said; empty where all of it was pasted."""
    pasted: set[int] = set()
    for unit in found:
        if unit.by_user and unit.place not in pasted:
            if not _NO_TITLE.match(unit.text):
                return one_line(unit.text, LONGEST_TITLE)
            pasted.add(unit.place)  # what follows is of the same
    return ""


def _tools_only(said: Sequence[Spoken]) -> str:
    calls = [one for one in said if one.kind == "tool_call"]
    if not calls:
        return ""
    names = list(dict.fromkeys(one_line(call.name, 40) for call in calls if call.name))[:5]
    return f"{MARK}\n- Only tools were at work: {len(calls)} calls" + (f" ({', '.join(names)})." if names else ".")
