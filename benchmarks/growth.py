"""What a session of 20,000 messages leaves in memory, beside bare model and LanceDB; and the daemon at rest.

`python -m benchmarks.growth [--marks 1000,2000,...] [--words 20]`. Memory is read when upkeep is through and nothing
runs any more: `anonymous` is what only this process has, `resident` also counts the pages of libraries and weights that
it shares with the system's cache. The floor is one process that embeds the same messages, writes them by twenty with
plain LanceDB (word index, default caches) and looks after the table every 2,000 rows. What counts is the curve after
the first thousands, in which libraries are paged in and the model's allocator reaches its size.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import numpy as np
import psutil

from benchmarks.home import Running, at_rest, bare_model, daemon, home, memory_mb, text, wait_for_model, wake_ups
from benchmarks.transcripts import AT_ONCE, indexed
from memoryd.heap import hand_back_libraries, share_arenas
from memoryd_client import Entry, Message
from memoryd_client.base.paths import Paths

MARKS = (1_000, 2_000, 5_000, 10_000, 20_000)
"""Messages after which it is looked."""
WORDS = 20
SEED = 11
OPTIMISE_ROWS = 2_000
"""As the daemon does."""
TURNS = 40
"""Of one hour: one every 90 seconds."""
IDLE_S = 30.0
"""For so long nothing is asked of the daemon while it is watched."""
UNLOAD_S = 45
"""After so long without use the model is let go here, so that one need not wait for a quarter of an hour."""

Curve = dict[int, dict[str, float]]
"""`resident` and `anonymous` in MB by messages."""


def run(marks: Sequence[int] = MARKS, words: int = WORDS) -> dict[str, Any]:
    with home() as paths:
        with daemon(paths) as running:
            wait_for_model(running)
            played = _play(running, marks, words)
        floor = _floor(paths, marks, words)
    for messages, there in floor.items():
        _show("bare", messages, there)
    rest = _rest()
    print(
        f"at rest after {TURNS} turns: resident {rest['resident']:.0f} MB, anonymous {rest['anonymous']:.0f}, "
        f"{rest['wake_ups_per_s']:.1f} wake-ups and {rest['cpu_ms_per_s']:.2f} ms of a core per second; without the "
        f"model {rest['unloaded_resident']:.0f} MB, {rest['unloaded_anonymous']:.0f}"
    )
    return {"played": played, "floor": floor, "rest": rest}


def _play(running: Running, marks: Sequence[int], words: int) -> Curve:
    generator = np.random.default_rng(SEED)
    curve: Curve = {0: at_rest(running.process)}
    _show("memoryd", 0, curve[0])
    for begin, end in pairwise((0, *marks)):
        with running.client("played") as client:
            for _ in range((end - begin) // AT_ONCE):
                client.append([Entry(content=text(generator, words), role="user") for _ in range(AT_ONCE)])
        indexed(running)
        curve[end] = at_rest(running.process)
        _show("memoryd", end, curve[end])
    return curve


def _show(whose: str, messages: int, there: dict[str, float]) -> None:
    print(
        f"{whose:>8} after {messages:>6} messages: resident {there['resident']:.0f} MB, "
        f"anonymous {there['anonymous']:.0f}",
        flush=True,
    )


def _floor(paths: Paths, marks: Sequence[int], words: int) -> Curve:
    wanted = ",".join(map(str, marks))
    command = [sys.executable, "-m", "benchmarks.growth", "--floor", str(paths.home), "--marks", wanted]
    done = subprocess.run([*command, "--words", str(words)], check=True, stdout=subprocess.PIPE, text=True)
    return {int(messages): there for messages, there in json.loads(done.stdout).items()}


async def _bare(paths: Paths, marks: Sequence[int], words: int) -> Curve:
    """Embed and write in this process. Its heap is the daemon's, so that only what is done with it differs."""
    import lancedb
    import pyarrow as pa
    from lancedb.index import FTS

    generator = np.random.default_rng(SEED)
    model = bare_model(paths)
    process = psutil.Process()
    with TemporaryDirectory() as folder:
        connection = await lancedb.connect_async(folder)
        vector = pa.list_(pa.float32(), model.dimensions)
        schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("vector", vector)])
        table = await connection.create_table("messages", schema=schema)
        await table.create_index("text", config=FTS())
        hand_back_libraries()
        curve: Curve = {0: memory_mb(process)}
        for begin, end in pairwise((0, *marks)):
            for start in range(begin, end, AT_ONCE):
                texts = [text(generator, words) for _ in range(AT_ONCE)]
                vectors = model.encode(texts, max_tokens=256)
                ids = [str(start + place) for place in range(AT_ONCE)]
                flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), model.dimensions)
                await table.add(pa.table([pa.array(ids), pa.array(texts), flat], schema=schema))
                if (start + AT_ONCE) % OPTIMISE_ROWS == 0:
                    await table.optimize(cleanup_older_than=timedelta(minutes=10))
            curve[end] = memory_mb(process)
    return curve


def _rest() -> dict[str, float]:
    """An hour's turns, and then nothing: what is resident, and how often the daemon wakes for it."""
    generator = np.random.default_rng(SEED)
    with home() as paths, daemon(paths, MEMORYD_EMBEDDING_IDLE_UNLOAD_S=str(UNLOAD_S)) as running:
        wait_for_model(running)
        with running.client("hour") as client:
            conversation: list[Message] = []
            for number in range(TURNS):
                client.take_pending()
                conversation += [Message("user", text(generator, 30)), Message("assistant", text(generator, 120))]
                client.push_context(conversation[-6:])
                client.remember(f"{text(generator, 20)} remembered {number}")
                client.search(text(generator, 8))
        indexed(running)
        there = at_rest(running.process)
        wakes, cpu, began = wake_ups(running.process), sum(running.process.cpu_times()[:2]), perf_counter()
        sleep(IDLE_S)
        took = perf_counter() - began
        woken = sum(count - wakes.get(thread, 0) for thread, count in wake_ups(running.process).items())
        found = {
            **there,
            "wake_ups_per_s": woken / took,
            "cpu_ms_per_s": (sum(running.process.cpu_times()[:2]) - cpu) / took * 1000,
        }
        with running.client() as client:
            while client.status().components["model"].state != "idle":
                sleep(1)
        without = at_rest(running.process)
    return found | {f"unloaded_{name}": value for name, value in without.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--marks", default=",".join(map(str, MARKS)), help="messages after which it is looked")
    parser.add_argument("--words", type=int, default=WORDS, help="words of a message")
    parser.add_argument("--floor", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    marks = [int(one) for one in given.marks.split(",")]
    if given.floor is None:
        run(marks, given.words)
        return
    share_arenas()
    paths = Paths.from_environment({"MEMORYD_HOME": str(given.floor), "HOME": str(Path.home())})
    print(json.dumps(asyncio.run(_bare(paths, marks, given.words))))


if __name__ == "__main__":
    main()
