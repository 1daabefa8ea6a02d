from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.fusion import Candidate, fuse

share = st.floats(0, 1)
pools = st.lists(
    st.builds(
        Candidate,
        id=st.uuids().map(str),
        vector_score=st.floats(-1, 1),
        word_score=st.floats(0, 60),
    ),
    max_size=12,
    unique_by=lambda candidate: candidate.id,
)


def test_seven_tenths_are_meaning_and_three_are_words() -> None:
    both = Candidate("both", vector_score=0.5, word_score=10.0)
    words = Candidate("words", vector_score=-0.2, word_score=20.0)
    ranked = fuse([words, both])
    assert [one.id for one in ranked] == ["both", "words"]
    assert [one.score for one in ranked] == pytest.approx([0.7 * 0.5 + 0.3 * 0.5, 0.3])
    assert [one.word_score for one in ranked] == [0.5, 1.0]
    assert ranked[1].vector_score == -0.2


@given(pools, share)
def test_scores_are_bounded_and_best_comes_first(pool: list[Candidate], weight: float) -> None:
    ranked = fuse(pool, vector_weight=weight)
    assert {one.id for one in ranked} == {one.id for one in pool}
    assert all(0.0 <= one.score <= 1.0 and 0.0 <= one.word_score <= 1.0 for one in ranked)
    assert all(left.score >= right.score for left, right in pairwise(ranked))


@given(pools, share, st.randoms())
def test_the_order_of_candidates_does_not_matter(pool: list[Candidate], weight: float, random: Random) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    assert fuse(shuffled, vector_weight=weight) == fuse(pool, vector_weight=weight)


@given(pools.filter(bool), share, st.floats(0, 0.5), st.data())
def test_a_candidate_nearer_in_meaning_never_ranks_lower(
    pool: list[Candidate], weight: float, nearer: float, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(pool) - 1))
    one = pool[at]
    moved = [*pool[:at], Candidate(one.id, min(one.vector_score + nearer, 1.0), one.word_score), *pool[at + 1 :]]

    def place(of: list[Candidate]) -> int:
        return [ranked.id for ranked in fuse(of, vector_weight=weight)].index(one.id)

    assert place(moved) <= place(pool)


def test_a_floor_under_the_cosine_leaves_out_what_is_below_but_not_its_say_in_the_words() -> None:
    pool = [Candidate("far", 0.1, 20.0), Candidate("near", 0.6, 10.0)]
    (only,) = fuse(pool, minimum_cosine=0.4)
    assert (only.id, only.word_score) == ("near", 0.5)


def test_a_cosine_rounded_above_one_does_not_lift_the_score_above_one() -> None:
    (only,) = fuse([Candidate("same", 1.0000002, 3.0)])
    assert only.score == 1.0
