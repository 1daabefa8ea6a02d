"""Arrays that grow by appending."""

from collections.abc import Iterator
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from memoryd.index.kept import Arrays, Parts
from memoryd.index.quantised import Codes, Signs, Steps, codes_of, signs_of, tables_of
from memoryd_actors.ports.embedder import Vector, Vectors

_Value = TypeVar("_Value", bound=np.generic)
_FIRST = 256
_BLOCK = 16_384
"""Vectors of one block: 25 MB with 384 dimensions, of which the system hands out what is written to."""
_GATHERED = 128
"""Vectors that are brought together at once: of more, the system hands out new memory each time (`heap`)."""
_COMPARED = 200_000
"""Numbers that are compared with a bound at once: what comes of them is below `_LARGE_BYTES` of `heap`."""
_FEWEST_TOGETHER = 8
Slots = npt.NDArray[np.intp]
Seen = npt.NDArray[np.bool_]
"""For each slot, whether who asks may see it."""


class Grown(Generic[_Value]):
    """One value for each slot."""

    def __init__(self, kind: type[_Value], kept: npt.NDArray[Any] | None = None) -> None:
        self._kept: npt.NDArray[_Value] = np.empty(_FIRST, kind) if kept is None else kept
        self._length = 0 if kept is None else len(kept)

    @property
    def values(self) -> npt.NDArray[_Value]:
        """What there is; what is written to it stays."""
        return self._kept[: self._length]

    def extend(self, values: npt.NDArray[Any]) -> None:
        """Append values, which become of this kind."""
        end = self._length + len(values)
        if end > len(self._kept):
            larger = np.empty(max(end, 2 * len(self._kept)), self._kept.dtype)
            larger[: self._length] = self.values
            self._kept = larger
        self._kept[self._length : end] = values
        self._length = end


