"""What it costs to build a context of 8,000 tokens from a session of 10,000 messages.

The floor is what nobody can do without: reading the lines of those messages from the file, decoding and tokenising
them, in this process, without a socket.
"""

import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from benchmarks.home import daemon, home, text, wait_for_model
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_client import Entry
from memoryd_client.base.paths import Paths

MESSAGES = 10_000
BUDGET = 8_000
ROUNDS = 60
AT_ONCE = 200


def run() -> dict[str, Any]:
    generator = np.random.default_rng(11)
    with home() as paths, daemon(paths, MEMORYD_CONTEXT_COMPACT_FROM="2000000") as running:
        wait_for_model(running)
        with running.client("long") as client:
            for begin in range(0, MESSAGES, AT_ONCE):
                client.append(
                    [
                        Entry(content=text(generator, 40), role=("user", "assistant")[n % 2])
                        for n in range(begin, begin + AT_ONCE)
                    ]
                )
            start = perf_counter()
            first = client.build_context(BUDGET, turns=MESSAGES)
            first_ms = 1000 * (perf_counter() - start)
            floor = _floor(paths, len(first.entries))
            built: list[float] = []
            floors: list[float] = []
            pings: list[float] = []
            for n in range(ROUNDS):
                # As it goes: something is said, a context is built.
                client.append([Entry(content=text(generator, 40), role=("user", "assistant")[n % 2])])
                start = perf_counter()
                context = client.build_context(BUDGET, turns=MESSAGES)
                built.append(perf_counter() - start)
                assert context.counted
                assert context.tokens <= BUDGET
                start = perf_counter()
                floor()
                floors.append(perf_counter() - start)
                start = perf_counter()
                client.ping()
                pings.append(perf_counter() - start)
    figures = {
        "context_ms": 1000 * statistics.median(built),
        "context_p95_ms": 1000 * float(np.percentile(built, 95)),
        "first_ms": first_ms,
        "floor_ms": 1000 * statistics.median(floors),
        "ping_ms": 1000 * statistics.median(pings),
        "entries": len(first.entries),
        "tokens": first.tokens,
    }
    print(
        f"a context of {first.tokens} tokens, {len(first.entries)} of {MESSAGES} messages: median "
        f"{figures['context_ms']:.1f} ms, 95th percentile {figures['context_p95_ms']:.1f}, the first one, which counts "
        f"everything, {first_ms:.0f}; read and tokenised bare {figures['floor_ms']:.1f}, a ping "
        f"{figures['ping_ms']:.2f}"
    )
    return figures


def _floor(paths: Paths, entries: int) -> Callable[[], int]:
    (file,) = Path(paths.transcripts).rglob("session.jsonl")
    count = OnnxModel(fetch(Sources(models=paths.models, offline=True)), threads=1).counter()

    def read() -> int:
        with file.open("rb") as lines:
            lines.seek(-entries * 1_000, 2)
            last = lines.read().split(b"\n")[-entries - 1 : -1]
        return sum(count([str(msgspec.json.decode(line)["content"]) for line in last]))

    return read
