"""From context to pending memory, beside one bare model run on the same text; and taking while that goes on.

The floor is the model alone, in this process, with the daemon's number of threads, in one run on the same text. That
text is what a turn of a running session brings: the assistant's reply and the user's next message, newest first.
"""

import statistics
import threading
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.home import Running, bare_model, daemon, fill, home, text, wait_for_model
from memoryd_client import Client, Message
from memoryd_client.wire.events import Event, PipelineRan
from memoryd_client.wire.traces import Trace

ROUNDS = 40


def run(sizes: tuple[int, ...] = (1_000, 10_000, 100_000)) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for size in sizes:
        with home() as paths:
            fill(paths, size)
            with daemon(paths) as running:
                wait_for_model(running)
                figures[str(size)] = measured = _context_to_pending(running)
                print(
                    f"{size:>7} memories: context to pending {measured['pipeline_ms']:.1f} ms, "
                    f"bare model {measured['bare_model_ms']:.1f} ms, ratio {measured['ratio']:.2f}; "
                    f"stages {measured['stages_ms']}",
                    flush=True,
                )
                if size == sizes[-1]:
                    figures["saturated_take"] = saturated = _take_while_saturated(running)
                    print(f"take while the pipeline is saturated: {saturated}", flush=True)
    return figures


def _context_to_pending(running: Running) -> dict[str, Any]:
    generator = np.random.default_rng(11)
    model = bare_model(running.paths)
    pipeline: list[float] = []
    bare: list[float] = []
    stages: dict[str, list[float]] = {}
    conversation: list[Message] = []
    with running.client("latency") as client:
        events = _listening(client)
        for number in range(ROUNDS + 5):
            question = f"{text(generator, 60)} question {number}"
            reply = f"{text(generator, 30)} reply {number}"
            conversation += [Message("assistant", reply), Message("user", question)]
            # Every model run is on text that is new to it.
            start = perf_counter()
            model.encode([f"{question}\n{reply}"], max_tokens=256)
            floor = perf_counter() - start
            start = perf_counter()
            client.push_context(conversation[-6:])
            trace = next(event.trace for event in events if isinstance(event, PipelineRan))
            # The event comes once the topic is decided, too; what waits could be taken when `total` was over.
            took = perf_counter() - start - _after_pending_s(trace)
            if number >= 5:
                bare.append(floor * 1000)
                pipeline.append(took * 1000)
                for stage, milliseconds in trace.timings_ms.items():
                    stages.setdefault(stage, []).append(milliseconds)
    return {
        "pipeline_ms": statistics.median(pipeline),
        "bare_model_ms": statistics.median(bare),
        "ratio": statistics.median(pipeline) / statistics.median(bare),
        "stages_ms": {stage: round(statistics.median(values), 2) for stage, values in stages.items()},
    }


def _after_pending_s(trace: Trace) -> float:
    """What of a trace's stages came after the memories were ready to be taken, in seconds."""
    stages = dict(trace.timings_ms)
    before_s = sum(stages.get(name, 0.0) for name in ("clean", "embed", "search", "surfaced", "judge", "pending"))
    return 0.0 if before_s + stages.get("topic", 0.0) <= stages["total"] else stages.get("topic", 0.0) / 1000


def _listening(client: Client) -> Iterator[Event]:
    """Subscribe, and return once events do arrive: a subscription takes a moment to reach the daemon."""
    events = client.events()
    arrived = threading.Event()

    def nudge() -> None:
        number = 0
        while not arrived.wait(0.05):
            number += 1
            client.push_context([Message("user", f"is anybody there? {number}")])

    thread = threading.Thread(target=nudge)
    thread.start()
    next(events)
    arrived.set()
    thread.join()
    while client.status().busy:
        pass
    # Whatever the nudges caused is over once a context of ours comes through.
    client.push_context([Message("user", "the last of the nudges")])
    while not (isinstance(event := next(events), PipelineRan) and event.trace.focus == "the last of the nudges"):
        pass
    return events


def _take_while_saturated(running: Running) -> dict[str, float]:
    stop = threading.Event()

    def push() -> None:
        generator = np.random.default_rng(3)
        with running.client("noise") as noise:
            number = 0
            while not stop.is_set():
                number += 1
                noise.push_context([Message("user", f"{text(generator, 60)} noise {number}")])
                stop.wait(0.005)

    with running.client("taker") as client:
        idle = _takes(client)
        thread = threading.Thread(target=push)
        thread.start()
        try:
            busy = _takes(client)
        finally:
            stop.set()
            thread.join()
    return {"idle_us": idle, "saturated_us": busy, "ratio": busy / idle}


def _takes(client: Client) -> float:
    times = []
    for _ in range(1000):
        start = perf_counter()
        client.take_pending()
        times.append(perf_counter() - start)
    return statistics.median(times) * 1e6


def main() -> None:
    run()


if __name__ == "__main__":
    main()
