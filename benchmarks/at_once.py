"""A hundred sessions at once, each of which appends, pushes, has its context built and ends: nobody waits for too long?

Beside it as many bare writes and fsyncs from as many threads of as many processes, each to a file of its own. What must
hold is counted: no request past its deadline, every message there once, in order.
"""

import os
import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.home import PROJECT, Running, daemon, home, text, wait_for_model
from memoryd_client import Client, DeadlineExceeded, Entry, Message
from memoryd_client.base.paths import Paths

SESSIONS = 100
PROCESSES = 4
TURNS = 6
BUDGET = 8_000
PUSHED = 20
"""Messages of the conversation in each push."""

Timed = tuple[str, float, bool]
"""What was asked, seconds, and whether it was answered in time."""
Play = Callable[[int], list[Timed]]


def run() -> dict[str, Any]:
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        floor = _together(partial(_bare, paths.home))
        began = perf_counter()
        times = _together(partial(_session, paths))
        took = perf_counter() - began
        figures: dict[str, Any] = {
            "sessions": SESSIONS,
            "turns": TURNS,
            "took_s": took,
            "missed": sum(not in_time for _, _, in_time in times),
            **_of("fsync", floor),
            **_of("append", times),
            **_of("context", times),
            **_of("end", times),
            **_what_is_there(running),
        }
    print(
        f"{SESSIONS} sessions at once, {TURNS} turns each, in {took:.1f} s: {figures['missed']} requests past their "
        f"deadline; {figures['lost']} messages lost, {figures['doubled']} doubled, "
        f"{figures['disordered']} sessions out of order"
    )
    for what in ("fsync", "append", "context", "end"):
        print(
            f"{what:8} median {figures[f'{what}_ms']:8.2f} ms, 95th percentile {figures[f'{what}_p95_ms']:8.2f}, "
            f"longest {figures[f'{what}_longest_ms']:8.2f}"
        )
    return figures


def _of(what: str, times: list[Timed]) -> dict[str, float]:
    mine = sorted(seconds * 1000 for name, seconds, _ in times if name == what)
    return {
        f"{what}_ms": statistics.median(mine),
        f"{what}_p95_ms": statistics.quantiles(mine, n=20)[-1],
        f"{what}_longest_ms": mine[-1],
    }


def _together(play: Play) -> list[Timed]:
    """Play all sessions at the same time, in processes of many threads each."""
    context = get_context("spawn")
    times: Queue[list[Timed]] = context.Queue()
    processes = [context.Process(target=_share, args=(play, number, times)) for number in range(PROCESSES)]
    for process in processes:
        process.start()
    found = [one for _ in processes for one in times.get()]
    for process in processes:
        process.join()
    return found


def _share(play: Play, number: int, times: "Queue[list[Timed]]") -> None:
    mine = range(number, SESSIONS, PROCESSES)
    with ThreadPoolExecutor(len(mine)) as threads:
        times.put([one for some in threads.map(play, mine) for one in some])


def _bare(folder: Path, session: int) -> list[Timed]:
    generator = np.random.default_rng(session)
    times: list[Timed] = []
    file = os.open(folder / f"floor-{session}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(2 * TURNS):
        line = text(generator, 40).encode()
        began = perf_counter()
        os.write(file, line)
        os.fsync(file)
        times.append(("fsync", perf_counter() - began, True))
    os.close(file)
    return times


def _conversation(session: int) -> list[Message]:
    generator = np.random.default_rng(session)
    return [
        Message(role, f"{role} {turn} of {session}: {text(generator, words)}")
        for turn in range(TURNS)
        for role, words in (("user", 25), ("assistant", 60))
    ]


def _session(paths: Paths, session: int) -> list[Timed]:
    times: list[Timed] = []

    def timed(what: str, call: Callable[[], object]) -> None:
        began = perf_counter()
        in_time = True
        try:
            call()
        except DeadlineExceeded:
            in_time = False
        times.append((what, perf_counter() - began, in_time))

    # With the deadline that every client has.
    with Client(session=f"session {session}", project=PROJECT, paths=paths) as client:
        said = _conversation(session)
        for at, message in enumerate(said, start=1):
            entry = Entry(id=str(at), role=message.role, content=message.content)
            timed("append", partial(client.append, [entry]))
            if at % 2 == 0:
                client.push_context(said[max(0, at - PUSHED) : at])
                timed("context", partial(client.build_context, BUDGET))
        timed("end", client.end_session)
    return times


def _what_is_there(running: Running) -> dict[str, int]:
    counts = {"lost": 0, "doubled": 0, "disordered": 0}
    with running.client() as client:
        for session in range(SESSIONS):
            expected = [one.content for one in _conversation(session)]
            there = [one.content for one in client.messages(f"session {session}", limit=1000).entries if not one.covers]
            counts["lost"] += len(set(expected) - set(there))
            counts["doubled"] += len(there) - len(set(there))
            counts["disordered"] += there != expected
    return counts


def main() -> None:
    run()


if __name__ == "__main__":
    main()
