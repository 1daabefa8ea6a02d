"""The `MessageIndex` port over LanceDB: a table of its own, in a folder of its own, beside the one of memories."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import numpy as np
from anyio import CapacityLimiter, to_thread

from memoryd.config import IndexConfig
from memoryd.index.connection import hand_back
from memoryd.index.failures import translated
from memoryd.index.filters import one_of
from memoryd.index.message_table import NAME, PLACE, SHOWN, of_session, predicate, schema, table
from memoryd.index.vector_table import VectorTable
from memoryd.index.words import match_query, query_words
from memoryd_actors.core.errors import IndexDamaged
from memoryd_actors.ports.embedder import Vector, Vectors
from memoryd_actors.ports.transcripts import Key, MessageCandidate, MessageRow, Wanted

if TYPE_CHECKING:
    import pyarrow as pa

_CACHE_SHARE = 0.25
"""Of the caches that the index of memories has: this one is asked now and then, that one on every turn."""
T = TypeVar("T")
_Found = dict[str, dict[str, Any]]
"""Rows by their ids, as `SHOWN` has them."""


class LanceMessages:
    """Finds what was said; see `memoryd_actors.ports.transcripts.MessageIndex`."""

    def __init__(self, url: Path | str, config: IndexConfig) -> None:
        self._messages = VectorTable(url, NAME, schema, full_text="text", share=_CACHE_SHARE)
        self._heard = 0
        self._config = config
        self._turn = anyio.Lock()
        self._threads = CapacityLimiter(1)

    @property
    def cached_bytes(self) -> int:
        """What LanceDB keeps of the index in memory, in bytes, as it estimates it."""
        return self._messages.cached_bytes

    async def open(self, *, model: str, dimensions: int) -> dict[Key, int]:
        """Open or create the table; see the port. One of another model or layout, or a damaged one, begins anew.

        Raises:
            DiskFull: there was no space to create it.
            Unavailable: it may not be read.
        """
        async with self._turn:
            try:
                about = await self._messages.open(model=model, dimensions=dimensions)
                self._heard = int(about.get("heard", "0"))
                with translated(self._messages.url):
                    await self._messages.table.query().select(["vector"]).limit(1).to_arrow()
                    found = await self._messages.table.query().select(["owner", *PLACE]).to_arrow()
            except IndexDamaged:
                await self._begin(model, dimensions)
                return {}
            return await to_thread.run_sync(_heads, found, limiter=self._threads)

    @property
    def heard(self) -> int:
        return self._heard

    async def note_heard(self, changed: int) -> None:
        async with self._turn:
            with translated(self._messages.url):
                await self._messages.remember("heard", str(changed))
            self._heard = changed

    async def apply(self, rows: Sequence[MessageRow]) -> None:
        if not rows:
            return
        batch = await to_thread.run_sync(table, rows, self._messages.dimensions, limiter=self._threads)
        async with self._turn:
            with translated(self._messages.url):
                upsert = self._messages.table.merge_insert("id").when_matched_update_all()
                # Rows that wait for their vectors have none; LanceDB takes that for a mistake otherwise.
                await upsert.when_not_matched_insert_all().execute(batch, on_bad_vectors="null")

    async def search(self, wanted: Wanted, *, vector: Vector | None, words: str, limit: int) -> list[MessageCandidate]:
        if vector is not None and len(vector) != self._messages.dimensions:
            vector = None  # embedded just before another model's index was put in place
        asked = query_words(words)
        return await self._undisturbed(lambda: self._search(predicate(wanted), vector, asked, limit))

    async def newest(self, wanted: Wanted, *, limit: int, offset: int) -> list[tuple[str, int]]:
        async def read() -> list[tuple[str, int]]:
            found = await self._messages.table.query().where(predicate(wanted)).select(["at", *PLACE]).to_arrow()
            # Of one moment, what was said later has the higher number.
            order = np.lexsort((found["sequence"].to_numpy(), found["at"].to_numpy()))[::-1][offset : offset + limit]
            chosen = found.take(order)
            return list(zip(chosen["session"].to_pylist(), chosen["sequence"].to_pylist(), strict=True))

        return await self._undisturbed(read)

    async def lacking(self, limit: int) -> list[tuple[Key, int]]:
        with translated(self._messages.url):
            query = self._messages.table.query().where("vector IS NULL").limit(limit)
            found = await query.select(["owner", *PLACE]).to_arrow()
        return [((row["owner"], row["session"]), row["sequence"]) for row in found.to_pylist()]

    async def remove(self, key: Key) -> None:
        async with self._turn:
            with translated(self._messages.url):
                await self._messages.rewrite(self._config.keep_versions_s, where=f"NOT ({of_session(key)})")
        await hand_back()

    async def optimise(self) -> None:
        async with self._turn:
            with translated(self._messages.url):
                await self._messages.optimise(self._config.keep_versions_s)
        await hand_back()

    async def reset(self, *, model: str, dimensions: int) -> None:
        async with self._turn:
            await self._begin(model, dimensions)

    async def close(self) -> None:
        async with self._turn:
            self._messages.close()

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None]:
        """Let nobody write for the moment."""
        async with self._turn:
            yield

    def exchange(self, other: "LanceMessages") -> None:
        """Have what the other one has, and give it what was here; both are `held`."""
        self._messages, other._messages = other._messages, self._messages
        self._heard, other._heard = other._heard, self._heard

    async def _undisturbed(self, read: Callable[[], Awaitable[T]]) -> T:
        """Read; once more in turn where the table was rewritten meanwhile, because a session is destroyed."""
        with translated(self._messages.url):
            try:
                return await read()
            except (RuntimeError, ValueError, OSError):
                async with self._turn:
                    return await read()

    async def _search(self, where: str, vector: Vector | None, asked: str, limit: int) -> list[MessageCandidate]:
        rows: _Found = {}
        cosines: dict[str, float] = {}
        words: dict[str, float] = {}
        if vector is not None:
            nearest = (
                self._messages.table.query().nearest_to(vector).column("vector").distance_type("cosine").where(where)
            )
            found = await nearest.limit(limit).select(["id", *SHOWN, "_distance"]).to_arrow()
            rows |= _rows(found)
            distances = found["_distance"].to_pylist()
            cosines = {one: 1.0 - far for one, far in zip(found["id"].to_pylist(), distances, strict=True)}
        if asked:
            by_words = await self._matching(asked, where, limit, whole_ties=vector is None)
            rows |= _rows(by_words)
            words = dict(zip(by_words["id"].to_pylist(), by_words["_score"].to_pylist(), strict=True))
            # What one side alone has found has a score on the other, too.
            if unmatched := [cosine for cosine in cosines if cosine not in words]:
                more = await self._matching(asked, one_of("id", unmatched), len(unmatched))
                words |= dict(zip(more["id"].to_pylist(), more["_score"].to_pylist(), strict=True))
            if vector is not None and (uncompared := [word for word in words if word not in cosines]):
                cosines |= await self._cosines(uncompared, vector)
        return [MessageCandidate(one, cosines.get(one, 0.0), words.get(one, 0.0), **row) for one, row in rows.items()]

    async def _matching(self, words: str, where: str, limit: int, *, whole_ties: bool = False) -> "pa.Table":  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
        """Return the best by words; with `whole_ties` also the others that are as good as the last of them.

        Which ones of several that score the same a limit cuts off is left to chance: then the pages of a list that is
        read on and on would overlap, and leave out others.
        """
        asked = limit
        while True:
            query = self._messages.table.query().nearest_to_text(match_query(words)).where(where).limit(asked)
            found = await query.select(["id", *SHOWN, "_score"]).to_arrow()
            if not whole_ties or found.num_rows < asked:
                return found
            scores = np.sort(found["_score"].to_numpy())[::-1]
            if scores[-1] < scores[limit - 1]:
                return found
            asked *= 4

    async def _cosines(self, ids: Sequence[str], vector: Vector) -> dict[str, float]:
        where = f"{one_of('id', ids)} AND vector IS NOT NULL"
        found = await self._messages.table.query().where(where).select(["id", "vector"]).to_arrow()
        if not found.num_rows:
            return {}
        flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        vectors: Vectors = flat.reshape(found.num_rows, -1)
        if vectors.shape[1] != len(vector):
            return {}  # another model's index was put in place meanwhile
        exact: Vector = np.einsum("ij,j->i", vectors, vector)
        return dict(zip(found["id"].to_pylist(), exact.tolist(), strict=True))

    async def _begin(self, model: str, dimensions: int) -> None:
        await self._messages.begin(model=model, dimensions=dimensions)
        self._heard = 0
        await self._messages.discard_aside()


def _rows(found: "pa.Table") -> _Found:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    return dict(zip(found["id"].to_pylist(), found.select(SHOWN).to_pylist(), strict=True))


def _heads(found: "pa.Table") -> dict[Key, int]:  # pyright: ignore[reportUnknownParameterType] - pyarrow ships no types
    newest = found.group_by(["owner", "session"]).aggregate([("sequence", "max")]).to_pylist()
    return {(row["owner"], row["session"]): row["sequence_max"] for row in newest}
