"""Texts that are found again: those from a file by bisection, without a Python object for each, later ones in dicts."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from memoryd.index.kept import Arrays, Parts, named

Postings = npt.NDArray[np.uint32]


class Texts:
    """Texts from a file, one after the other in UTF-8."""

    def __init__(self, kept: Arrays | None = None) -> None:
        self._bytes = (kept["bytes"] if kept else np.empty(0, np.uint8)).data
        self._ends = (kept["ends"] if kept else np.zeros(1, np.int64)).data

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> str:
        return str(self._bytes[self._ends[place] : self._ends[place + 1]], "utf-8")

    def parts(self, later: Iterable[str] = ()) -> Parts:
        """Return what a file holds of these and others after them."""
        encoded = [text.encode() for text in later]
        ends = np.fromiter(accumulate(map(len, encoded), initial=self._ends[-1]), np.int64, len(encoded) + 1)
        return {
            "bytes": [np.asarray(self._bytes), np.frombuffer(b"".join(encoded), np.uint8)],
            "ends": [np.asarray(self._ends)[:-1], ends],
        }


class Ids:
    """The id in each slot, and the last slot that has an id."""

    def __init__(self, kept: Arrays | None = None) -> None:
        self._texts = Texts(named("texts", kept) if kept else None)
        self._order = (kept["order"] if kept else np.empty(0, np.int64)).data
        """The slots from a file in the order of their ids."""
        self._later: list[str] = []
        self._slots: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._texts) + len(self._later)

    def __getitem__(self, slot: int) -> str:
        first = len(self._texts)
        return self._texts[slot] if slot < first else self._later[slot - first]

    @property
    def later(self) -> int:
        """How many slots there are beside those from a file."""
        return len(self._later)

    def extend(self, ids: Sequence[str]) -> None:
        """Append slots."""
        self._slots.update(zip(ids, range(len(self), len(self) + len(ids)), strict=True))
        self._later += ids

    def slot(self, id: str) -> int | None:  # noqa: A002 - it is the field's name
        """Return the last slot that has it."""
        if (later := self._slots.get(id)) is not None:
            return later
        place = bisect_right(self._order, id, key=self._texts.__getitem__) - 1
        return self._order[place] if place >= 0 and self._texts[self._order[place]] == id else None

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        import pyarrow as pa
        from pyarrow import compute

        texts = {name: np.concatenate(pieces) for name, pieces in self._texts.parts(self._later).items()}
        buffers = [None, pa.py_buffer(texts["ends"]), pa.py_buffer(texts["bytes"])]
        texts_in_slots = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self), buffers)
        order = compute.call_function("array_sort_indices", [texts_in_slots])
        return {
            "order": [order.to_numpy().astype(np.int64)],
            **{f"texts.{name}": [whole] for name, whole in texts.items()},
        }


class Lists:
    """For each text the numbers that were appended to it."""

    def __init__(self, kept: Arrays | None = None) -> None:
        self._texts = Texts(named("texts", kept) if kept else None)
        """Ascending."""
        self._ends = (kept["ends"] if kept else np.zeros(1, np.int64)).data
        self._numbers: Postings = kept["numbers"] if kept else np.empty(0, np.uint32)
        self._later: dict[str, array[int]] = {}

    def later(self, text: str) -> "array[int]":
        """Return what more numbers are appended to."""
        there = self._later.get(text)
        if there is None:
            there = self._later[text] = array("I")
        return there

    def pieces_of(self, text: str) -> list[Postings]:
        """Return the numbers of a text: those from a file, and later ones. A common word's are not copied: 3 MB."""
        found: list[Postings] = []
        place = bisect_right(range(len(self._texts)), text, key=self._texts.__getitem__) - 1
        if place >= 0 and self._texts[place] == text:
            found.append(self._numbers[self._ends[place] : self._ends[place + 1]])
        if later := self._later.get(text):
            found.append(np.frombuffer(later, np.uint32))
        return found

    def of(self, text: str) -> Postings:
        """Return the numbers of a text."""
        return np.concatenate([np.empty(0, np.uint32), *self.pieces_of(text)])

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        texts = sorted({*map(self._texts.__getitem__, range(len(self._texts))), *self._later})
        numbers = [self.of(text) for text in texts]
        return {
            "ends": [np.cumsum([0, *map(len, numbers)], dtype=np.int64)],
            "numbers": [np.concatenate(numbers) if numbers else self._numbers],
            **{f"texts.{name}": pieces for name, pieces in Texts().parts(texts).items()},
        }
