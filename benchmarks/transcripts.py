"""What it costs to write down what is said, beside a bare write and fsync, and how soon it is found."""

import os
import statistics
from time import monotonic, perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.home import Running, daemon, home, text, wait_for_model
from memoryd_client import Entry
from memoryd_client.base.paths import Paths

APPENDS = 300
PLAYED = 10_000
AT_ONCE = 20
"""Entries in one request while a session is played."""


def run() -> dict[str, Any]:
    generator = np.random.default_rng(11)
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        quiet = _append_ms(running, paths, generator)
        print(
            f"append: median {quiet['append_ms']:.2f} ms, 95th percentile {quiet['append_p95_ms']:.2f}; bare write and "
            f"fsync {quiet['fsync_ms']:.2f}, a ping {quiet['ping_ms']:.2f}"
        )
        played = _play(running, generator)
        print(
            f"{PLAYED} messages: acknowledged in {played['appended_s']:.1f} s, searchable after "
            f"{played['indexed_s']:.1f}"
        )
    return {**quiet, **played}


def _append_ms(running: Running, paths: Paths, generator: np.random.Generator) -> dict[str, float]:
    """Each next to its floors, so that all of them meet the same disk and the same load."""
    appends: list[float] = []
    floors: list[float] = []
    pings: list[float] = []
    file = os.open(paths.home / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with running.client("latency") as client:
        for _ in range(APPENDS):
            content = text(generator, 40)
            entry = Entry(content=content, role="user")
            start = perf_counter()
            client.append([entry])
            appends.append(perf_counter() - start)
            start = perf_counter()
            os.write(file, content.encode())
            os.fsync(file)
            floors.append(perf_counter() - start)
            start = perf_counter()
            client.ping()
            pings.append(perf_counter() - start)
    os.close(file)
    return {
        "append_ms": statistics.median(appends) * 1000,
        "append_p95_ms": statistics.quantiles(appends, n=20)[-1] * 1000,
        "fsync_ms": statistics.median(floors) * 1000,
        "ping_ms": statistics.median(pings) * 1000,
    }


def _play(running: Running, generator: np.random.Generator) -> dict[str, float]:
    start = perf_counter()
    with running.client("played") as client:
        for _ in range(PLAYED // AT_ONCE):
            client.append([Entry(content=text(generator, 20), role="user") for _ in range(AT_ONCE)])
    appended = perf_counter() - start
    indexed(running)
    return {"appended_s": appended, "indexed_s": perf_counter() - start}


def indexed(running: Running) -> None:
    """Wait until all that was said can be found."""
    until = monotonic() + 3_600
    with running.client() as client:
        while client.status().components["transcripts"].numbers["behind"]:
            if monotonic() > until:
                raise RuntimeError("the messages were not indexed within an hour")
            sleep(0.1)


def main() -> None:
    run()


if __name__ == "__main__":
    main()