class GrownVectors:
    """One vector for each slot: those from a file, then blocks that are never copied; and the same quantised."""

    def __init__(self, dimensions: int, kept: Arrays | None = None) -> None:
        self._dimensions = dimensions
        first: Vectors = kept["vectors"] if kept else np.empty((0, dimensions), np.float32)
        self._blocks = [first]
        self._signs: list[Signs] = [kept["signs"].reshape(-1, len(first)) if kept else signs_of(first)]
        self._codes: list[tuple[Codes, Steps]] = [(kept["codes"], kept["steps"]) if kept else codes_of(first)]
        """Both for each block that has been asked for."""
        self._quantised = self._length = self._first = len(first)
        self._quantising = Lock()
        """Who searches and who writes the files may both be the first to ask."""
        self._alike = np.empty(0, np.uint16)
        """How many signs each had in common with the last that was asked for; kept for its memory only."""

    def extend(self, vectors: Vectors) -> None:
        """Append vectors."""
        at = 0
        while at < len(vectors):
            place = (self._length - self._first) % _BLOCK
            if place == 0:
                self._blocks.append(np.empty((_BLOCK, self._dimensions), np.float32))
            taken = min(_BLOCK - place, len(vectors) - at)
            self._blocks[-1][place : place + taken] = vectors[at : at + taken]
            at += taken
            self._length += taken

    def at(self, slot: int) -> Vector:
        """Return a copy of one vector."""
        number, place = self._place(slot)
        found: Vector = self._blocks[number][place].copy()
        return found

    def products(self, vector: Vector, slots: Slots) -> npt.NDArray[np.float32]:
        """Return the inner product with those in the slots, which are in ascending order; without BLAS.

        BLAS spreads 2,000 products over threads that wait for one another: a median of 9 to 13 ms and 40 to 70 at p95
        where other programs want both cores, against 0.19 and 1; of 100,000 it takes 21 ms, this 12.
        """
        found = np.empty(len(slots), np.float32)
        for number, here, places in self._by_block(slots):
            block = self._blocks[number]
            filled = block[: self._length - self._starts()[number]]
            if 2 * len(here) > len(filled):  # all of them, and no copy
                found[places] = np.einsum("ij,j->i", filled, vector)[here]
            else:
                found[places] = np.concatenate([np.einsum("ij,j->i", block[some], vector) for some in _pieces(here)])
        return found

    def estimates(self, vector: Vector, slots: Slots) -> npt.NDArray[np.float32]:
        """Return the inner product with those in the slots, ascending, as far as eight bits a number tell.

        Of 1,000 it takes .4 ms. They take a quarter of the memory: of a million, the system keeps all in its cache,
        where of 1,000 whole ones that a search looked at 40 to 60 came from the disk, for 5 to 10 ms.
        """
        self._quantise()
        found = np.empty(len(slots), np.float32)
        for number, here, places in self._by_block(slots):
            codes, steps = self._codes[number]
            products = [np.einsum("ij,j->i", codes[some].astype(np.float32), vector) for some in _pieces(here)]
            found[places] = np.concatenate(products) * steps[here]
        return found

    def likely(self, vector: Vector, seen: Seen, count: int) -> Slots:
        """Return the `count` slots that are seen whose vectors have the most signs in common with this one, ascending.

        Of 100,000 it takes 1 ms, of a million 8: its 48 MB have to pass through the processor. Comparing half of the
        signs first, and the others of the 100,000 best, takes 2 ms less and loses 2 of the 95 in 100 nearest that are
        found for what is unlike everything stored.
        """
        self._quantise()
        asked = signs_of(vector[None, :])[:, 0]
        if len(self._alike) != self._length:
            self._alike = np.empty(self._length, np.uint16)
        alike = self._alike
        most = 64 * len(asked) + 1  # so that what has no sign in common is above 0, too
        for block, start in zip(self._signs, self._starts(), strict=True):
            for at in range(0, min(block.shape[1], self._length - start), _BLOCK):
                here = slice(start + at, min(start + at + _BLOCK, start + block.shape[1]))
                shown = seen[here]
                if not shown.any():
                    alike[here] = 0
                    continue
                apart = np.zeros(len(shown), np.uint16)
                for signs, wanted in zip(block[:, at : at + len(shown)], asked, strict=True):
                    apart += np.bitwise_count(signs ^ wanted)
                np.multiply(most - apart, shown, out=alike[here])
        return np.sort(highest(alike, count))

    def likelier(self, vector: Vector, slots: Slots, count: int) -> Slots:
        """Return the `count` of the slots that are nearest by the numbers of this vector and their signs, ascending.

        What is nearest by signs alone is looked at more closely without reading its vector, which may be on the disk.
        Of 6,000 it takes 1.5 ms. Of the ten nearest of a million that `likely` finds, 1 in 1,000 is lost among the best
        1,000; of what is unlike everything stored 5, and of the fifty nearest 25.
        """
        if len(slots) <= count:
            return slots
        self._quantise()
        signs = [self._signs[number][:, here] for number, here, _ in self._by_block(slots)]
        sums = np.zeros(len(slots), np.float32)
        tables = iter(tables_of(vector, 64 * len(signs[0])))
        for one in np.concatenate(signs, axis=1):
            for eight in np.ascontiguousarray(one).view(np.uint8).reshape(-1, 8).T:
                sums += next(tables)[eight]
        return slots[np.sort(np.argpartition(-sums, count)[:count])]

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        self._quantise()
        lengths = [
            min(len(block), self._length - start) for block, start in zip(self._blocks, self._starts(), strict=True)
        ]
        signs = [block[:, :length] for block, length in zip(self._signs, lengths, strict=True)]
        return {
            "vectors": [block[:length] for block, length in zip(self._blocks, lengths, strict=True)],
            "signs": [block[row] for row in range(len(signs[0])) for block in signs],
            "codes": [codes[:length] for (codes, _), length in zip(self._codes, lengths, strict=True)],
            "steps": [steps[:length] for (_, steps), length in zip(self._codes, lengths, strict=True)],
        }

    def _starts(self) -> list[int]:
        """Return the first slot of each block."""
        return [0, *range(self._first, self._first + _BLOCK * (len(self._blocks) - 1), _BLOCK)]

    def _place(self, slot: int) -> tuple[int, int]:
        if slot < self._first:
            return 0, slot
        number, place = divmod(slot - self._first, _BLOCK)
        return number + 1, place

    def _by_block(self, slots: Slots) -> Iterator[tuple[int, Slots, slice]]:
        """Return for each block that has any of the slots its number, their places in it and those among the slots."""
        starts = self._starts()
        at = 0
        for number, (start, end) in enumerate(
            zip(starts, np.searchsorted(slots, [*starts[1:], self._length]).tolist(), strict=True)
        ):
            if end > at:
                yield number, slots[at:end] - start, slice(at, end)
                at = end

    def _quantise(self) -> None:
        with self._quantising:
            while self._quantised < self._length:
                number, place = self._place(self._quantised)
                taken = min(_BLOCK - place, self._length - self._quantised)
                vectors = self._blocks[number][place : place + taken]
                signs, (codes, steps) = signs_of(vectors), codes_of(vectors)
                if place == 0:
                    self._signs.append(np.zeros((len(signs), _BLOCK), np.uint64))
                    self._codes.append((np.empty((_BLOCK, self._dimensions), np.int8), np.empty(_BLOCK, np.float32)))
                here = slice(place, place + taken)
                self._signs[number][:, here] = signs
                self._codes[number][0][here], self._codes[number][1][here] = codes, steps
                self._quantised += taken


def _pieces(slots: Slots) -> Iterator[Slots]:
    return (slots[start : start + _GATHERED] for start in range(0, len(slots), _GATHERED))


def highest(numbers: npt.NDArray[Any], count: int) -> Slots:
    """Return where the `count` highest numbers above 0 are, or all there are of these; in no order.

    Of a million it takes .3 ms, `argpartition` 7: no more of them are above the bound that `count` groups of
    neighbours reach than those groups have.
    """
    bound = reached(numbers, count)
    places = reaching(numbers, bound) if bound > 0 else np.flatnonzero(numbers)
    if len(places) <= count:
        return places
    return places[np.argpartition(numbers[places], len(places) - count)[len(places) - count :]]


def reaching(numbers: npt.NDArray[Any], bound: float) -> Slots:
    """Return where they are as high as that, ascending."""
    starts = range(0, len(numbers), _COMPARED)
    return np.concatenate([start + np.flatnonzero(numbers[start : start + _COMPARED] >= bound) for start in starts])


def reached(numbers: npt.NDArray[Any], count: int) -> float:
    """Return a number that at least `count` of them reach, and few more; 0 where they are few, or mostly 0."""
    together = len(numbers) // (4 * count)
    if together < _FEWEST_TOGETHER:
        return 0.0
    groups = numbers[: 4 * count * together].reshape(4 * count, together).max(axis=1)
    return float(np.partition(groups, 3 * count)[3 * count])
