"""Pairs of memories that are compared once more: what is filtered out without a model, and what comes first. Pure."""

from dataclasses import dataclass
from typing import Final

from memoryd_actors.comparison import Comparison, action
from memoryd_actors.comparison.difference import difference
from memoryd_actors.comparison.tokens import read
from memoryd_actors.consolidating.settings import ConsolidationSettings
from memoryd_actors.consolidation import comparable, in_order, judged
from memoryd_actors.neighbours import Neighbour
from memoryd_client.memory import Memory

_DECIDED: Final = {"merge": 0, "supersede": 0, "contradict": 0, "queue": 1, "keep": 2}
"""What the local classifier says comes before what it leaves alone: there a duplicate or a conflict is likely."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """Two memories that may be the same or contradict each other."""

    older: Memory
    newer: Memory
    cosine: float
    local: Comparison
    """What the local classifier has to say."""
    overlap: float
    """Share of the shorter one's words that the other one has."""
    doubted: bool = False
    """Whether it was queued when one of them was written."""

    @property
    def rank(self) -> tuple[int, float, str, str]:
        """What is compared first: what looks like something, then what is closest."""
        closeness = 0.5 * self.cosine + 0.5 * self.overlap
        return _DECIDED[action(self.local)], -closeness, self.older.id, self.newer.id


def suspect(
    one: Memory, other: Memory, cosine: float, settings: ConsolidationSettings, *, doubted: bool = False
) -> Suspect | None:
    """Return two memories as a pair worth comparing; None where their words say that it is not.

    Rules, workflows, episodes and messages that were kept as they were said are compared with nothing.
    """
    newer, older = in_order(one, other)
    beside = Neighbour(older, cosine)
    if not doubted and not comparable(newer, [Neighbour(older, max(cosine, 1.0))]):
        return None
    found = difference(read(newer.content), read(older.content))
    numeric_step = bool(found.new_numbers and found.old_numbers) and not (found.new_only and found.old_only)
    overlaps = found.shared > 0 and found.coverage >= settings.overlap
    if not (doubted or overlaps or numeric_step):
        return None
    local = judged(newer, beside).comparison
    return Suspect(older, newer, cosine, local, round(found.coverage, 3), doubted)
