"""How well passages match the words of a question: BM25 (Robertson and Zaragoza 2009, section 3.5).

Of a million memories a common word has hundreds of thousands. What can no longer be among the best is not looked at:
the words are added up from the rarest on, and once what is left of them lifts nobody else over the best so far, only
these are looked up (Turtle and Flood 1995, "MaxScore"). The best are the same as if all had been added up.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from memoryd.index.grown import Seen, Slots, highest, reached, reaching

K1 = 0.8
B = 0.75
COUNT_BITS = 8
"""Of a posting's 32; the others are the slot, so that there is room for 16 million."""
_COUNTS = 2**COUNT_BITS - 1
_AT_ONCE = 16_384
"""Postings: of more, the system hands out new memory for each step (`heap`), which takes longer than the step."""
_PASSAGES_A_POSTING = 16
"""Finding out how high the best are takes each passage as long as adding a posting takes so many."""
_LOOKED_UP = 8
"""Looking a passage up takes as long as adding so many postings."""
_ROUNDED = 1.0001
"""What is added up in 32 bits may come to a little more than the sum of the most that it can be."""

Numbers = npt.NDArray[np.float32]
Coded = npt.NDArray[np.uint32]
"""Slots, ascending, each with how often it has a word."""
Pieces = Sequence[Coded]
"""Of one word, the later slots in later pieces."""


class RareWord(msgspec.Struct, frozen=True):
    """A word of a question."""

    postings: Pieces
    count: int
    """Of these postings."""
    rarity: float

    @property
    def most(self) -> float:
        """More than it can add to any passage."""
        return self.rarity * (K1 + 1)


class Matching(msgspec.Struct, frozen=True):
    """What the words of a question find."""

    words: Sequence[RareWord]
    """Those that are known, the rarest first."""
    all_rarities: float
    """Of those that nobody has, too."""
    seen: Seen
    mean: float
    """Mean length of what is seen."""
    lengths: Numbers
    scores: Numbers
    """Memory for a number for each passage."""

    def best(self, most: int) -> Slots:
        """Return the passages that match best and are seen, at most so many, best first."""
        scores = self.scores
        scores.fill(0)
        few: Slots | None = None
        postings = sum(word.count for word in self.words)
        left = sum(word.most for word in self.words)
        added = 0.0
        for word in self.words:
            if few is not None and _LOOKED_UP * len(few) < word.count:
                scores[few] += self._added(word, few, _counts(word.postings, few))
            else:
                self._add(word)
            postings -= word.count
            left -= word.most
            added += word.most
            if few is not None:
                few = _within(few, scores[few], most, left)
            elif added > left and postings > max(_AT_ONCE, len(scores) // _PASSAGES_A_POSTING):
                least = reached(scores, most) - _ROUNDED * left
                few = reaching(scores, least) if least > 0 else None
        places = highest(scores, most) if few is None else few[highest(scores[few], most)]
        return places[np.argsort(-scores[places])]

    def at(self, slots: Slots) -> tuple[Numbers, Numbers]:
        """Return how well passages match, and which share of the words each has, a word counting as much as it is rare.

        The slots are ascending.
        """
        scores, shares = np.zeros(len(slots), np.float32), np.zeros(len(slots), np.float32)
        for word in self.words:
            counts = _counts(word.postings, slots)
            scores += self._added(word, slots, counts)
            shares += np.float32(word.rarity) * (counts > 0)
        if self.words:
            shares /= np.float32(self.all_rarities)
        return scores, shares

    def _add(self, word: RareWord) -> None:
        for piece in some_at_a_time(word.postings):
            slots = (piece >> COUNT_BITS).astype(np.intp)
            counts = (piece & _COUNTS).astype(np.float32)
            here = self.seen[slots]
            slots, counts = slots[here], counts[here]
            self.scores[slots] += self._added(word, slots, counts)

    def _added(self, word: RareWord, slots: Slots, counts: Numbers) -> Numbers:
        share = counts / (counts + K1 * (1 - B + B / self.mean * self.lengths[slots]))
        return np.asarray(np.float32(word.most) * share, np.float32)


def some_at_a_time(postings: Pieces) -> Iterator[Coded]:
    """Return them in smaller pieces."""
    return (piece[start : start + _AT_ONCE] for piece in postings for start in range(0, len(piece), _AT_ONCE))


def _within(few: Slots, scores: Numbers, most: int, left: float) -> Slots:
    """Return those that can still be among the best, when so much more is left for each."""
    if len(few) <= most:
        return few
    least = float(np.partition(scores, len(few) - most)[len(few) - most]) - _ROUNDED * left
    return few[scores >= least]


def _counts(postings: Pieces, slots: Slots) -> Numbers:
    """Return how often each of the slots, which are ascending, has a word."""
    counts = np.zeros(len(slots), np.float32)
    asked = (slots << COUNT_BITS).astype(np.uint32)
    for piece in postings:
        found = piece[np.minimum(np.searchsorted(piece, asked), len(piece) - 1)]
        counts += np.where(found >> COUNT_BITS == slots, found & _COUNTS, 0)
    return counts
