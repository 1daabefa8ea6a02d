"""Which memories are worth a second look. Pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

RECENT = timedelta(hours=72)
"""A memory that was stored or changed within that time is looked at."""
IMPORTANT_FROM = 3
"""A memory of this importance or more is looked at."""
OFTEN_USED = 0.1
"""A memory among this share of the most used is looked at."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """As much of an active memory as it takes to choose."""

    id: str
    place: tuple[str, str]
    """Scope and project: what is in different places is never compared."""
    importance: int
    access_count: int
    updated_at: datetime


def candidates(memories: Sequence[Pooled], now: datetime) -> frozenset[str]:
    """Return the ids of those that are looked at: new or changed, important, or often used."""
    since = now - RECENT
    often = often_used((memory.access_count for memory in memories), OFTEN_USED)
    return frozenset(
        memory.id
        for memory in memories
        if memory.updated_at >= since or memory.importance >= IMPORTANT_FROM or memory.access_count >= often
    )


def often_used(counts: Iterable[int], share: float) -> float:
    """Return the number of uses from which a memory is among the most used; what was never used is not.

    Where several were used equally often at that place, all of them are.
    """
    ordered = sorted(counts, reverse=True)
    place = math.ceil(len(ordered) * share)
    return max(ordered[place - 1], 1) if place else math.inf
