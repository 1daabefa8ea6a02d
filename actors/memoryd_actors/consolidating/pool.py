"""Which memories are worth a second look. Pure."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

RECENT = timedelta(hours=72)
"""A memory that was stored or changed within that time is looked at."""
IMPORTANT_FROM = 3
"""A memory of this importance or more is looked at."""
OFTEN_USED = 0.1
"""A memory among this share of the most used is looked at."""


class Pooled(msgspec.Struct, frozen=True):
    """As much of an active memory as it takes to choose."""

    id: str
    place: tuple[str, str]
    """Scope and project: what is in different places is never compared."""
    importance: int
    access_count: int
    updated_at: datetime


class Pool(msgspec.Struct, frozen=True):
    """What may be compared once more."""

    memories: Sequence[Pooled]
    """Of each place those that were stored or changed last."""
    uses: Mapping[int, int]
    """Of all there are, how many were used how often."""


def candidates(pool: Pool, now: datetime) -> frozenset[str]:
    """Return the ids of those that are looked at: new or changed, important, or often used."""
    since = now - RECENT
    often = often_used(pool.uses, OFTEN_USED)
    return frozenset(
        memory.id
        for memory in pool.memories
        if memory.updated_at >= since or memory.importance >= IMPORTANT_FROM or memory.access_count >= often
    )


def often_used(uses: Mapping[int, int], share: float) -> float:
    """Return the number of uses from which a memory is among the most used; what was never used is not.

    Where several were used equally often at that place, all of them are.
    """
    place = math.ceil(sum(uses.values()) * share)
    for count in sorted(uses, reverse=True):
        place -= uses[count]
        if place <= 0:
            return max(count, 1)
    return math.inf
