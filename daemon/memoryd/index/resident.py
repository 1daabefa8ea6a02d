"""What a search reads, in memory: nobody waits for the disk.

At 1,000 rows LanceDB's two searches take 15 to 25 ms, these less than one.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from memoryd.index.columns import Columns
from memoryd.index.grown import Grown, GrownVectors, Seen, Slots
from memoryd.index.kept import Arrays, Parts, named, under
from memoryd.index.lookup import Ids
from memoryd.index.matching import Matching
from memoryd.index.postings import Postings
from memoryd.index.tables import matrix
from memoryd.index.words import folded, words_of
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import VECTOR_WEIGHT, Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector

FILES = "3"
"""Changes when what a file holds does: another one is written anew."""
_COMPARED = 1_000
"""Of many vectors, how many are compared number by number."""
_SHARE_LIKELY = 0.02
_MOST_LIKELY = 6_000
"""Of how many it is looked at more closely whether they are among these, see `GrownVectors.likely` and `likelier`."""
_CALLERS = 4
"""For so many who asked last it is known what they see: 2 MB each of a million memories."""


class _Shown:
    """What somebody sees. A change takes it along: working it out for a million memories takes 7 ms."""

    def __init__(self, rows: Seen, passages: Seen, words: float) -> None:
        self._rows = Grown(np.bool_, rows)
        self._passages = Grown(np.bool_, passages)
        self._words = words
        """Of these passages together."""
        self.having: dict[str, int] = {}
        """How many of them have a word, of common ones."""

    @property
    def rows(self) -> Seen:
        return self._rows.values

    @property
    def passages(self) -> Seen:
        return self._passages.values

    @property
    def mean_length(self) -> float:
        """Of the passages, in words; 1 at least."""
        return max(self._words / max(int(np.count_nonzero(self.passages)), 1), 1.0)

    def extend(self, rows: Seen, passages: Seen, words: float) -> None:
        """Append rows and their passages, of which those that are seen have so many words."""
        self._rows.extend(rows)
        self._passages.extend(passages)
        self._words += words
        self.having.clear()

    def bury(self, row: int, passages: slice, words: float) -> None:
        """Show a row no more, whose passages have so many words."""
        if self.rows[row]:
            self.rows[row] = self.passages[passages] = False
            self._words -= words
            self.having.clear()


class _Matches(msgspec.Struct, frozen=True):
    """What the words of a question find."""

    seen: Seen
    """Whether who asks may see each passage,"""
    by_words: Matching
    """how well it matches,"""
    best: list[int]
    """The rows that match best."""


class Resident:
    """The rows of the index, each in a slot of its own, and their passages, of which a short memory has one.

    A row that is replaced gets another slot; what is dead is left behind when all is loaded anew.
    """

    def __init__(self, dimensions: int, *, exact_rows: int, kept: Arrays | None = None) -> None:
        """Prepare, with the slots of a file where there is one.

        Of more than `exact_rows` passages that are seen, only the likely ones are compared exactly.
        """
        self.dimensions = dimensions
        self._exact_rows = exact_rows
        self._ids = Ids(named("ids", kept) if kept else None)
        self._columns = Columns(named("columns", kept) if kept else None)
        self._first = Grown(np.int32, kept["first"] if kept else None)
        """The first passage of each row."""
        self._row = Grown(np.int32, kept["row"] if kept else None)
        """The row of each passage."""
        self._starts = Grown(np.int32, kept["starts"] if kept else None)
        self._ends = Grown(np.int32, kept["ends"] if kept else None)
        """Where passages of long memories are in their contents."""
        self._vectors = GrownVectors(dimensions, kept)
        self._postings = Postings(named("postings", kept) if kept else None)
        self._matched: tuple[tuple[str, Visibility, int], _Matches] | None = None
        """What matched the last question."""
        self._shown: dict[Visibility, _Shown] = {}

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self._columns.living))

    @property
    def dead(self) -> int:
        """How many slots are left behind."""
        return len(self._ids) - self.rows

    @property
    def later(self) -> int:
        """How many slots there are beside those of a file."""
        return self._ids.later

    def parts(self) -> Parts:
        """Return what a file holds of them, see `kept`."""
        return {
            **under("ids", self._ids.parts()),
            **under("columns", self._columns.parts()),
            **under("postings", self._postings.parts()),
            **self._vectors.parts(),
            "first": [self._first.values],
            "row": [self._row.values],
            "starts": [self._starts.values],
            "ends": [self._ends.values],
        }

    def change(self, rows: Any, removed: Sequence[str]) -> None:
        """Put rows, and remove others."""
        if rows is not None:
            self.put(rows)
        self._bury(map(self._slot, removed))

    def put(self, rows: Any) -> None:
        """Add rows, each in the place of the one with its id, unless that one is of a later sequence."""
        ids: list[str] = rows["id"].to_pylist()
        slots = [self._slot(one) for one in ids]
        late = [
            number
            for number, (slot, sequence) in enumerate(zip(slots, rows["sequence"].to_pylist(), strict=True))
            if slot is not None and self._columns.sequence(slot) > sequence
        ]
        if late:
            kept = np.delete(np.arange(len(ids)), late)  # of a type also where it is empty
            rows, ids, slots = rows.take(kept), [ids[number] for number in kept], [slots[number] for number in kept]
        if not ids:
            return
        self._bury(slots)
        first = len(self._ids)
        self._ids.extend(ids)
        self._columns.extend(rows)
        self._extend_passages(rows, first)
        self._matched = None
        for visible, shown in self._shown.items():
            shown.extend(*self._newly_seen(visible, first))

    def retain(self, ids: Container[str]) -> None:
        """Remove all rows but these."""
        living = np.flatnonzero(self._columns.living).tolist()
        self._bury(slot for slot in living if self._ids[slot] not in ids)

    def _slot(self, id: str) -> int | None:  # noqa: A002 - it is the field's name
        slot = self._ids.slot(id)
        return slot if slot is not None and self._columns.living[slot] else None

    def _bury(self, slots: Iterable[int | None]) -> None:
        self._matched = None
        buried = [slot for slot in slots if slot is not None]
        self._columns.bury(buried)
        for row in buried if self._shown else ():
            passages = self._passages_of(row)
            words = self._postings.words_in(passages)
            for shown in self._shown.values():
                shown.bury(row, passages, words)

    def _passages_of(self, row: int) -> slice:
        first = self._first.values
        return slice(int(first[row]), int(first[row + 1]) if row + 1 < len(first) else len(self._row.values))

    def _extend_passages(self, rows: Any, first: int) -> None:
        counts = rows["counts"].combine_chunks()
        each = counts.value_lengths().to_numpy(zero_copy_only=False)
        begins = len(self._row.values) + np.cumsum(each) - each
        self._first.extend(begins)
        self._row.extend(np.repeat(np.arange(first, first + len(each)), each))
        spans = np.zeros((int(each.sum()), 2), np.int32)
        flat = rows["spans"].combine_chunks().flatten().to_numpy().reshape(-1, 2)
        spans[np.repeat(each > 1, each)] = flat
        self._starts.extend(spans[:, 0])
        self._ends.extend(spans[:, 1])
        self._vectors.extend(matrix(rows))
        self._postings.extend(rows["words"].combine_chunks().flatten(), counts.flatten().to_numpy())

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those that are here; of a long one that of its first passage."""
        first = self._first.values
        return {one: self._vectors.at(first[slot]) for one in ids if (slot := self._slot(one)) is not None}

    def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return the union of the nearest `limit` and the best `limit` by words, with exact cosine and BM25 of each.

        Best cosine first. Without a vector every cosine is 0. A long memory has the scores of its best passages.
        """
        matches = self._matches(words, visible, limit)
        found = set(matches.best)
        passages = int(np.count_nonzero(matches.seen))
        if vector is not None and passages:
            compared = max(_COMPARED, 2 * limit)
            likely = max(compared, min(_MOST_LIKELY, int(_SHARE_LIKELY * passages)))
            if self._exact_rows < passages > likely:
                near = self._vectors.likely(vector, matches.seen, likely)
                near = self._vectors.likelier(vector, near, compared)
                products = self._vectors.estimates(vector, near)
            else:
                near = np.flatnonzero(matches.seen)
                products = self._vectors.products(vector, near)
            nearest = near[np.argsort(-products)]
            found.update(self._rows(lambda most: nearest[:most], limit))
        if not found:
            return []
        candidates = self._candidates(sorted(found), vector, matches)
        return sorted(candidates, key=lambda candidate: (-candidate.vector_score, -candidate.word_score, candidate.id))

    def _matches(self, words: str, visible: Visibility, limit: int) -> "_Matches":
        """Return what is seen, and how well it matches the words.

        Of the last question it is still known: while the model runs, what has its words is looked for already.
        """
        asked = words, visible, limit
        if self._matched is None or self._matched[0] != asked:
            shown = self._seen(visible)
            by_words = self._postings.matching(words_of(words), shown.passages, shown.mean_length, shown.having)
            self._matched = asked, _Matches(shown.passages, by_words, self._rows(by_words.best, limit))
        return self._matched[1]

    def statistics(self, stems: Sequence[str], visible: Visibility) -> StoreStatistics:
        """Return how many memories there are to see, and how many of them have each of the stems."""
        shown = self._seen(visible)
        rows = int(np.count_nonzero(shown.rows))
        return StoreStatistics(rows, {stem: self._rows_with(folded(stem), shown) for stem in stems})

    def _rows_with(self, word: str, shown: _Shown) -> int:
        """Return how many memories have a word; passages of one stand together."""
        count, last = 0, -1
        for slots in self._postings.slots_with(word, shown.passages):
            rows = self._row.values[slots]
            if len(rows):
                count += int(np.count_nonzero(np.diff(rows))) + (int(rows[0]) != last)
                last = int(rows[-1])
        return count

    def _seen(self, visible: Visibility) -> _Shown:
        shown = self._shown.pop(visible, None)
        if shown is None:
            shown = _Shown(*self._newly_seen(visible, 0))
            if len(self._shown) == _CALLERS:
                del self._shown[next(iter(self._shown))]
        self._shown[visible] = shown  # the last of them
        return shown

    def _newly_seen(self, visible: Visibility, first: int) -> tuple[Seen, Seen, float]:
        """Return which rows from the first on are seen, and which of their passages, with how many words together."""
        rows = self._columns.seen(visible, first)
        passages = slice(self._passages_of(first).start if len(rows) else 0, None)
        seen = rows[self._row.values[passages] - first] if len(rows) else rows
        return rows, seen, self._postings.words_in(passages, seen)

    def _rows(self, best: Callable[[int], Slots], limit: int) -> list[int]:
        """Return the rows of the best passages; `best` gives at most as many as asked for, best first."""
        asked = limit
        while True:
            passages = best(asked)
            rows = list(dict.fromkeys(self._row.values[passages].tolist()))
            if len(rows) >= limit or len(passages) < asked:
                return rows[:limit]
            asked *= 4

    def _candidates(self, rows: list[int], vector: Vector | None, matches: "_Matches") -> list[Candidate]:
        starts = self._first.values[rows].astype(np.intp)
        following = np.array(rows) + 1
        last = following == len(self._first.values)
        ends = np.where(last, len(self._row.values), self._first.values[following - last])
        counts = ends - starts
        begins = np.cumsum(counts) - counts
        passages = np.repeat(starts - begins, counts) + np.arange(counts.sum())
        words, shares = matches.by_words.at(passages)
        cosines = np.zeros(len(passages), np.float32) if vector is None else self._vectors.products(vector, passages)
        best_words = np.maximum.reduceat(words, begins).tolist()
        best_shares = np.maximum.reduceat(shares, begins).tolist()
        best_cosines = np.maximum.reduceat(cosines, begins).tolist()
        # Which of its passages a long memory was found by: that which is best on both sides.
        fused = VECTOR_WEIGHT * cosines + (1 - VECTOR_WEIGHT) * words / (words.max() or 1.0)
        spans: dict[int, tuple[int, int]] = {}
        for number in np.flatnonzero(counts > 1).tolist():
            here = slice(begins[number], begins[number] + counts[number])
            passage = int(starts[number]) + int(fused[here].argmax())
            spans[number] = int(self._starts.values[passage]), int(self._ends.values[passage])
        return [
            Candidate(self._ids[row], best_cosines[n], best_words[n], word_share=best_shares[n], passage=spans.get(n))
            for n, row in enumerate(rows)
        ]
