"""Which memories and pairs get a second look, what is remembered of it, and when it is due."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.consolidating.fingerprints import NOBODY, Check, fingerprint, known
from memoryd_actors.consolidating.near import NOTHING, ROWS, Band, near
from memoryd_actors.consolidating.pairs import close, in_turn, suspect
from memoryd_actors.consolidating.pool import Pool, Pooled, candidates, often_used
from memoryd_actors.consolidating.schedule import STAGES, ConsolidationRun, is_due
from memoryd_client import Memory, Source

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def pooled(name: str, *, importance: int = 1, used: int = 0, days: float = 10) -> Pooled:
    return Pooled(name, ("global", ""), importance, used, NOON - timedelta(days=days))


def memory(content: str, *, category: str = "fact", days: float = 0, speaker: str = "") -> Memory:
    at = NOON - timedelta(days=days)
    return Memory(
        id=f"mem_{abs(hash((content, days)))}",
        owner="local",
        content=content,
        category=category,
        created_at=at,
        updated_at=at,
        occurred_at=at if speaker else None,
        speaker=speaker,
        source=Source.AGENT,
    )


# --- pool


def test_looked_at_is_what_is_new_or_important_or_often_used_and_nothing_else() -> None:
    there = [
        pooled("new", days=2.9),
        pooled("old", days=3.1),
        pooled("important", importance=3),
        pooled("used", used=9),
        *(pooled(f"rest{n}", used=1) for n in range(6)),
    ]
    uses = Counter(one.access_count for one in there)
    assert candidates(Pool(there, uses), NOON) == {"new", "important", "used"}


def test_what_nobody_ever_used_is_not_often_used() -> None:
    assert often_used({0: 3}, 0.5) == 1
    assert often_used({}, 0.5) == math.inf


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0.01, 1))
def test_the_most_used_are_at_least_the_share_of_those_that_were_used(counts: list[int], share: float) -> None:
    least = often_used(Counter(counts), share)
    among = [count for count in counts if count >= least]
    assert all(among)
    assert len(among) >= min(int(len(counts) * share), sum(count > 0 for count in counts))


# --- near


@given(st.integers(2, 40), st.integers(0, 2**31), st.floats(-1, 0.9), st.floats(0.01, 0.5))
def test_pairs_in_the_band_are_found_each_once_and_no_others(size: int, seed: int, low: float, width: float) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(size, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    looked_at = generator.random(size) < 0.5
    band = Band(low, low + width)
    found = near(vectors, 0, looked_at, band)
    cosines = vectors @ vectors.T
    wanted = {
        (one, other)
        for one in range(size)
        for other in range(one + 1, size)
        if band.low <= cosines[one, other] < band.high and (looked_at[one] or looked_at[other])
    }
    pairs = list(zip(found.one.tolist(), found.other.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == wanted


def test_block_by_block_the_same_pairs_are_found_as_at_once() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(ROWS * 2 + 17, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    everything = np.ones(len(vectors), bool)
    band = Band(0.9, 0.95)
    found = NOTHING
    for start in range(0, len(vectors), ROWS):
        found = found.and_(near(vectors, start, everything, band))
    cosines = vectors @ vectors.T
    within = np.triu((cosines >= 0.9) & (cosines < 0.95), 1)
    assert len(found.one) == int(within.sum())
    nearest = found.nearest(10).cosine
    assert np.allclose(nearest, np.sort(cosines[within])[::-1][:10], atol=1e-6)


# --- pairs


def test_a_pair_that_shares_its_words_or_differs_by_a_number_is_compared_and_one_of_other_words_is_not() -> None:
    one = memory("The deploy job runs in Frankfurt every night.", days=2)
    assert close(memory("The nightly deploy job runs in Frankfurt."), one, 0.7)
    assert close(memory("Fee: 70."), memory("Fee: 80.", days=1), 0.7)
    assert close(memory("Ana bakes bread on Mondays."), one, 0.7) is None


def test_the_newer_of_two_is_the_newer_whichever_comes_first() -> None:
    old, new = memory("The deploy job runs at two.", days=5), memory("The deploy job runs at four.", days=1)
    for pair in (close(old, new, 0.8), close(new, old, 0.8)):
        assert pair is not None
        assert (pair.newer, pair.older) == (new, old)
    assert suspect(old, new, 0.8).newer == new


def test_episodes_rules_and_messages_kept_as_they_were_said_are_compared_with_nothing() -> None:
    for category in ("episode", "rule", "procedural", "project_summary", "relationship_dynamic"):
        one, other = (memory("The deploy job runs.", category=category, days=days) for days in (0, 1))
        assert close(one, other, 0.8) is None
    said = memory("The deploy job runs.", speaker="Ana")
    assert close(said, memory("The deploy job runs.", days=1), 0.8) is None


def test_what_is_closest_in_meaning_and_in_words_comes_first() -> None:
    job = memory("The deploy job runs in Frankfurt.")
    same = suspect(job, memory("The deploy job runs in Frankfurt!", days=1), 0.5)
    nothing = suspect(job, memory("The deploy tool was bought in Rome.", days=1), 0.6)
    closer = suspect(job, memory("The deploy tool of Frankfurt was bought.", days=1), 0.89)
    assert in_turn([nothing, same, closer]) == [same, closer, nothing]


# --- fingerprints


@given(st.text(min_size=1), st.text(min_size=1), st.floats(-1, 1))
def test_a_pair_has_one_fingerprint_whichever_way_round(one: str, other: str, cosine: float) -> None:
    assert fingerprint(one, other, cosine) == fingerprint(other, one, cosine)


def test_a_fingerprint_is_the_cosine_rounded_to_two_places() -> None:
    assert fingerprint("b", "a", 0.7449) == ("a", "b", 74)
    assert fingerprint("b", "a", 0.7451) == ("a", "b", 75)


def test_a_comparison_holds_for_two_weeks_one_without_an_answer_for_a_day() -> None:
    said, unanswered = ("a", "b", 70), ("a", "c", 70)
    checks = [Check(said, "a model", NOON), Check(unanswered, NOBODY, NOON)]

    def after(**time: float) -> frozenset[tuple[str, str, int]]:
        return known(checks, NOON + timedelta(**time))

    assert after(hours=23) == {said, unanswered}
    assert after(hours=25) == {said}
    assert after(days=13.9) == {said}
    assert after(days=14) == frozenset()


# --- schedule


def test_a_run_is_due_a_day_after_the_last_one_began_however_long_the_machine_slept() -> None:
    last = ConsolidationRun(1, "local", NOON, finished_at=NOON)
    assert is_due(None, NOON, 24)
    assert not is_due(last, NOON + timedelta(hours=23.9), 24)
    assert is_due(last, NOON + timedelta(hours=24), 24)
    assert is_due(last, NOON + timedelta(days=30), 24)


def test_a_run_that_was_broken_off_is_due_at_once_even_where_none_is_scheduled() -> None:
    broken = ConsolidationRun(1, "local", NOON)
    assert is_due(broken, NOON, 24)
    assert is_due(broken, NOON, 0)
    assert not is_due(None, NOON, 0)


def test_a_clock_that_was_turned_back_neither_begins_a_run_at_every_look_nor_never_again() -> None:
    ahead = ConsolidationRun(1, "local", NOON + timedelta(hours=1), finished_at=NOON + timedelta(hours=1))
    assert not is_due(ahead, NOON, 24)
    far_ahead = ConsolidationRun(1, "local", NOON + timedelta(days=300), finished_at=NOON)
    assert is_due(far_ahead, NOON, 24)


def test_a_run_goes_on_behind_the_last_stage_that_it_has_done() -> None:
    assert ConsolidationRun(1, "local", NOON).left == STAGES
    assert ConsolidationRun(1, "local", NOON, stage=STAGES[0]).left == STAGES[1:]
    assert ConsolidationRun(1, "local", NOON, stage=STAGES[-1]).left == ()
