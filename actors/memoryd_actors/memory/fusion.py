"""Fusion: one score from meaning and words, for every candidate on both."""

from collections.abc import Iterable

import msgspec

VECTOR_WEIGHT = 0.7
"""0.7 of the cosine, 0.3 of the words."""


class Candidate(msgspec.Struct, frozen=True):
    """A memory that came up in a search, scored on both sides."""

    id: str
    vector_score: float
    """Cosine similarity, exact."""
    word_score: float
    """BM25 as the index computes it, not normalised; 0 where no word matches."""
    word_share: float = 0.0
    """Of the query's words those that it has, each counting as much as it is rare; 0 to 1."""
    passage: tuple[int, int] | None = None
    """Of a long memory, where the passage that was found begins and ends, in characters."""


class Ranked(msgspec.Struct, frozen=True):
    """A candidate with its place in the ranking."""

    id: str
    vector_score: float
    """Cosine, -1 to 1."""
    word_score: float
    """BM25 over the best BM25 of this search, 0 to 1."""
    score: float
    """Fused, 0 to 1."""
    boosts: tuple[tuple[str, float], ...] = ()
    """What `ranking` added to meaning and words, by name; what is not zero."""
    word_share: float = 0.0
    """Of the query's words those that it has, each counting as much as it is rare; 0 to 1."""
    passage: tuple[int, int] | None = None
    """Of a long memory, where the passage that was found begins and ends, in characters."""


def fuse(
    candidates: Iterable[Candidate], *, vector_weight: float = VECTOR_WEIGHT, minimum_cosine: float = -1.0
) -> list[Ranked]:
    """Return the candidates ranked by `w * max(cosine, 0) + (1 - w) * BM25 / best BM25`, best first.

    Every candidate must come with both scores: where a side that did not find it counts as zero, as stock fusions do,
    a fifth of the evidence is lost (LoCoMo R@5 .473 against .573). The order of the input does not matter; candidates
    with a cosine below `minimum_cosine` are left out after the words have been normalised.
    """
    pool = list(candidates)
    best = max((candidate.word_score for candidate in pool), default=0.0)
    ranked: list[Ranked] = []
    for candidate in pool:
        if candidate.vector_score < minimum_cosine:
            continue
        words = max(candidate.word_score, 0.0) / best if best > 0 else 0.0
        # Rounding makes the cosine of a text with itself 1.0000001.
        meaning = min(max(candidate.vector_score, 0.0), 1.0)
        score = min(vector_weight * meaning + (1.0 - vector_weight) * words, 1.0)
        share, passage = candidate.word_share, candidate.passage
        ranked.append(Ranked(candidate.id, candidate.vector_score, words, score, word_share=share, passage=passage))
    return sorted(ranked, key=lambda one: (-one.score, -one.vector_score, one.id))
