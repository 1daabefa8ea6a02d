"""Which passages have which words."""

from collections.abc import Iterable, Iterator
from math import log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from memoryd.index.grown import Grown, Seen, Slots
from memoryd.index.kept import Arrays, Parts, named, under
from memoryd.index.lookup import Lists
from memoryd.index.matching import COUNT_BITS, Matching, Pieces, RareWord, some_at_a_time

MOST = 32
"""Words of one query that count, the rarest: what a person asks has fewer, pasted logs have more."""
COMMON = 16_384
"""Postings of a word from which it is remembered how many of them somebody sees; of a million memories some hundred."""
_MOST_COUNTED = 2**COUNT_BITS - 1


class Postings:
    """For each word the slots that have it, and how often."""

    def __init__(self, kept: Arrays | None = None) -> None:
        self._of = Lists(named("of", kept) if kept else None)
        self._lengths = Grown(np.float32, kept["lengths"] if kept else None)
        self._scores = np.empty(0, np.float32)
        """For `Matching`. New memory for it takes the system 1 ms of 500,000 slots, see `heap`."""

    def extend(self, words: Any, lengths: npt.NDArray[np.int32]) -> None:
        """Append slots that have so many of the words, one after the other."""
        first = len(self._lengths.values)
        self._lengths.extend(lengths)
        coded = words.dictionary_encode()
        names = coded.dictionary.to_pylist()
        slots = np.repeat(np.arange(first, first + len(lengths), dtype=np.int64), lengths)
        both, counts = np.unique(coded.indices.to_numpy().astype(np.int64) << 32 | slots, return_counts=True)
        postings = ((both & 0xFFFFFFFF) << COUNT_BITS | np.minimum(counts, _MOST_COUNTED)).astype(np.uint32)
        ends = np.searchsorted(both >> 32, np.arange(len(names)), side="right")
        start = 0
        for name, end in zip(names, ends.tolist(), strict=True):
            self._of.later(name).frombytes(postings[start:end].tobytes())
            start = end

    def words_in(self, slots: slice, seen: Seen | None = None) -> float:
        """Return how many words some slots have together, of them those that are seen."""
        return float(self._lengths.values[slots].sum(where=True if seen is None else seen, dtype=np.float64))

    def matching(self, words: Iterable[str], seen: Seen, mean: float, having: dict[str, int]) -> Matching:
        """Return what has the words among what is seen; only one is used at a time.

        A word is as rare as it is among what is seen: nobody's scores tell what others have. `mean` is the mean length
        of what is seen, `having` remembers how much of it has which common word.
        """
        if len(self._scores) != len(seen):
            self._scores = np.empty(len(seen), np.float32)
        different = set(words)
        postings = [(word, self._of.pieces_of(word)) for word in different]
        counted = [(sum(map(len, found)), word, found) for word, found in postings if found]
        counted.sort(key=lambda one: one[0])
        rows = int(np.count_nonzero(seen))
        known = [
            RareWord(found, count, _rarity(_having(word, found, count, seen, having), rows))
            for count, word, found in counted[:MOST]
        ]
        all_rarities = (len(different) - len(known)) * _rarity(0, rows)
        for word in known:
            all_rarities += word.rarity
        return Matching(known, all_rarities, seen, mean, self._lengths.values, self._scores)

    def slots_with(self, word: str, seen: Seen) -> Iterator[Slots]:
        """Return those of the slots that are seen that have the word, ascending, some at a time."""
        for piece in some_at_a_time(self._of.pieces_of(word)):
            slots = (piece >> COUNT_BITS).astype(np.intp)
            yield slots[seen[slots]]

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        return {**under("of", self._of.parts()), "lengths": [self._lengths.values]}


def _rarity(having: int, rows: int) -> float:
    return log1p((rows - having + 0.5) / (having + 0.5))


def _having(word: str, postings: Pieces, size: int, seen: Seen, known: dict[str, int]) -> int:
    count = known.get(word)
    if count is None:
        count = sum(int(np.count_nonzero(seen[piece >> COUNT_BITS])) for piece in some_at_a_time(postings))
        if size > COMMON:
            known[word] = count
    return count
