"""How fast the daemon starts, how small it stays, how fast it takes memories in."""

import statistics
import subprocess
import sys
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.home import Running, bare_model, daemon, fill, home, text, wait_for_model
from memoryd_client import NewMemory

BULK = 2_000


def run() -> dict[str, Any]:
    figures: dict[str, Any] = {"import_client_ms": _import_ms("import memoryd_client; memoryd_client.Client")}
    figures["import_nothing_ms"] = _import_ms("pass")
    print(
        f"import memoryd_client: {figures['import_client_ms']:.0f} ms, "
        f"python alone {figures['import_nothing_ms']:.0f} ms"
    )
    with home() as paths:
        fill(paths, 10_000)
        for precision in ("fp32", "int8"):
            if precision == "int8":
                # Another model: its index is another one, built by the daemon itself.
                continue
            with daemon(paths, MEMORYD_EMBEDDING_PRECISION=precision):
                pass  # the first start converts and caches the weights
            ready, loaded = [], []
            for _ in range(5):
                with daemon(paths, MEMORYD_EMBEDDING_PRECISION=precision) as running:
                    ready.append(running.ready_s)
                    loaded.append(running.ready_s + wait_for_model(running))
            figures["ready_s"], figures["model_s"] = statistics.median(ready), statistics.median(loaded)
            print(f"ready {figures['ready_s']:.2f} s, model and index loaded {figures['model_s']:.2f} s")
            with daemon(paths, MEMORYD_EMBEDDING_PRECISION=precision) as running:
                wait_for_model(running)
                figures["resident_mb_10000"] = _used(running)
                print(f"resident with 10,000 memories, after 100 searches: {figures['resident_mb_10000']:.0f} MB")
                figures["remember_ms"] = _remember_ms(running)
                print(f"acknowledged remember: {figures['remember_ms']:.1f} ms")
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        figures["bulk"] = _bulk(running)
        print(f"bulk import: {figures['bulk']}")
    with home() as paths:
        with daemon(paths, MEMORYD_EMBEDDING_PRECISION="int8") as running:
            wait_for_model(running)
            _bulk(running)
            figures["resident_mb_int8"] = _used(running)
        print(f"resident with int8: {figures['resident_mb_int8']:.0f} MB")
    return figures


def _import_ms(code: str) -> float:
    times = []
    for _ in range(10):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(perf_counter() - start)
    return statistics.median(times) * 1000


def _used(running: Running) -> float:
    generator = np.random.default_rng(5)
    with running.client("resident") as client:
        for _ in range(100):
            client.search(text(generator, 12))
    return running.resident_mb()


def _remember_ms(running: Running) -> float:
    generator = np.random.default_rng(9)
    times = []
    with running.client("writer") as client:
        for number in range(100):
            content = f"{text(generator, 20)} remembered {number}"
            start = perf_counter()
            client.remember(content)
            times.append(perf_counter() - start)
    return statistics.median(times) * 1000


def _bulk(running: Running) -> dict[str, float]:
    """Import memories until they are searchable, beside the bare model on the same texts in batches of 32."""
    generator = np.random.default_rng(13)
    contents = [f"{text(generator, 30)} imported {number}" for number in range(BULK)]
    model = bare_model(running.paths)
    start = perf_counter()
    for begin in range(0, BULK, 32):
        model.encode(contents[begin : begin + 32], max_tokens=256)
    bare = BULK / (perf_counter() - start)
    with running.client("import") as client:
        start = perf_counter()
        client.remember_many([NewMemory(content=content) for content in contents])
        while client.status().components["index"].numbers["behind"]:
            pass
        rate = BULK / (perf_counter() - start)
    return {"texts_per_s": rate, "bare_texts_per_s": bare, "share": rate / bare}


def main() -> None:
    run()


if __name__ == "__main__":
    main()
