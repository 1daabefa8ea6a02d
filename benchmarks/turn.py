"""`client.turn`: a context goes in and what it brings up comes back, beside one run of the bare model on its text.

The goal is 1.5 times one run of the model at 10,000 memories, with the local judge.
"""

import argparse
import json
import sqlite3
import statistics
from contextlib import closing
from time import perf_counter

import numpy as np

from benchmarks.home import Running, bare_model, daemon, fill, home, text, wait_for_model
from memoryd_client import Message

ROUNDS = 60
WARM_UP = 8
PATIENT_S = 10.0


def run(sizes: tuple[int, ...] = (1_000, 10_000)) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for size in sizes:
        with home() as paths:
            fill(paths, size)
            with closing(sqlite3.connect(paths.ledger, isolation_level=None)) as raw:
                raw.execute("UPDATE memories SET compared = 1")  # or it is compared in the background meanwhile
            with daemon(paths) as running:
                wait_for_model(running)
                figures[str(size)] = measured = _measure(running)
        print(
            f"{size:>7} memories: " + ", ".join(f"{name} {value:.2f}" for name, value in measured.items()), flush=True
        )
    return figures


def _measure(running: Running) -> dict[str, float]:
    model = bare_model(running.paths)
    generator = np.random.default_rng(22)
    turns: list[float] = []
    floors: list[float] = []
    with running.client("turns") as client:
        for number in range(ROUNDS + WARM_UP):
            # Every model run is on text that is new to it.
            asked, floor = (f"{text(generator, 12)} {kind} {number}" for kind in ("turn", "floor"))
            began = perf_counter()
            client.turn([Message("user", asked)], wait_s=PATIENT_S)
            turns.append((perf_counter() - began) * 1000)
            began = perf_counter()
            model.encode([floor], max_tokens=256)
            floors.append((perf_counter() - began) * 1000)
    turn, floor_ms = statistics.median(turns[WARM_UP:]), statistics.median(floors[WARM_UP:])
    return {"turn_ms": turn, "model_ms": floor_ms, "ratio": turn / floor_ms}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000])
    print(json.dumps(run(tuple(parser.parse_args().sizes)), indent=2))


if __name__ == "__main__":
    main()
