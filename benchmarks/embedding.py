"""The embedder beside its floor: onnxruntime alone, its input already tokenised, the same model and threads.

Per text length: one text at a time (milliseconds) and many (texts per second; the floor runs batches of 32). In a
fresh process: how long the first vector takes, and how much memory the loaded model holds; the same for the very
first start, which converts the packaged weights.
"""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anyio
import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from memoryd.config import EmbeddingConfig
from memoryd.embedding import build_embedder
from memoryd.embedding.model import Precision
from memoryd.embedding.weights import Sources, Weights, fetch

LENGTHS = (60, 200, 600, 1200)
"""Characters of one text."""
BATCH = 32
BATCHES = 2
ROUNDS = 7
TEXT = "the login test fails at midnight because token expiry is computed in local time and not in coordinated one"

FRESH = """
import json, sys, time
start = time.perf_counter()
import psutil, anyio
from pathlib import Path
from memoryd.config import EmbeddingConfig
from memoryd.embedding import build_embedder
async def main():
    process = psutil.Process()
    before = process.memory_info().rss
    config = EmbeddingConfig(precision=sys.argv[1], threads=1)
    async with build_embedder(config, models=Path(sys.argv[2]), offline=True) as embedder:
        begun = time.perf_counter()
        await embedder.embed(["hello"])
        first = time.perf_counter() - begun
        loaded = process.memory_info().rss
        await embedder.embed([f"{number} " + "word " * 300 for number in range(64)])
        after = process.memory_info().rss
        figures = {"first_vector_s": first, "load_s": embedder.statistics().load_s, "rss_before_mb": before / 1e6,
                   "rss_loaded_mb": loaded / 1e6, "rss_after_bulk_mb": after / 1e6}
        print(json.dumps(figures))
anyio.run(main)
"""


def run() -> dict[str, Any]:
    """Measure fp32 and int8, print a table, return the figures."""
    with TemporaryDirectory() as folder:
        models = Path(folder)
        figures: dict[str, Any] = {}
        precisions: tuple[Precision, ...] = ("fp32", "int8")
        for precision in precisions:
            weights = fetch(Sources(models=models), precision)
            figures[precision] = {
                "lengths": anyio.run(_lengths, models, weights),
                "process": _fresh(models, precision),
                "first_start": _first_start(precision),
            }
            _print(precision, figures[precision])
    return figures


def _texts(length: int, count: int, offset: int) -> list[str]:
    """Return texts of about this many characters, no two alike, so that no vector is known already."""
    vocabulary = TEXT.split()
    texts: list[str] = []
    for number in range(offset, offset + count):
        words = [f"{number}"]
        while sum(len(word) + 1 for word in words) < length:
            words.append(vocabulary[(number + len(words)) % len(vocabulary)])
        texts.append(" ".join(words))
    return texts


class _Bare:
    """onnxruntime and nothing else; what tokenising costs is the embedder's to bear."""

    def __init__(self, weights: Weights) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = ort.InferenceSession(str(weights.model), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(weights.tokenizer))
        self._tokenizer.enable_truncation(256)
        self._tokenizer.enable_padding()

    def tokenised(self, texts: list[str]) -> dict[str, npt.NDArray[np.int64]]:
        encoded = self._tokenizer.encode_batch(texts)
        return {
            "input_ids": np.array([each.ids for each in encoded], np.int64),
            "attention_mask": np.array([each.attention_mask for each in encoded], np.int64),
        }

    def run(self, feeds: list[dict[str, npt.NDArray[np.int64]]]) -> float:
        start = perf_counter()
        for feed in feeds:
            self._session.run(None, feed)
        return perf_counter() - start


async def _lengths(models: Path, weights: Weights) -> dict[str, dict[str, float]]:
    bare = _Bare(weights)
    config = EmbeddingConfig(precision=weights.precision, threads=1)
    figures: dict[str, dict[str, float]] = {}
    async with build_embedder(config, models=models, offline=True) as embedder:
        await embedder.warm()
        for length in LENGTHS:
            best: dict[str, float] = {}
            # Turn about, so that what else the machine does disturbs both alike; the best of each is compared.
            for turn in range(ROUNDS):
                single = _texts(length, 10, 1_000_000 + turn * 1000)
                many = _texts(length, BATCH * BATCHES, turn * 1000)
                _keep(best, "bare_single", bare.run([bare.tokenised([text]) for text in single]) / len(single))
                _keep(best, "single", await _timed(lambda each: embedder.embed([each]), single) / len(single))
                batches = [bare.tokenised(many[start : start + BATCH]) for start in range(0, len(many), BATCH)]
                _keep(best, "bare_many", bare.run(batches) / len(many))
                _keep(best, "many", await _timed(embedder.embed, [many]) / len(many))
            figures[str(length)] = {
                "bare_single_ms": best["bare_single"] * 1e3,
                "single_ms": best["single"] * 1e3,
                "bare_texts_per_s": 1 / best["bare_many"],
                "texts_per_s": 1 / best["many"],
                "share_of_bare": best["bare_many"] / best["many"],
            }
    return figures


async def _timed(call: Callable[[Any], Awaitable[object]], arguments: list[Any]) -> float:
    start = perf_counter()
    for argument in arguments:
        await call(argument)
    return perf_counter() - start


def _keep(best: dict[str, float], name: str, seconds: float) -> None:
    best[name] = min(best.get(name, seconds), seconds)


def _fresh(models: Path, precision: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", FRESH, precision, str(models)],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _first_start(precision: str) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        return _fresh(Path(folder), precision)


def _print(precision: str, figures: dict[str, Any]) -> None:
    print(f"{precision}: characters  one at a time: bare, ours (ms)  many: bare, ours (texts/s), share of bare")
    for length, row in figures["lengths"].items():
        print(
            f"{length:>10} {row['bare_single_ms']:10.1f} {row['single_ms']:6.1f}"
            f" {row['bare_texts_per_s']:12.0f} {row['texts_per_s']:6.0f} {row['share_of_bare']:8.0%}"
        )
    for process in ("process", "first_start"):
        print(f"  {process}: " + ", ".join(f"{name} {value:.3g}" for name, value in figures[process].items()))


def main() -> None:
    run()


if __name__ == "__main__":
    main()
