"""How fast the daemon starts, how small it stays, how fast it takes memories in."""

import statistics
import subprocess
import sys
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.home import Running, at_rest, bare_model, daemon, fill, home, text, wait_for_model
from memoryd_client import NewMemory

BULK = 2_000


def run() -> dict[str, Any]:
    figures: dict[str, Any] = {"import_client_ms": _import_ms("import memoryd_client; memoryd_client.Client")}
    figures["import_nothing_ms"] = _import_ms("pass")
    print(
        f"import memoryd_client: {figures['import_client_ms']:.0f} ms, "
        f"python alone {figures['import_nothing_ms']:.0f} ms"
    )
    for precision in ("fp32", "int8"):
        figures[precision] = measured = _life(precision)
        print(
            f"{precision}: ready {measured['ready_s']:.2f} s, model and index loaded {measured['loaded_s']:.2f} s; "
            f"10,000 memories resident in {measured['loaded_mb']:.0f} MB, after 100 searches "
            f"{measured['searched_mb']:.0f}, after 100 writes {measured['written_mb']:.0f}; "
            f"acknowledged remember {measured['remember_ms']:.1f} ms",
            flush=True,
        )
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        figures["bulk"] = _bulk(running)
        print(f"bulk import: {figures['bulk']}")
    return figures


def _life(precision: str) -> dict[str, float]:
    """Start on 10,000 memories, search, write. Medians of five starts; the first one, which converts, not counted."""
    with home() as paths:
        fill(paths, 10_000, precision, compared=True)  # else that goes on while it is measured
        settings = {"MEMORYD_EMBEDDING_PRECISION": precision}
        with daemon(paths, **settings) as running:
            wait_for_model(running)
        ready: list[float] = []
        loaded: list[float] = []
        resident: list[float] = []
        for _ in range(5):
            with daemon(paths, **settings) as running:
                ready.append(running.ready_s)
                loaded.append(running.ready_s + wait_for_model(running))
                resident.append(at_rest(running.process)["resident"])
        with daemon(paths, **settings) as running:
            wait_for_model(running)
            searched_mb = _used(running)
            remember_ms = _remember_ms(running)
            written_mb = running.resident_mb()
    return {
        "ready_s": statistics.median(ready),
        "loaded_s": statistics.median(loaded),
        "loaded_mb": statistics.median(resident),
        "searched_mb": searched_mb,
        "written_mb": written_mb,
        "remember_ms": remember_ms,
    }


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
