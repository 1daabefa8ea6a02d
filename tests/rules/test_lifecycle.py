"""Memories fade as the table says; what matters endures; nothing is destroyed at once."""

import math
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.decay import LifecycleSettings, decay_score
from memoryd_actors.memory.lifecycle import ENDURING, due, last_used
from memoryd_client import Memory, State

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SETTINGS = LifecycleSettings()


def memory(category: str = "fact", *, trust: float = 0.5, importance: int = 3, access_count: int = 0) -> Memory:
    return Memory(
        id="mem_a",
        owner="local",
        content="Ana drinks tea.",
        category=category,
        trust=trust,
        importance=importance,
        access_count=access_count,
        created_at=NOON,
        updated_at=NOON,
    )


def after(days: float) -> datetime:
    return NOON + timedelta(days=days)


@pytest.mark.parametrize(
    ("category", "days"), [("correction", 365), ("preference", 90), ("fact", 30), ("observation", 7)]
)
def test_after_its_time_a_memory_counts_for_one_eth(category: str, days: int) -> None:
    one = memory(category, trust=1.0)
    assert decay_score(one, after(days)) == pytest.approx(1 / math.e)


def test_being_used_and_being_trusted_count() -> None:
    plain = decay_score(memory(), NOON)
    assert decay_score(memory(access_count=9), NOON) == pytest.approx(plain * (1 + math.log(10)))
    assert decay_score(memory(trust=1.0), NOON) == pytest.approx(2 * plain)


def test_a_clock_that_went_backwards_makes_nothing_younger_than_new() -> None:
    assert decay_score(memory(), after(-100)) == decay_score(memory(), NOON)


def test_an_unimportant_memory_unused_for_sixty_days_is_forgotten_and_destroyed_a_month_later() -> None:
    assert due(memory(importance=2), after(59.9), SETTINGS) is None
    step = due(memory(importance=2), after(60), SETTINGS)
    assert step is not None
    assert (step.state, step.purge_at) == (State.FORGOTTEN, after(90))


def test_an_ordinary_memory_that_faded_is_archived_and_not_destroyed() -> None:
    step = due(memory(), after(100), SETTINGS)
    assert step is not None
    assert (step.state, step.purge_at) == (State.ARCHIVED, None)


def test_what_was_used_lately_stays() -> None:
    used = msgspec.structs.replace(memory(importance=1), last_accessed_at=after(90))
    assert due(used, after(100), SETTINGS) is None


@given(
    category=st.sampled_from([*ENDURING, "fact", "observation"]),
    pinned=st.booleans(),
    importance=st.integers(1, 5),
    trust=st.floats(0, 1),
    days=st.floats(0, 10_000),
)
def test_the_pinned_and_the_enduring_never_expire_by_themselves(
    category: str, pinned: bool, importance: int, trust: float, days: float
) -> None:
    one = msgspec.structs.replace(memory(category, trust=trust, importance=importance), pinned=pinned)
    step = due(one, after(days), SETTINGS)
    if pinned or category in ENDURING or after(days) - last_used(one) < timedelta(days=SETTINGS.unused_days):
        assert step is None
    if step is not None:
        assert step.state in {State.FORGOTTEN, State.ARCHIVED}
