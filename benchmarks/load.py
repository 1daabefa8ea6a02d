"""A hundred sessions at a time, each an agent at work: what its calls wait for, and what is left afterwards.

    python -m benchmarks.load --sessions 100 --seconds 60 --pause 10

Each session appends what was said, pushes it, takes, now and then has its context built, searches and remembers, then
pauses as agents do between turns: `--pause` seconds, give or take half. The floor is a bare write and fsync from as
many threads. The first append of a session connects its client and makes a folder with two files; it stands apart, and
its floor is a folder made with one file in it, each of them durable. Memory and descriptors are those of a daemon that
has served five such sessions before. With a pause of half a second the daemon has more to do than a core can, and what
is measured is a queue.
"""

import argparse
import asyncio
import os
import random
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

from benchmarks.home import PROJECT, Running, at_rest, daemon, home, wait_for_model
from benchmarks.record import RESULTS, write
from memoryd_client import AsyncClient, Entry, MemorydError, Message, NewMemory, Scope
from memoryd_client.base.paths import Paths

PROCESSES = 2
SEEDED = 1_000
WORDS = (
    "cobalt lantern orchid granite velvet ember harbor falcon quartz meadow saffron tundra juniper onyx cedar".split()
)
KINDS = ("append", "first append", "take", "context", "search", "remember")
FLOORS = ("fsync", "new file")

Times = dict[str, list[float]]


def run(sessions: int = 100, seconds: float = 60.0, pause_s: float = 10.0) -> dict[str, Any]:
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        seed(running)
        _play(paths, range(-5, 0), 10.0, 1.0)
        before, open_before = at_rest(running.process)["resident"], running.process.num_fds()
        floors = _floors(paths.home, sessions)
        busy_before = sum(running.process.cpu_times()[:2])
        times, failed = _play(paths, range(sessions), seconds, pause_s)
        busy = (sum(running.process.cpu_times()[:2]) - busy_before) / seconds
        after, open_after = at_rest(running.process)["resident"], running.process.num_fds()
    figures: dict[str, Any] = {
        "sessions": sessions,
        "pause_s": pause_s,
        "load": os.getloadavg()[0],
        "cores_used": busy,
        "failed": dict(failed),
        **{kind: _of(took) for kind, took in floors.items()},
        **{kind: _of(times[kind]) for kind in KINDS if times[kind]},
        "resident_mb": {"before": before, "after": after},
        "descriptors": {"before": open_before, "after": open_after},
    }
    _show(figures)
    return figures


def seed(running: Running) -> None:
    """Store the memories that are there before anybody comes, and wait until they are in the index."""
    draw = random.Random(9)
    facts = (f"Unit {n}, {_unit(draw)}, reports to hall {draw.randrange(10**9)}." for n in range(SEEDED))
    with running.client("seed") as client:
        client.remember_many([NewMemory(content=fact, scope=Scope.GLOBAL) for fact in facts])
        while client.status().busy:
            sleep(0.5)


def _unit(draw: random.Random) -> str:
    return f"the {draw.choice(WORDS)} {draw.choice(WORDS)} unit"


def _play(paths: Paths, sessions: range, seconds: float, pause_s: float) -> tuple[Times, Counter[str]]:
    """Play sessions at the same time, in two processes; return the seconds of each call, and what failed."""
    context = get_context("spawn")
    with context.Pool(PROCESSES) as pool:
        shares = [list(sessions)[number::PROCESSES] for number in range(PROCESSES)]
        played = pool.map(partial(_share, paths, seconds, pause_s), shares)
    times: Times = defaultdict(list)
    failed: Counter[str] = Counter()
    for some, wrong in played:
        failed += Counter(wrong)
        for kind, took in some.items():
            times[kind] += took
    return times, failed


def _share(paths: Paths, seconds: float, pause_s: float, sessions: list[int]) -> tuple[Times, dict[str, int]]:
    times: Times = defaultdict(list)
    failed: Counter[str] = Counter()

    async def all_of_them() -> None:
        until = monotonic() + seconds
        await asyncio.gather(*(session(paths, number, until, pause_s, (times, failed)) for number in sessions))

    asyncio.run(all_of_them())
    return dict(times), dict(failed)


