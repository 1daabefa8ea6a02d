"""What a write costs: `remember` beside a bare embed and commit, an import beside the bare batch model, gate and edges.

`python -m benchmarks.write 1000 10000 100000`: sizes of the store. The floors are measured in this process, in the same
run and by turns with what they are compared with.
"""

import sqlite3
import statistics
import sys
from contextlib import closing
from time import perf_counter
from typing import Any

import anyio
import msgspec
import numpy as np

from benchmarks.home import Running, bare_model, daemon, fill, home, text, wait_for_model
from memoryd.clock import SystemClock
from memoryd.ledger import SqlLedger
from memoryd_actors.admission.gate import admit, content_hash
from memoryd_actors.memory.steps import RELATED, Add, AddEdge, Step
from memoryd_client import Memory, NewMemory, Scope
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import new_memory_id

ROUNDS = 60
IMPORTED = 10_000
EDGES = 5


def run(sizes: tuple[int, ...] = (1_000, 10_000, 100_000)) -> dict[str, Any]:
    figures: dict[str, Any] = {"gate_ms_per_kb": _gate()}
    print(f"gate: {figures['gate_ms_per_kb']:.2f} ms per kB", flush=True)
    for size in sizes:
        with home() as paths:
            fill(paths, size)
            with closing(sqlite3.connect(paths.ledger, isolation_level=None)) as raw:
                raw.execute("UPDATE memories SET compared = 1")  # or it is compared in the background meanwhile
            with daemon(paths) as running:
                wait_for_model(running)
                figures[str(size)] = measured = _remember(running)
            print(f"{size:>7} memories: {measured}", flush=True)
    figures["edges"] = anyio.run(_edges)
    print(f"edges: {figures['edges']}", flush=True)
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        figures["import"] = _import(running)
        print(f"import of {IMPORTED}: {figures['import']}", flush=True)
    return figures


def _memory(content: str) -> Memory:
    new = NewMemory(content=content, scope=Scope.GLOBAL)
    memory = admit(new, Caller(agent="benchmark"), SystemClock().now()).memory
    return msgspec.structs.replace(memory, content_hash=content_hash(content))


def _gate() -> float:
    generator = np.random.default_rng(17)
    contents = [f"{text(generator, 60)} gate {number}" for number in range(200)]
    kilobytes = sum(map(len, contents)) / 1000
    start = perf_counter()
    for content in contents:
        _memory(content)
    return (perf_counter() - start) * 1000 / kilobytes


def _remember(running: Running) -> dict[str, float]:
    """Remember with everything it does, beside the model and one commit of one memory in a ledger of its own."""
    generator = np.random.default_rng(9)
    model = bare_model(running.paths)
    floors: list[float] = []
    times: list[float] = []

    async def by_turns() -> None:
        with home() as other:
            other.home.mkdir(parents=True, exist_ok=True)
            ledger = SqlLedger(other.ledger, clock=SystemClock())
            await ledger.open()
            with running.client("writer") as client:
                for number in range(ROUNDS + 5):
                    content = f"{text(generator, 20)} remembered {number}"
                    bare = _memory(content)
                    start = perf_counter()
                    model.encode([content], max_tokens=256)
                    await ledger.memories.apply("local", [Add(bare, compared=False)], actor="benchmark")
                    between = perf_counter()
                    client.remember(f"{text(generator, 20)} kept {number}")
                    if number >= 5:
                        floors.append((between - start) * 1000)
                        times.append((perf_counter() - between) * 1000)
            await ledger.close()

    anyio.run(by_turns)
    remember_ms, floor_ms = statistics.median(times), statistics.median(floors)
    return {
        "remember_ms": round(remember_ms, 1),
        "embed_and_commit_ms": round(floor_ms, 1),
        "ratio": round(remember_ms / floor_ms, 2),
    }


async def _edges() -> dict[str, float]:
    """Store one memory with five edges, beside one without, by turns."""
    alone: list[float] = []
    linked: list[float] = []
    with home() as paths:
        paths.home.mkdir(parents=True, exist_ok=True)
        ledger = SqlLedger(paths.ledger, clock=SystemClock())
        await ledger.open()
        there = [_memory(f"there {number}") for number in range(EDGES)]
        await ledger.memories.apply("local", [Add(one, compared=False) for one in there], actor="benchmark")
        for number in range(ROUNDS):
            for times, edges in ((alone, 0), (linked, EDGES)):
                new = msgspec.structs.replace(_memory(f"new {number} of {edges}"), id=new_memory_id())
                steps: list[Step] = [Add(new), *(AddEdge(new.id, one.id, RELATED, 0.6) for one in there[:edges])]
                start = perf_counter()
                await ledger.memories.apply("local", steps, actor="benchmark")
                times.append((perf_counter() - start) * 1000)
        await ledger.close()
    return {
        "without_ms": round(statistics.median(alone), 2),
        "with_five_ms": round(statistics.median(linked), 2),
        "one_edge_ms": round((statistics.median(linked) - statistics.median(alone)) / EDGES, 3),
    }


def _import(running: Running) -> dict[str, float]:
    """Import until all of it can be found, beside the bare model on as many texts in batches of 32, by turns."""
    generator = np.random.default_rng(13)
    contents = [f"{text(generator, 30)} imported {number}" for number in range(IMPORTED)]
    model = bare_model(running.paths)

    def bare(some: list[str]) -> float:
        start = perf_counter()
        for begin in range(0, len(some), 32):
            model.encode(some[begin : begin + 32], max_tokens=256)
        return perf_counter() - start

    half = IMPORTED // 5
    before_s = bare(contents[:half])
    with running.client("import") as client:
        start = perf_counter()
        client.remember_many([NewMemory(content=content) for content in contents])
        acknowledged_s = perf_counter() - start
        while client.status().components["index"].numbers["behind"]:
            anyio.run(anyio.sleep, 0.05)
        took_s = perf_counter() - start
    bare_per_s = 2 * half / (before_s + bare(contents[:half]))
    return {
        "texts_per_s": round(IMPORTED / took_s, 1),
        "bare_texts_per_s": round(bare_per_s, 1),
        "share": round(IMPORTED / took_s / bare_per_s, 2),
        "acknowledged_s": round(acknowledged_s, 2),
    }


if __name__ == "__main__":
    run(tuple(map(int, sys.argv[1:])) or (1_000, 10_000, 100_000))
