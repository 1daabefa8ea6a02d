"""A whole search, ledger and ranking included, beside its indispensable parts.

The floor is the index alone, then the rows of its 50 best from the ledger's file, as SQLite has them. `python_50_ms` is
fusion, visibility and ranking of 50 candidates, with index and ledger answering from memory; `decoding_50_ms` what
making memories of 50 rows adds.
"""

import argparse
import json
import sqlite3
import statistics
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NoReturn

import anyio
import numpy as np

from benchmarks.home import PROJECT, fill, home, text
from memoryd.clock import SystemClock
from memoryd.config import Config
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, identity
from memoryd.embedding.service import EmbeddingService
from memoryd.index import LanceIndex
from memoryd.ledger import SqlLedger
from memoryd.ledger.memories import SqlMemories
from memoryd.ledger.rows import memory_of, memory_row
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.memory.fusion import Candidate, fuse
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.searching.ranking import rank
from memoryd_actors.searching.search import Searcher
from memoryd_client.base.paths import Paths
from memoryd_client.wire.memory import Memory

SIZES = (10_000, 100_000)
_LIMIT = 50
_ROUNDS = 60
_WARM_UP = 8


def run(sizes: tuple[int, ...] = SIZES) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for size in sizes:
        with home() as paths:
            fill(paths, size)
            figures[str(size)] = measured = anyio.run(_measure, paths)
        print(
            f"{size:>7} memories: " + ", ".join(f"{name} {value:.2f}" for name, value in measured.items()), flush=True
        )
    return figures


async def _measure(paths: Paths) -> dict[str, float]:
    ledger = SqlLedger(paths.ledger, backups=paths.backups, clock=SystemClock())
    memories = _Memories(ledger.database)
    index = _Index(paths.index, Config().index)
    await ledger.open()
    await index.open(model=identity(MINILM, "fp32"), dimensions=MINILM_DIMENSIONS)
    visible = Visibility(owner="local", project=PROJECT)
    # The query's vector is given: neither model nor indexer is needed.
    embedder = EmbeddingService(_no_model, identity="", dimensions=MINILM_DIMENSIONS)
    indexer = Indexer(ledger, index, embedder, lambda _: None)
    searcher = Searcher(embedder, index, indexer, memories, RecallSettings())
    generator = np.random.default_rng(5)
    took: dict[str, list[float]] = {}
    raw = sqlite3.connect(paths.ledger)

    async def timed(name: str, work: Callable[[], Awaitable[object]]) -> None:
        began = perf_counter()
        await work()
        took.setdefault(name, []).append((perf_counter() - began) * 1000)

    def measured(name: str, work: Callable[[], object]) -> None:
        began = perf_counter()
        work()
        took.setdefault(name, []).append((perf_counter() - began) * 1000)

    for _ in range(_ROUNDS + _WARM_UP):
        vector = generator.normal(size=MINILM_DIMENSIONS).astype(np.float32)
        vector /= np.linalg.norm(vector)
        words = text(generator, 8)

        async def ours(vector: Vector = vector, words: str = words) -> object:
            return await searcher.sift(vector=vector, words=words, visible=visible, limit=10)

        await timed("search_ms", ours)

        async def floor(vector: Vector = vector, words: str = words) -> object:
            found = await index.search(vector=vector, words=words, visible=visible, limit=_LIMIT)
            ids = [one.id for one in found[:50]]
            return [raw.execute("SELECT * FROM memories WHERE id = ?", (one,)).fetchone() for one in ids]

        await timed("floor_ms", floor)
        candidates = (await index.search(vector=vector, words=words, visible=visible, limit=_LIMIT))[:50]
        kept = await ledger.memories.get(visible.owner, [one.id for one in candidates])
        rows = [memory_row(memory) for memory in kept.values()]
        measured("decoding_50_ms", partial(_decoded, rows))
        pool = [(one, kept[one.id]) for one in fuse(candidates)]
        measured("ranking_50_ms", partial(rank, words, pool))
        index.known, memories.known = candidates, kept
        await timed("python_50_ms", ours)
        index.known = memories.known = None
    raw.close()
    await index.close()
    await ledger.close()
    return _figures(took)


def _figures(took: dict[str, list[float]]) -> dict[str, float]:
    figures = {name: statistics.median(times[_WARM_UP:]) for name, times in took.items()}
    figures["ratio"] = figures["search_ms"] / figures["floor_ms"]
    return figures


class _Index(LanceIndex):
    """Answers from memory where it is given an answer."""

    known: list[Candidate] | None = None

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        if self.known is not None:
            return self.known
        return await super().search(vector=vector, words=words, visible=visible, limit=limit)


class _Memories(SqlMemories):
    """Answers from memory where it is given an answer."""

    known: dict[str, Memory] | None = None

    async def get(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        return await super().get(owner, ids) if self.known is None else self.known


def _decoded(rows: Sequence[dict[str, Any]]) -> list[Memory]:
    return [memory_of(row) for row in rows]


def _no_model() -> NoReturn:
    raise AssertionError("nothing is embedded here")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    print(json.dumps(run(tuple(parser.parse_args().sizes)), indent=2))


if __name__ == "__main__":
    main()