async def session(paths: Paths, number: int, until: float, pause_s: float, found: tuple[Times, Counter[str]]) -> None:
    """Play a session until a moment of the monotonic clock, noting how long each call took and what failed."""
    draw, (times, failed) = random.Random(number), found

    async def timed(kind: str, call: Any) -> None:
        began = perf_counter()
        try:
            await call
        except MemorydError as error:
            failed[f"{kind}: {error}"] += 1
        times[kind].append(perf_counter() - began)

    async with AsyncClient(session=f"s{number}", project=PROJECT, agent="tui", paths=paths, deadline_s=30) as client:
        said: list[Message] = []
        await asyncio.sleep(draw.uniform(0, pause_s))
        turn = 0
        while monotonic() < until:
            turn += 1
            asked = (
                f"Turn {turn} of {number}: where does {_unit(draw)} report, why is the {draw.choice(WORDS)} test red?"
            )
            answer = f"It reports to shelf {draw.randrange(999)}, and the test waits for {draw.choice(WORDS)}. " * 5
            what = "append" if turn > 1 else "first append"
            await timed(what, client.append([Entry(content=asked), Entry(content=answer, role="assistant")]))
            said = [*said, Message("user", asked)][-6:]
            await client.push_context(said)
            await timed("take", client.take_pending(deadline_s=30))
            if turn % 3 == 0:
                await timed("context", client.build_context(4_000))
            if turn % 4 == 0:
                await timed("search", client.search(_unit(draw), limit=5))
            if turn % 10 == 0:
                noted = f"Session {number} noted that {_unit(draw)} reports to {draw.randrange(10**9)}."
                await timed("remember", client.remember(noted, scope="global"))
            await asyncio.sleep(pause_s * draw.uniform(0.5, 1.5))


def _floors(folder: Path, threads: int) -> Times:
    """Return the seconds of each bare write and fsync, and of each durable new folder with a file in it."""
    times: Times = {}
    with ThreadPoolExecutor(threads) as pool:
        for name, bare in (("fsync", _bare), ("new file", _bare_file)):
            times[name] = [one for some in pool.map(partial(bare, folder), range(threads)) for one in some]
    return times


def _bare(folder: Path, number: int) -> list[float]:
    times: list[float] = []
    file = os.open(folder / f"floor-{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(10):
        sleep(random.uniform(0.05, 0.25))
        began = perf_counter()
        os.write(file, b"x" * 600)
        os.fsync(file)
        times.append(perf_counter() - began)
    os.close(file)
    return times


def _bare_file(folder: Path, number: int) -> list[float]:
    times: list[float] = []
    for turn in range(10):
        sleep(random.uniform(0.05, 0.25))
        began = perf_counter()
        new = folder / f"floor-{number}-{turn}"
        new.mkdir()
        for place, flags in ((new / "file", os.O_WRONLY | os.O_CREAT), (new, os.O_RDONLY), (folder, os.O_RDONLY)):
            file = os.open(place, flags, 0o600)
            if flags:
                os.write(file, b"x" * 600)
            os.fsync(file)
            os.close(file)
        times.append(perf_counter() - began)
    return times


def _of(times: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in times)
    names = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in names.items()}


def _show(figures: dict[str, Any]) -> None:
    print(
        f"{figures['sessions']} sessions, a turn every {figures['pause_s']:g} s: {figures['cores_used']:.2f} cores, "
        f"load of the machine {figures['load']:.1f}, failed {figures['failed'] or 'nothing'}"
    )
    for kind in (*FLOORS, *KINDS):
        if took := figures.get(kind):
            floor = "new file" if kind == "first append" else "fsync"
            print(
                f"{kind:12} median {took['median']:7.1f} ms, 95th percentile {took['p95']:7.1f} "
                f"({took['p95'] / figures[floor]['p95']:.0f} times that of {floor}), 99th {took['p99']:7.1f}"
            )
    for what in ("resident_mb", "descriptors"):
        print(f"{what} {figures[what]['before']:.0f} before, {figures[what]['after']:.0f} after")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=10.0)
    given = parser.parse_args()
    write(RESULTS, "load", run(given.sessions, given.seconds, given.pause))


if __name__ == "__main__":
    main()
