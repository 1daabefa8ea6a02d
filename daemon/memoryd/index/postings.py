"""Which passages have which words, and how well they match a query: BM25 (Robertson and Zaragoza 2009, section 3.5)."""

from collections.abc import Iterable
from math import log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.index.grown import Grown, Seen, Slots
from memoryd.index.kept import Arrays, Parts, named, under
from memoryd.index.lookup import Lists

_K1 = 0.8
_B = 0.75
MOST = 32
"""Words of one query that count, the rarest: what a person asks has fewer, pasted logs have more."""
_COUNT_BITS = 8
"""Of a posting's 32; the others are the slot, so that there is room for 16 million."""
_MOST_COUNTED = 2**_COUNT_BITS - 1

_AT_ONCE = 16_384
"""Postings: of more, the system hands out new memory for each step (`heap`), which takes longer than the step."""

Numbers = npt.NDArray[np.float32]


class Postings:
    """For each word the slots that have it, and how often."""

    def __init__(self, kept: Arrays | None = None) -> None:
        self._of = Lists(named("of", kept) if kept else None)
        self._lengths = Grown(np.float32, kept["lengths"] if kept else None)
        self._found = np.empty((2, 0), np.float32)
        """What was found last. New memory for it takes the system 2 ms of 500,000 slots, see `heap`."""

    def extend(self, words: Any, lengths: npt.NDArray[np.int32]) -> None:
        """Append slots that have so many of the words, one after the other."""
        first = len(self._lengths.values)
        self._lengths.extend(lengths)
        coded = words.dictionary_encode()
        names = coded.dictionary.to_pylist()
        slots = np.repeat(np.arange(first, first + len(lengths), dtype=np.int64), lengths)
        both, counts = np.unique(coded.indices.to_numpy().astype(np.int64) << 32 | slots, return_counts=True)
        postings = ((both & 0xFFFFFFFF) << _COUNT_BITS | np.minimum(counts, _MOST_COUNTED)).astype(np.uint32)
        ends = np.searchsorted(both >> 32, np.arange(len(names)), side="right")
        start = 0
        for name, end in zip(names, ends.tolist(), strict=True):
            self._of.later(name).frombytes(postings[start:end].tobytes())
            start = end

    def mean_length(self, seen: Seen) -> float:
        """Return how many words the slots have that are seen; 1 at least."""
        count = int(np.count_nonzero(seen))
        return max(float(self._lengths.values.sum(where=seen, dtype=np.float64)) / count, 1.0) if count else 1.0

    def scores(self, words: Iterable[str], seen: Seen, mean: float) -> tuple[Numbers, Numbers]:
        """Return how well each slot matches, and which share of the words it has, each counting as much as it is rare.

        Both are 0 where it has none of the words, or is not seen. A word is as rare as it is among what is seen:
        nobody's scores tell what others have. `mean` is the mean length of what is seen. The next call overwrites both.
        """
        if self._found.shape[1] != len(seen):
            self._found = np.empty((2, len(seen)), np.float32)
        self._found.fill(0)
        scores, shares = self._found
        different = set(words)
        postings = [self._of.of(word) for word in different]
        known = sorted((found for found in postings if found.size), key=lambda found: found.size)[:MOST]
        if not known:
            return scores, shares
        lengths = self._lengths.values
        rows = int(np.count_nonzero(seen))
        all_rarities = (len(different) - len(known)) * _rarity(0, rows)
        for found in known:
            pieces = [found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE)]
            rarity = _rarity(sum(int(np.count_nonzero(seen[piece >> _COUNT_BITS])) for piece in pieces), rows)
            all_rarities += rarity
            for piece in pieces:
                slots, counts = _seen(piece, seen)
                shares[slots] += np.float32(rarity)
                share = counts / (counts + _K1 * (1 - _B + _B / mean * lengths[slots]))
                scores[slots] += np.float32(rarity * (_K1 + 1)) * share
        shares /= np.float32(all_rarities)
        return scores, shares

    def slots_with(self, word: str, seen: Seen) -> Slots:
        """Return those of the slots that are seen that have the word, ascending."""
        slots = (self._of.of(word) >> _COUNT_BITS).astype(np.intp)
        return slots[seen[slots]]

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        return {**under("of", self._of.parts()), "lengths": [self._lengths.values]}


def _rarity(having: int, rows: int) -> float:
    return log1p((rows - having + 0.5) / (having + 0.5))


def _seen(postings: npt.NDArray[np.uint32], seen: Seen) -> tuple[Slots, npt.NDArray[np.float32]]:
    slots = (postings >> _COUNT_BITS).astype(np.intp)
    counts = (postings & _MOST_COUNTED).astype(np.float32)
    here = seen[slots]
    return slots[here], counts[here]
