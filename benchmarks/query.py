"""`memory.query` through the socket, beside its two indispensable parts in this process: one model run, one search.

The floor is the bare model on the query's text and then the index alone on the same table: no ledger, no ranking, no
counting of tokens, no socket. The goal is less than 150 ms, and 1.3 times one run of the model.
"""

import argparse
import json
import sqlite3
import statistics
from contextlib import closing
from time import perf_counter

import anyio
import numpy as np

from benchmarks.home import PROJECT, Running, bare_model, daemon, fill, home, text, wait_for_model
from memoryd.config import Config
from memoryd.embedding.model import MINILM, MINILM_DIMENSIONS, identity
from memoryd.index import LanceIndex
from memoryd_actors.memory.visibility import Visibility

ROUNDS = 60
WARM_UP = 8


def run(sizes: tuple[int, ...] = (1_000, 10_000, 100_000)) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for size in sizes:
        with home() as paths:
            fill(paths, size)
            with closing(sqlite3.connect(paths.ledger, isolation_level=None)) as raw:
                raw.execute("UPDATE memories SET compared = 1")  # or it is compared in the background meanwhile
            with daemon(paths) as running:
                wait_for_model(running)
                figures[str(size)] = measured = anyio.run(_measure, running)
        print(
            f"{size:>7} memories: " + ", ".join(f"{name} {value:.2f}" for name, value in measured.items()), flush=True
        )
    return figures


async def _measure(running: Running) -> dict[str, float]:
    model = bare_model(running.paths)
    index = LanceIndex(running.paths.index, Config().index)
    await index.open(model=identity(MINILM, "fp32"), dimensions=MINILM_DIMENSIONS)
    visible = Visibility(owner="local", project=PROJECT)
    generator = np.random.default_rng(21)
    took: dict[str, list[float]] = {}

    def note(name: str, began: float) -> None:
        took.setdefault(name, []).append((perf_counter() - began) * 1000)

    with running.client("query") as client:
        for number in range(ROUNDS + WARM_UP):
            # Every model run is on text that is new to it.
            asked = [f"{text(generator, 12)} {kind} {number}" for kind in ("bullets", "full", "search", "floor")]
            began = perf_counter()
            found = client.query(asked[0])
            note("query_ms", began)
            assert found.counted
            began = perf_counter()
            client.query(asked[1], returns="full", top_k=10, budget_tokens=2000)
            note("query_full_10_ms", began)
            began = perf_counter()
            client.search(asked[2], limit=3)
            note("search_ms", began)
            began = perf_counter()
            vector = model.encode([asked[3]], max_tokens=256)[0]
            note("model_ms", began)
            await index.search(vector=vector, words=asked[3], visible=visible, limit=50)
            note("floor_ms", began)
    await index.close()
    figures = {name: statistics.median(times[WARM_UP:]) for name, times in took.items()}
    return {
        **figures,
        "ratio": figures["query_ms"] / figures["floor_ms"],
        "ratio_to_model": figures["query_ms"] / figures["model_ms"],
        "ratio_to_search": figures["query_ms"] / figures["search_ms"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    print(json.dumps(run(tuple(parser.parse_args().sizes)), indent=2))


if __name__ == "__main__":
    main()
