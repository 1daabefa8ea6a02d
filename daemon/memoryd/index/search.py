"""One search: both sides at once, then for every candidate the score that its side did not give."""

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, cast

import anyio
import numpy as np

from memoryd.index.filters import one_of, predicate
from memoryd.index.words import match_query, query_words
from memoryd_actors.ports import Candidate, Vector, Vectors, Visibility

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb import AsyncTable

REFINED = 100
"""Vectors compared exactly behind the approximate index, at least; see `lance.QUANTISED_BITS`."""
_PROBES = 40
"""Partitions searched: all of them up to 300,000 rows. A filter empties partitions, so few are not enough."""
SMALL = 2_000
"""Rows up to which each side scores everything, and nothing is asked twice. It is not only faster: over rows that the
word index does not hold yet, LanceDB counts word frequencies among those that pass the filter only, so that the same
row restricted to a few ids has another score (0.9 for 5.9 in an empty index, 6.50 for 6.52 in one of 1,000 rows)."""


@dataclass(frozen=True, slots=True)
class Side:
    """Hits of one side: ids and their scores; the word side brings the vectors along."""

    ids: list[str]
    scores: list[float]
    vectors: Vectors | None = None


_NOTHING = Side([], [])


async def search(
    table: "AsyncTable", *, rows: int, vector: Vector | None, words: str, visible: Visibility, limit: int
) -> list[Candidate]:
    """Return the union of the nearest `limit` and the best `limit` by words, with exact cosine and BM25 of each.

    Best cosine first. Without a vector every cosine is 0.
    """
    where = predicate(visible)
    asked = query_words(words)
    small = rows <= SMALL
    reach = max(rows, limit) if small else limit
    near = near_words = by_words = _NOTHING

    async def vector_side() -> None:
        nonlocal near, near_words
        if vector is None:
            return
        near = await _nearest(table, vector, where, reach, exact=small)
        if near.ids and asked and not small:
            # Not only those that the word side misses: which these are is known later, and waiting costs more.
            near_words = await _matching(table, asked, one_of("id", near.ids), len(near.ids))

    async def word_side() -> None:
        nonlocal by_words
        if asked:
            by_words = await _matching(table, asked, where, reach, vectors=vector is not None and not small)

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(vector_side)
            group.start_soon(word_side)
    except BaseExceptionGroup as failed:
        # They fail for one reason, and the caller's translation looks for it bare.
        raise failed.exceptions[0] from None
    word_scores = dict(zip(near_words.ids, near_words.scores, strict=True))
    word_scores.update(zip(by_words.ids, by_words.scores, strict=True))
    cosines = dict(zip(near.ids, near.scores, strict=True))
    if vector is not None and by_words.vectors is not None:
        exact = by_words.vectors @ vector
        for one, cosine in zip(by_words.ids, exact.tolist(), strict=True):
            cosines.setdefault(one, cosine)
    union = dict.fromkeys([*near.ids[:limit], *by_words.ids[:limit]])
    found = [Candidate(one, cosines.get(one, 0.0), word_scores.get(one, 0.0)) for one in union]
    return sorted(found, key=lambda hit: (-hit.vector_score, -hit.word_score, hit.id))


async def _nearest(table: "AsyncTable", vector: Vector, where: str, limit: int, *, exact: bool) -> Side:
    query = (
        table.query()
        .nearest_to(vector)
        .column("vector")
        .distance_type("cosine")
        .where(where)
        .limit(limit)
        .maximum_nprobes(0)
        .minimum_nprobes(_PROBES)
        # Exact distances of the best, read from the vectors themselves; without an index it changes nothing.
        .refine_factor(max(2, ceil(REFINED / limit)))
        .select(["id", "_distance"])
    )
    found = await (query.bypass_vector_index() if exact else query).to_arrow()
    distances = found["_distance"].to_numpy()
    return Side(found["id"].to_pylist(), (1.0 - distances.astype(np.float64)).tolist())


async def _matching(table: "AsyncTable", words: str, where: str, limit: int, *, vectors: bool = False) -> Side:
    columns = ["id", "_score", "vector"] if vectors else ["id", "_score"]
    query = table.query().nearest_to_text(match_query(words)).where(where).limit(limit).select(columns)
    found = await query.to_arrow()
    return Side(
        found["id"].to_pylist(), found["_score"].to_pylist(), _matrix(found) if vectors and found.num_rows else None
    )


def _matrix(found: "pa.Table") -> Vectors:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    column = found["vector"].combine_chunks()
    flat = cast(Vectors, column.flatten().to_numpy(zero_copy_only=False))
    return flat.reshape(found.num_rows, -1)
