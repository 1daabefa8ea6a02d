"""Pairs of memories that are compared once more: what is filtered out without a model, and what comes first. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memoryd_actors.comparison import Comparison, action
from memoryd_actors.comparison.difference import difference
from memoryd_actors.comparison.tokens import Reading, read
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.keeping.consolidation import comparable, in_order, judged
from memoryd_actors.keeping.neighbours import Neighbour
from memoryd_client.wire.memory import Memory

SHORT: Final = 12
"""Words of meaning up to which two texts are also held against each other with synonyms and endings: that takes 0.2 ms
there, 10 ms for two messages of a chat. Without it 13% of duplicates within the band share too little, not 5%."""
_ACTS: Final = {"merge": 0, "supersede": 0, "contradict": 0, "queue": 1, "keep": 2}


@dataclass(frozen=True, slots=True)
class Close:
    """Two memories that are near and share their words."""

    older: Memory
    newer: Memory
    cosine: float
    overlap: float
    """Share of the shorter one's words of meaning that the other one has."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """Two memories that may be the same or contradict each other."""

    older: Memory
    newer: Memory
    cosine: float
    local: Comparison
    """What the local classifier has to say."""
    closeness: float
    """How alike they are, in meaning and in words."""
    doubted: bool = False
    """Whether it was queued when one of them was written."""


def in_turn(pairs: Iterable[Suspect], *, by_model: bool) -> list[Suspect]:
    """Return pairs in the order in which they are compared.

    A model is asked about the closest first: of the first 50, 250 and 500 pairs among 1,356 memories 49, 230 and 315
    are real duplicates or conflicts, and in the order in which they came into doubt 0, 32 and 247. The local classifier
    begins with those about which it has something to say.
    """

    def turn(one: Suspect) -> tuple[int, float, str, str]:
        acts = 0 if by_model else _ACTS[action(one.local)]
        return acts, -one.closeness, one.older.id, one.newer.id

    return sorted(pairs, key=turn)


def close(one: Memory, other: Memory, cosine: float, settings: ConsolidationSettings) -> Close | None:
    """Return two memories as a pair that may be worth comparing; None where their words say that it is not.

    Rules, workflows, episodes and messages that were kept as they were said are compared with nothing.
    """
    newer, older = in_order(one, other)
    # The band is the settings' affair: here only what they are counts.
    if not comparable(newer, [Neighbour(older, 1.0)]):
        return None
    overlap, numeric_step = _overlap(read(newer.content), read(older.content), settings.overlap)
    return Close(older, newer, cosine, overlap) if numeric_step or overlap >= settings.overlap else None


def suspect(one: Memory, other: Memory, cosine: float, *, doubted: bool = False) -> Suspect:
    """Return two memories as a pair to be compared, with what the local classifier has to say."""
    newer, older = in_order(one, other)
    local = judged(newer, Neighbour(older, cosine)).comparison
    overlap, _ = _overlap(read(newer.content), read(older.content), 0.0)
    return Suspect(older, newer, cosine, local, closeness(cosine, overlap), doubted)


def closeness(cosine: float, overlap: float) -> float:
    """Return how alike two memories are, in meaning and in words."""
    return 0.5 * cosine + 0.5 * overlap


def _overlap(new: Reading, old: Reading, enough: float) -> tuple[float, bool]:
    """Return the share of the shorter one's words that the other has, and whether all but a number is the same."""
    one, other = set(new.content), set(old.content)
    shorter = min(len(one), len(other))
    overlap = len(one & other) / shorter if shorter else 0.0
    numeric_step = one == other and new.numbers != old.numbers
    if overlap < enough and not numeric_step and max(len(one), len(other)) <= SHORT:
        found = difference(new, old)
        overlap = found.coverage if found.shared else 0.0
    return overlap, numeric_step
