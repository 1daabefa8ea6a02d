"""Arrays that grow by appending."""

from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from memoryd.index.kept import Arrays, Parts
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
Signs = npt.NDArray[np.uint64]
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
    """One vector for each slot: those from a file, then blocks that are never copied; and the signs of its numbers."""

    def __init__(self, dimensions: int, kept: Arrays | None = None) -> None:
        self._dimensions = dimensions
        first: Vectors = kept["vectors"] if kept else np.empty((0, dimensions), np.float32)
        self._blocks = [first]
        self._signs: list[Signs] = [kept["signs"].reshape(-1, len(first)) if kept else _signs(first)]
        """For each block that has been asked for: 64 signs in a number, a row for each such number, a column a slot."""
        self._signed = self._length = self._first = len(first)
        self._signing = Lock()
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
        starts = self._starts()
        ends = np.searchsorted(slots, [*starts[1:], self._length])
        at = 0
        for block, start, end in zip(self._blocks, starts, ends.tolist(), strict=True):
            here = slots[at:end] - start
            filled = block[: self._length - start]
            if 2 * len(here) > len(filled):  # all of them, and no copy
                found[at:end] = np.einsum("ij,j->i", filled, vector)[here]
            else:
                for first in range(0, len(here), _GATHERED):
                    last = min(first + _GATHERED, len(here))
                    found[at + first : at + last] = np.einsum("ij,j->i", block[here[first:last]], vector)
            at = end
        return found

    def likely(self, vector: Vector, seen: Seen, count: int) -> Slots:
        """Return the `count` slots that are seen whose vectors have the most signs in common with this one, ascending.

        Of 100,000 it takes 1 ms, of a million 8. Among the 1,000 best are .998 of the ten nearest of a million, and
        .987 of the fifty nearest; for what is unlike everything stored that is .961 and .889, of 4,000 .992 and .974.
        """
        self._sign()
        asked = _signs(vector[None, :])[:, 0]
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
        Of 6,000 it takes 1.4 ms. Of what `likely` finds of a million, hardly anything is lost among the best 1,000:
        they have .992 of the ten nearest of what is unlike everything stored, and .978 of the fifty nearest.
        """
        if len(slots) <= count:
            return slots
        self._sign()
        starts = self._starts()
        ends = np.searchsorted(slots, [*starts[1:], self._length])
        pieces = np.split(slots, ends[:-1])
        signs = [block[:, here - start] for block, here, start in zip(self._signs, pieces, starts, strict=True)]
        sums = np.zeros(len(slots), np.float32)
        tables = iter(_tables(vector, 64 * len(signs[0])))
        for one in np.concatenate(signs, axis=1):
            for eight in np.ascontiguousarray(one).view(np.uint8).reshape(-1, 8).T:
                sums += next(tables)[eight]
        return slots[np.sort(np.argpartition(-sums, count)[:count])]

    def parts(self) -> Parts:
        """Return what a file holds of them."""
        self._sign()
        lengths = [
            min(len(block), self._length - start) for block, start in zip(self._blocks, self._starts(), strict=True)
        ]
        signs = [block[:, :length] for block, length in zip(self._signs, lengths, strict=True)]
        return {
            "vectors": [block[:length] for block, length in zip(self._blocks, lengths, strict=True)],
            "signs": [block[row] for row in range(len(signs[0])) for block in signs],
        }

    def _starts(self) -> list[int]:
        """Return the first slot of each block."""
        return [0, *range(self._first, self._first + _BLOCK * (len(self._blocks) - 1), _BLOCK)]

    def _place(self, slot: int) -> tuple[int, int]:
        if slot < self._first:
            return 0, slot
        number, place = divmod(slot - self._first, _BLOCK)
        return number + 1, place

    def _sign(self) -> None:
        with self._signing:
            while self._signed < self._length:
                number, place = self._place(self._signed)
                taken = min(_BLOCK - place, self._length - self._signed)
                signs = _signs(self._blocks[number][place : place + taken])
                if place == 0:
                    self._signs.append(np.zeros((len(signs), _BLOCK), np.uint64))
                self._signs[number][:, place : place + taken] = signs
                self._signed += taken


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


def _tables(vector: Vector, signs: int) -> npt.NDArray[np.float32]:
    """Return, for each eight numbers of a vector, what they add up to where the signs of another are any eight."""
    numbers = np.zeros(signs, np.float32)
    numbers[: len(vector)] = vector
    any_eight = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    return np.asarray(np.einsum("ni,si->ns", numbers.reshape(-1, 8), any_eight.astype(np.float32)), np.float32)


def _signs(vectors: Vectors) -> Signs:
    packed = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(whole.view(np.uint64).T)
