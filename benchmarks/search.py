"""A whole search, ledger and ranking included, beside LanceDB's two searches of the same table."""

import argparse
import json
import statistics
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import NoReturn

import anyio
import lancedb
import numpy as np

from benchmarks.home import PROJECT, fill, home, text
from memoryd.clock import SystemClock
from memoryd.config import Config
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, identity
from memoryd.embedding.service import EmbeddingService
from memoryd.index import LanceIndex
from memoryd.index.filters import predicate
from memoryd.index.search import REFINED
from memoryd.index.words import match_query, query_words
from memoryd.ledger import SqlLedger
from memoryd_actors.fusion import fuse
from memoryd_actors.indexer import Indexer
from memoryd_actors.ports import Vector, Visibility
from memoryd_actors.ranking import rank
from memoryd_actors.search import Searcher
from memoryd_actors.settings import RecallSettings
from memoryd_client.paths import Paths

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
    index = LanceIndex(paths.index, Config().index)
    await ledger.open()
    await index.open(model=identity(MINILM, "fp32"), dimensions=MINILM_DIMENSIONS)
    connection = await lancedb.connect_async(index.url)
    table = await connection.open_table("memories")
    visible = Visibility(owner="local", project=PROJECT)
    where = predicate(visible)
    # The query's vector is given: neither model nor indexer is needed.
    embedder = EmbeddingService(_no_model, identity="", dimensions=MINILM_DIMENSIONS)
    indexer = Indexer(ledger, index, embedder, lambda _: None)
    searcher = Searcher(embedder, index, indexer, ledger, RecallSettings())
    generator = np.random.default_rng(5)
    took: dict[str, list[float]] = {}

    async def timed(name: str, work: Callable[[], Awaitable[object]]) -> None:
        began = perf_counter()
        await work()
        took.setdefault(name, []).append((perf_counter() - began) * 1000)

    for _ in range(_ROUNDS + _WARM_UP):
        vector = generator.normal(size=MINILM_DIMENSIONS).astype(np.float32)
        vector /= np.linalg.norm(vector)
        words = text(generator, 8)
        near = table.query().nearest_to(vector).distance_type("cosine").where(where).limit(_LIMIT).nprobes(40)
        near = near.refine_factor(max(2, REFINED // _LIMIT)).select(["id", "_distance"])
        matching = table.query().nearest_to_text(match_query(query_words(words))).where(where).limit(_LIMIT)
        matching = matching.select(["id", "_score"])

        async def ours(vector: Vector = vector, words: str = words) -> object:
            return await searcher.sift(vector=vector, words=words, visible=visible, limit=10)

        await timed("search_ms", ours)
        await timed("lance_vector_ms", near.to_arrow)
        await timed("lance_words_ms", matching.to_arrow)
        candidates = fuse(await index.search(vector=vector, words=words, visible=visible, limit=_LIMIT))[:50]
        memories = await ledger.get(visible.owner, [one.id for one in candidates])
        pool = [(one, memories[one.id]) for one in candidates]
        began = perf_counter()
        rank(words, pool)
        took.setdefault("ranking_50_ms", []).append((perf_counter() - began) * 1000)
    await index.close()
    await ledger.close()
    figures = {name: statistics.median(times[_WARM_UP:]) for name, times in took.items()}
    figures["ratio"] = figures["search_ms"] / (figures["lance_vector_ms"] + figures["lance_words_ms"])
    return figures


def _no_model() -> NoReturn:
    raise AssertionError("nothing is embedded here")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    print(json.dumps(run(tuple(parser.parse_args().sizes)), indent=2))


if __name__ == "__main__":
    main()
