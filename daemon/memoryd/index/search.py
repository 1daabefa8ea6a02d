"""One search: both sides at once, then for every candidate the score that its side did not give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import anyio
import numpy as np
import numpy.typing as npt

from memoryd.index.addresses import ADDRESS, Addresses, matrix
from memoryd.index.filters import one_of, predicate
from memoryd.index.words import match_query, query_words
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector, Vectors

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb import AsyncTable
    from lancedb.query import AsyncFTSQuery, AsyncQuery, AsyncVectorQuery

REFINED = 50
"""Vectors compared exactly behind the approximate index, at least: six times as many as the nine that a write asks for,
which finds all of the nearest nine among 100,000 (four times as many .994, twice .964). Each takes 40 us to read."""
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


@dataclass(frozen=True, slots=True)
class Searched:
    """A table, and what lies where in it."""

    table: "AsyncTable"
    addresses: Addresses

    def query(self) -> "AsyncQuery":
        """Return an empty query.

        Not `table.query()`: that one asks for the table's schema at each search, to see whether there are columns for
        large objects, which takes 0.4 ms. There are none.
        """
        from lancedb.query import AsyncQuery

        return AsyncQuery(self.table._inner.query())  # pyright: ignore[reportPrivateUsage] - see above


async def search(
    searched: Searched, *, rows: int, vector: Vector | None, words: str, visible: Visibility, limit: int
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
        near = await _nearest(searched, vector, where, reach, exact=small)
        if near.ids and asked and not small:
            # Not only those that the word side misses: which these are is known later, and waiting costs more.
            near_words = await _matching(searched, asked, one_of("id", near.ids), len(near.ids))

    async def word_side() -> None:
        nonlocal by_words
        if asked:
            by_words = await _matching(searched, asked, where, reach, vectors=vector is not None and not small)

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
        exact = _products(by_words.vectors, vector)
        for one, cosine in zip(by_words.ids, exact.tolist(), strict=True):
            cosines.setdefault(one, cosine)
    union = dict.fromkeys([*near.ids[:limit], *by_words.ids[:limit]])
    found = [Candidate(one, cosines.get(one, 0.0), word_scores.get(one, 0.0)) for one in union]
    return sorted(found, key=lambda hit: (-hit.vector_score, -hit.word_score, hit.id))


async def vectors_of(table: "AsyncTable", ids: Sequence[str]) -> dict[str, Vector]:
    """Return the vectors of those memories that the table has."""
    found = await table.query().where(one_of("id", ids)).select(["id", "vector"]).limit(len(ids)).to_arrow()
    if not found.num_rows:
        return {}
    return dict(zip(found["id"].to_pylist(), matrix(found), strict=True))


async def _nearest(searched: Searched, vector: Vector, where: str, limit: int, *, exact: bool) -> Side:
    def query(reach: int) -> "AsyncVectorQuery":
        nearest = (
            searched.query()
            .nearest_to(vector)
            .column("vector")
            .distance_type("cosine")
            .where(where)
            .limit(reach)
            .maximum_nprobes(0)
            .minimum_nprobes(_PROBES)
        )
        return nearest.bypass_vector_index() if exact else nearest

    factor = max(2, ceil(REFINED / limit))
    if searched.addresses.keeps_vectors:
        reach = limit if exact else limit * factor
        found = await query(reach).select([ADDRESS, "_distance"]).to_arrow()
        rows = await searched.addresses.rows(searched.table, found[ADDRESS].to_numpy())
        if rows is not None and rows.vectors is not None:
            cosines = _products(rows.vectors, vector)
            best = np.argsort(-cosines, kind="stable")[:limit].tolist()
            return Side([rows.ids[n] for n in best], cosines[best].tolist())
    # Exact distances of the best, read from the vectors themselves; without an index it changes nothing.
    ids, found, _ = await _hits(searched, lambda: query(limit).refine_factor(factor), ["_distance"])
    return Side(ids, (1.0 - found["_distance"].to_numpy().astype(np.float64)).tolist())


async def _matching(searched: Searched, words: str, where: str, limit: int, *, vectors: bool = False) -> Side:
    def query() -> "AsyncFTSQuery":
        return searched.query().nearest_to_text(match_query(words)).where(where).limit(limit)

    # Vectors that are kept need not be read.
    read = vectors and not searched.addresses.keeps_vectors
    ids, found, kept = await _hits(searched, query, ["_score", "vector"] if read else ["_score"], vectors=vectors)
    if vectors and not read and kept is None:
        ids, found, _ = await _hits(searched, query, ["_score", "vector"])
        read = True
    return Side(ids, found["_score"].to_pylist(), (matrix(found) if read else kept) if vectors and ids else None)


async def _hits(  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    searched: Searched,
    query: Callable[[], "AsyncVectorQuery | AsyncFTSQuery"],
    columns: list[str],
    *,
    vectors: bool = False,
) -> tuple[list[str], "pa.Table", Vectors | None]:
    """Return the ids of a query's hits, the columns beside them, and the vectors where they are wanted and kept."""
    found = await query().select([ADDRESS, *columns]).to_arrow()
    rows = await searched.addresses.rows(searched.table, found[ADDRESS].to_numpy(), vectors=vectors)
    if rows is not None:
        return rows.ids, found, rows.vectors
    # Upkeep moved rows between the two. It does so every few minutes at most.
    found = await query().select(["id", *columns]).to_arrow()
    return found["id"].to_pylist(), found, None


def _products(vectors: Vectors, vector: Vector) -> npt.NDArray[np.float32]:
    """Return the inner product with each, without BLAS.

    BLAS spreads 2,000 products over threads that wait for one another: a median of 9 to 13 ms and 40 to 70 at p95 where
    other programs want both cores, against 0.19 and 1; with one thread, 0.33. Up to 100 they are alike, 0.06 ms.
    """
    products: npt.NDArray[np.float32] = np.einsum("ij,j->i", vectors, vector)
    return products
