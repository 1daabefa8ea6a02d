"""Which of many sentences stand for all of them: the central ones, and no two of a kind."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from memoryd_actors.ports.embedder import Vectors

Scores = npt.NDArray[np.float32]
"""Shape (n,), float32, 0 to 1."""
DAMPING = 0.15
ROUNDS = 50
CONVERGED = 1e-5
RELEVANCE = 0.7
"""Share of the score against likeness to what is chosen already."""


def centrality(vectors: Vectors) -> Scores:
    """Return how central each is, the most central 1: continuous LexRank (Erkan and Radev, 2004, section 3.3).

    `vectors` are unit rows, shape (n, d). Cosines below zero count as none.
    """
    size = len(vectors)
    if size == 0:
        return np.zeros(0, np.float32)
    likeness = np.clip(vectors @ vectors.T, 0.0, 1.0)
    np.fill_diagonal(likeness, 0.0)
    sums = likeness.sum(axis=1, keepdims=True)
    moves = np.divide(likeness, sums, out=np.full_like(likeness, 1.0 / size), where=sums > 0)
    rank = np.full(size, 1.0 / size, np.float32)
    for _ in range(ROUNDS):
        moved = (DAMPING / size + (1.0 - DAMPING) * (rank @ moves)).astype(np.float32)
        settled = float(np.abs(moved - rank).sum()) < CONVERGED
        rank = moved
        if settled:
            break
    return np.asarray(rank / max(float(rank.max()), 1e-12), np.float32)


def chosen(vectors: Vectors, scores: Sequence[float], fits: Callable[[int], bool]) -> list[int]:
    """Return the places of the best that are unlike each other, best first: maximal marginal relevance.

    `fits` is asked of each in turn, and takes room for what it accepts (Carbonell and Goldstein, 1998).
    """
    left = list(range(len(vectors)))
    nearest = np.zeros(len(vectors), np.float32)
    weights = np.asarray(scores, np.float32)
    taken: list[int] = []
    while left:
        values = RELEVANCE * weights[left] - (1.0 - RELEVANCE) * nearest[left]
        best = left.pop(int(np.argmax(values)))
        if fits(best):
            taken.append(best)
            nearest = np.maximum(nearest, vectors @ vectors[best])
    return taken
