"""Vectors in fewer bits, for finding which of many are worth reading whole: a bit a number, and eight."""

import numpy as np
import numpy.typing as npt

from memoryd_actors.ports.embedder import Vector, Vectors

Signs = npt.NDArray[np.uint64]
"""64 signs in a number: a row for each such number, a column a vector."""
Codes = npt.NDArray[np.int8]
"""A row a vector: its numbers in steps of its own size, of which the largest number has 127."""
Steps = npt.NDArray[np.float32]
"""The size of a step of each vector."""


def signs_of(vectors: Vectors) -> Signs:
    """Return which numbers of vectors are above 0; what is missing to a whole 64 is not."""
    packed = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(whole.view(np.uint64).T)


def codes_of(vectors: Vectors) -> tuple[Codes, Steps]:
    """Return vectors in eight bits a number: a cosine of them is off by a thousandth or two."""
    steps = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), np.finfo(np.float32).tiny).astype(np.float32) / 127
    return np.rint(vectors / steps[:, None]).astype(np.int8), steps


def tables_of(vector: Vector, signs: int) -> npt.NDArray[np.float32]:
    """Return, for each eight numbers of a vector, what they add up to where the signs of another are any eight."""
    numbers = np.zeros(signs, np.float32)
    numbers[: len(vector)] = vector
    any_eight = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    return np.asarray(np.einsum("ni,si->ns", numbers.reshape(-1, 8), any_eight.astype(np.float32)), np.float32)
