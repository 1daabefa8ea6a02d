"""Which pairs of memories are as near as a second look asks for. Pure."""

import msgspec
import numpy as np
import numpy.typing as npt

from memoryd_actors.ports.embedder import Vectors

ROWS = 256
"""Compared with all in one go: 30 ms beside 10,000 memories, on one core."""


class Band(msgspec.Struct, frozen=True):
    """From `low` on, below `high`; cosines."""

    low: float
    high: float


class Near(msgspec.Struct, frozen=True):
    """Places of two vectors, and their cosine; as arrays of equal length."""

    one: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    cosine: npt.NDArray[np.float32]

    def nearest(self, most: int) -> "Near":
        """Return the nearest, nearest first; of equally near ones those that came first."""
        order = np.argsort(-self.cosine, kind="stable")[:most]
        return Near(self.one[order], self.other[order], self.cosine[order])

    def and_(self, more: "Near") -> "Near":
        """Return both."""
        return Near(
            np.concatenate([self.one, more.one]),
            np.concatenate([self.other, more.other]),
            np.concatenate([self.cosine, more.cosine]),
        )


NOTHING = Near(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


def near(vectors: Vectors, start: int, looked_at: npt.NDArray[np.bool_], band: Band) -> Near:
    """Return the pairs within the band that one of `ROWS` vectors from `start` on makes with a later one.

    `vectors` are unit rows, shape (n, d). One of the two at least is looked at.
    """
    rows = vectors[start : start + ROWS]
    cosines = rows @ vectors[start:].T
    within = (cosines >= band.low) & (cosines < band.high)
    within &= looked_at[start : start + ROWS, None] | looked_at[None, start:]
    # Each pair once, and none with itself.
    one, other = np.nonzero(np.triu(within, k=1))
    return Near(one.astype(np.int64) + start, other.astype(np.int64) + start, cosines[one, other])
