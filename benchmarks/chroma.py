"""A search in memoryd beside one in Chroma, embedded in this process, on as many vectors and with the same weights.

`pip install chromadb` first: nothing else here needs it. Chroma looks up what is nearest; memoryd searches words as
well, ranks, and answers over its socket. The floor of both is one run of the model on the words.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
from contextlib import closing
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.home import bare_model, daemon, fill, home, text, wait_for_model
from memoryd.embedding.model import MINILM_DIMENSIONS

ROUNDS = 60
WARM_UP = 8
BATCH = 1_000


def run(sizes: tuple[int, ...] = (1_000, 10_000, 100_000)) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for size in sizes:
        with home() as paths, tempfile.TemporaryDirectory() as folder:
            fill(paths, size)
            with closing(sqlite3.connect(paths.ledger, isolation_level=None)) as raw:
                raw.execute("UPDATE memories SET compared = 1")  # or it is compared in the background meanwhile
            collection = _collection(folder, size)
            with daemon(paths) as running, running.client("chroma") as client:
                wait_for_model(running)
                model = bare_model(paths)
                generator = np.random.default_rng(23)
                took: dict[str, list[float]] = {"model_ms": [], "memoryd_ms": [], "chroma_ms": []}
                for number in range(ROUNDS + WARM_UP):
                    # Every model run is on text that is new to it.
                    asked = [f"{text(generator, 12)} {kind} {number}" for kind in took]
                    began = perf_counter()
                    model.encode([asked[0]], max_tokens=256)
                    took["model_ms"].append((perf_counter() - began) * 1000)
                    began = perf_counter()
                    client.search(asked[1], limit=5)
                    took["memoryd_ms"].append((perf_counter() - began) * 1000)
                    began = perf_counter()
                    vector = model.encode([asked[2]], max_tokens=256)[0]
                    collection.query(query_embeddings=[vector], n_results=5)
                    took["chroma_ms"].append((perf_counter() - began) * 1000)
        figures[str(size)] = measured = {name: statistics.median(times[WARM_UP:]) for name, times in took.items()}
        print(
            f"{size:>7} memories: " + ", ".join(f"{name} {value:.2f}" for name, value in measured.items()), flush=True
        )
    return figures


def _collection(folder: str, size: int) -> Any:
    """Return a collection of clustered unit vectors, as `fill` has them, with texts of the same vocabulary."""
    import chromadb  # pyright: ignore[reportMissingImports] - not a dependency

    collection = chromadb.PersistentClient(folder).create_collection("memories", metadata={"hnsw:space": "cosine"})
    generator = np.random.default_rng(7)
    centres = generator.normal(size=(200, MINILM_DIMENSIONS))
    for begin in range(0, size, BATCH):
        count = min(BATCH, size - begin)
        vectors = centres[generator.integers(0, 200, count)] + 0.7 * generator.normal(size=(count, MINILM_DIMENSIONS))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        collection.add(
            ids=[str(begin + number) for number in range(count)],
            embeddings=vectors.astype(np.float32),
            documents=[f"{text(generator, 24)} note {begin + number}" for number in range(count)],
        )
    return collection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    print(json.dumps(run(tuple(parser.parse_args().sizes)), indent=2))


if __name__ == "__main__":
    main()
