from math import log1p

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from memoryd.index.matching import K1, B
from memoryd.index.postings import Postings

PASSAGES = 60_000
VOCABULARY = 300
Texts = npt.NDArray[np.int64]


@pytest.fixture(scope="module")
def texts() -> Texts:
    """The words of many passages, of which the first is in most of them and the last in few; -1 where one has ended."""
    random = np.random.default_rng(5)
    frequencies = 1.0 / np.arange(1, VOCABULARY + 1)
    drawn = random.choice(VOCABULARY, (PASSAGES, 20), p=frequencies / frequencies.sum())
    return np.where(np.arange(20) < random.integers(1, 20, (PASSAGES, 1)), drawn, -1)


@pytest.fixture(scope="module")
def postings(texts: Texts) -> Postings:
    found = Postings()
    for start in range(0, PASSAGES, 10_000):
        some = texts[start : start + 10_000]
        words = pa.array([f"w{word}" for word in some[some >= 0].tolist()])
        found.extend(words, np.count_nonzero(some >= 0, axis=1).astype(np.int32))
    return found


def added_up(
    texts: Texts, asked: set[int], seen: npt.NDArray[np.bool_], mean: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """BM25 of every passage and its share of the words, word by word as the books have it."""
    counts = np.stack([np.count_nonzero(texts == word, axis=1) for word in asked], axis=1)
    having = np.count_nonzero(counts[seen], axis=0)
    rarities = np.array([log1p((seen.sum() - n + 0.5) / (n + 0.5)) for n in having])
    lengths = np.count_nonzero(texts >= 0, axis=1, keepdims=True)
    scores = (rarities * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / mean))).sum(axis=1)
    return scores * seen, (rarities * (counts > 0)).sum(axis=1) / rarities.sum()


@pytest.mark.parametrize(
    "asked", [{0, 1, 2, 3}, {0, 1, 250, 299}, {0, 2, 40, 41, 42}, {3, 120}, {290, 299, 0, 1, 2, 3, 4, 5}, {0}]
)
@pytest.mark.parametrize("shown", [1.0, 0.6])
def test_the_best_by_words_are_those_of_adding_up_everything(
    asked: set[int], shown: float, texts: Texts, postings: Postings
) -> None:
    seen = np.random.default_rng(1).random(PASSAGES) < shown
    mean = postings.words_in(slice(None), seen) / np.count_nonzero(seen)
    scores, shares = added_up(texts, asked, seen, mean)
    matching = postings.matching([f"w{word}" for word in asked], seen, mean, {})
    for most in (50, 200):
        best = matching.best(most)
        assert len(set(best.tolist())) == most
        assert seen[best].all()
        assert scores[best] == pytest.approx(np.sort(scores)[::-1][:most], rel=1e-4)
        slots = np.sort(best)
        assert matching.at(slots)[0] == pytest.approx(scores[slots], rel=1e-4)
        assert matching.at(slots)[1] == pytest.approx(shares[slots], rel=1e-4)


def test_a_word_that_nobody_has_lowers_the_share_of_those_that_are_there(texts: Texts, postings: Postings) -> None:
    seen = np.ones(PASSAGES, np.bool_)
    best = postings.matching(["w299", "never"], seen, 10.0, {}).best(5)
    known = postings.matching(["w299"], seen, 10.0, {}).at(np.sort(best))[1]
    assert known.tolist() == [1.0] * 5
    assert max(postings.matching(["w299", "never"], seen, 10.0, {}).at(np.sort(best))[1]) < 0.5
    assert len(postings.matching(["never"], seen, 10.0, {}).best(5)) == 0
