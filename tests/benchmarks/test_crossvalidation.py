"""Fitting the ranking's weights, on made-up pools."""

from datetime import UTC, datetime
from random import Random

import numpy as np
import pytest
from benchmarks.recall.crossvalidate import FITTED, features, fit, folds, ranked
from benchmarks.recall.data import Asked
from benchmarks.recall.pools import Pool
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.fusion import Ranked
from memoryd_actors.searching.ranking import RankingWeights, rank
from memoryd_client.wire.memory import Memory

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPEAKERS = ("Ann", "Bob", "user", "assistant")
TEXTS = (
    "Yes.",
    "I prefer tea in the morning, and biscuits with it.",
    "Always lock the door of the shed before you leave, whoever is still in the garden.",
    "The tea from the shop in March was better than what we had before, and it cost less; " * 4,
)
QUESTIONS = ("What tea did Ann buy in March 2024?", "Which biscuits would you recommend for the shed?", "Why?")


def pool(number: int, question: str, chance: Random) -> Pool:
    """Return a pool of twelve, its evidence what Ann said."""
    found: list[tuple[Ranked, Memory]] = []
    for n in range(12):
        memory = Memory(
            id=f"{number}/{n}",
            owner="local",
            content=chance.choice(TEXTS),
            speaker=chance.choice(SPEAKERS),
            session=chance.choice(("one", "two")),
            source_messages=(n, n),
            occurred_at=datetime(2024, chance.randint(1, 12), 3, tzinfo=UTC),
            created_at=NOW,
            updated_at=NOW,
        )
        found.append((Ranked(memory.id, chance.uniform(-0.1, 0.9), chance.random(), 0.0), memory))
    evidence = frozenset(memory.id for _, memory in found if memory.speaker == "Ann")
    return Pool(Asked(str(number), f"g{number}", question, "made up", ()), f"g{number}", evidence, tuple(found))


@given(st.integers(0, 10_000), st.sampled_from(QUESTIONS))
def test_a_memorys_score_is_its_features_times_the_weights(seed: int, question: str) -> None:
    one = pool(0, question, Random(seed))
    weights = RankingWeights()
    values = np.array([getattr(weights, name) for name in FITTED])
    values[:3] /= weights.own
    told = dict(zip((ranked.id for ranked, _ in one.found), features(one, weights) @ values, strict=True))
    for ranked_ in rank(question, one.found):
        # What the ranking reports is not below zero.
        assert ranked_.score * weights.most == pytest.approx(max(told[ranked_.id], 0.0), abs=1e-9)


def test_a_fit_finds_what_evidence_has_in_common() -> None:
    chance = Random(1)
    known = [pool(n, QUESTIONS[0], chance) for n in range(40)]
    fresh = [pool(n, QUESTIONS[0], chance) for n in range(40, 60)]
    fitted = fit([known])
    assert fitted.named > 10 * RankingWeights().named

    def first_are_evidence(weights: RankingWeights) -> float:
        order = ranked(weights)
        return float(np.mean([one.evidence.issubset(order(one)[: len(one.evidence)]) for one in fresh]))

    assert first_are_evidence(fitted) > 0.9 > first_are_evidence(RankingWeights())


def test_nothing_can_be_learnt_where_nothing_is_relevant() -> None:
    empty = pool(1, "Why?", Random(1))
    with pytest.raises(ValueError, match="evidence"):
        fit([[Pool(empty.question, empty.group, frozenset(), empty.found)]])


@given(st.lists(st.lists(st.integers(0, 9), min_size=1), min_size=1, max_size=4), st.integers(2, 5))
def test_every_conversation_is_held_out_once(sets: list[list[int]], count: int) -> None:
    made = {n: pool(n, "Why?", Random(n)) for n in range(10)}
    parts = folds([[made[n] for n in some] for some in sets], count)
    dealt = [group for part in parts for group in part]
    assert sorted(dealt) == sorted({f"g{n}" for some in sets for n in some})
    assert len(parts) <= count
