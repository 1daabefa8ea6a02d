"""How much a memory still counts: it decays.

score = base_relevance * e^(-age_days / half_life) * (1 + ln(access_count + 1)) * trust

The constant of the exponential is no half-life; it is the time after which a share of 1/e is left.
"""

import math
from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.memory import Memory

Days = Annotated[float, msgspec.Meta(gt=0)]
ORDINARY = 3
"""The importance at which a memory's base relevance is 1."""
_DAY_S = 86_400.0
HALF_LIFE_DAYS = {"correction": 365.0, "preference": 90.0, "observation": 7.0, "relationship_dynamic": 7.0}
ORDINARY_HALF_LIFE_DAYS = 30.0
"""Of every category that is not named above."""


class LifecycleSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How memories fade, and what becomes of those that nobody uses."""

    archive_below: Annotated[float, msgspec.Meta(ge=0)] = 0.1
    """A memory that scores less and was not used for `unused_days` is archived; 0: never."""
    unused_days: Days = 60.0
    """Without being used, until a memory is archived or forgotten."""
    forget_below_importance: Annotated[int, msgspec.Meta(ge=1, le=6)] = 3
    """A memory unused for so long that is less important is forgotten; 1: none is."""
    purge_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 30
    """After which a memory that was forgotten so is destroyed; until then it can be restored. 0: never."""


def decay_score(memory: Memory, now: datetime) -> float:
    """Return how much a memory still counts; at least 0, about 1 for one that is new, trusted and unused.

    Its age counts from when it was last written or confirmed. A clock that went backwards makes nothing younger than
    new.
    """
    age_days = max((now - max(memory.created_at, memory.updated_at)).total_seconds() / _DAY_S, 0.0)
    return (
        memory.importance
        / ORDINARY
        * math.exp(-age_days / HALF_LIFE_DAYS.get(memory.category, ORDINARY_HALF_LIFE_DAYS))
        * (1 + math.log(memory.access_count + 1))
        * memory.trust
    )
