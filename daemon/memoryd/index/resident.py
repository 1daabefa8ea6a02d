"""What a search reads, in memory: nobody waits for the disk.

At 1,000 rows LanceDB's two searches take 15 to 25 ms, these less than one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from memoryd.index.columns import Columns
from memoryd.index.grown import GrownVectors, Slots
from memoryd.index.postings import Postings
from memoryd.index.tables import matrix
from memoryd.index.words import folded, words_of
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector

if TYPE_CHECKING:
    import pyarrow as pa

_FEWEST_COMPARED = 2_000
_SHARE_COMPARED = 0.02
"""Of many vectors, how many are compared exactly, see `GrownVectors.likely`."""


class Resident:
    """The rows of the index, each in a slot of its own.

    A row that is replaced gets another slot; what is dead is left behind when all is loaded anew.
    """

    def __init__(self, dimensions: int, *, exact_rows: int) -> None:
        """Prepare; of more than `exact_rows` that are seen, only the likely ones are compared exactly."""
        self._exact_rows = exact_rows
        self._ids: list[str] = []
        self._slots: dict[str, int] = {}
        self._columns = Columns()
        self._vectors = GrownVectors(dimensions)
        self._postings = Postings()

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self._slots)

    @property
    def dead(self) -> int:
        """How many slots are left behind."""
        return len(self._ids) - len(self._slots)

    def change(self, rows: "pa.Table | None", removed: Sequence[str]) -> None:
        """Put rows, and remove others."""
        if rows is not None:
            self.put(rows)
        if removed:
            self.remove(removed)

    def put(self, rows: "pa.Table") -> None:
        """Add rows, each in the place of the one with its id, unless that one is of a later sequence."""
        ids: list[str] = rows["id"].to_pylist()
        late = [
            number
            for number, (one, sequence) in enumerate(zip(ids, rows["sequence"].to_pylist(), strict=True))
            if (slot := self._slots.get(one)) is not None and self._columns.sequence(slot) > sequence
        ]
        if late:
            kept = np.delete(np.arange(len(ids)), late)
            rows, ids = rows.take(kept), [ids[number] for number in kept.tolist()]
        if not ids:
            return
        self._columns.bury([slot for one in ids if (slot := self._slots.get(one)) is not None])
        self._slots.update(zip(ids, range(len(self._ids), len(self._ids) + len(ids)), strict=True))
        self._ids += ids
        self._columns.extend(rows)
        self._vectors.extend(matrix(rows))
        self._postings.extend(rows["words"])

    def remove(self, ids: Sequence[str]) -> None:
        """Show nobody any more those of the rows that are here."""
        self._columns.bury([slot for one in ids if (slot := self._slots.pop(one, None)) is not None])

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those that are here."""
        return {one: self._vectors.at(slot) for one in ids if (slot := self._slots.get(one)) is not None}

    def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return the union of the nearest `limit` and the best `limit` by words, with exact cosine and BM25 of each.

        Best cosine first. Without a vector every cosine is 0.
        """
        seen = self._columns.seen(visible)
        slots = np.flatnonzero(seen)
        found: list[Slots] = []
        by_words = self._postings.scores(words_of(words), seen)
        if by_words.any():
            matching = np.flatnonzero(by_words)
            found.append(matching[_best(by_words[matching], limit)])
        if vector is not None and len(slots):
            near = slots
            if len(slots) > self._exact_rows:
                count = max(_FEWEST_COMPARED, int(_SHARE_COMPARED * len(slots)), 2 * limit)
                near = self._vectors.likely(vector, slots, count) if count < len(slots) else slots
            cosines = self._vectors.products(vector, near)
            found.append(near[_best(cosines, limit)])
        if not found:
            return []
        union = np.unique(np.concatenate(found))
        exact = np.zeros(len(union)) if vector is None else self._vectors.products(vector, union)
        candidates = [
            Candidate(self._ids[slot], cosine, score)
            for slot, cosine, score in zip(union.tolist(), exact.tolist(), by_words[union].tolist(), strict=True)
        ]
        return sorted(candidates, key=lambda one: (-one.vector_score, -one.word_score, one.id))

    def statistics(self, stems: Sequence[str], visible: Visibility) -> StoreStatistics:
        """Return how many memories there are to see, and how many of them have each of the stems."""
        seen = self._columns.seen(visible)
        with_each = {stem: self._postings.rows_with(folded(stem), seen) for stem in stems}
        return StoreStatistics(int(np.count_nonzero(seen)), with_each)


def _best(scores: npt.NDArray[np.float32], limit: int) -> Slots:
    return np.argpartition(-scores, limit)[:limit] if limit < len(scores) else np.arange(len(scores))
