"""A daemon under load for hours: whether anything grows that should not.

    python -m benchmarks.soak --minutes 60 --sessions 100 --pause 10

The sessions are those of `benchmarks.load`, but each ends after some minutes and another one takes its place, as over
many days. What a daemon keeps of the sessions that it served last is bounded: memory rises until these bounds are
reached and has to stay there, so what counts is the second half. The ledger and the transcripts grow with what was
said; beside them stands what that is for each turn. The index writes itself anew now and then, so that the most it had
since the look before counts, too. The figures are written at each look, also of a run that is broken off.
"""

import argparse
import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import numpy as np

from benchmarks.home import Running, at_rest, daemon, home, memory_mb, wait_for_model
from benchmarks.load import PROCESSES, Times, seed, session
from benchmarks.record import RESULTS, write
from memoryd_client.base.paths import Paths

LIVES_S = 150.0
"""How long a session lasts, give or take half: 100 of them at a time are 40 new ones each minute."""
LOOKS = 20
WATCH_S = 5.0
GROWING = ("anonymous", "resident", "descriptors", "threads", "home_mb")

Look = dict[str, float]
"""What a daemon has at a moment."""


def run(minutes: float = 60.0, sessions: int = 100, pause_s: float = 10.0) -> dict[str, Any]:
    with home() as paths, daemon(paths) as running:
        wait_for_model(running)
        seed(running)
        at_rest(running.process)
        looks = [_look(running, 0.0, 0, 0.0)]
        _show(looks[-1])
        seconds, turns = 60 * minutes, 0
        failed: Counter[str] = Counter()
        figures: dict[str, Any] = {"minutes": minutes, "sessions": sessions, "pause_s": pause_s, "looks": looks}
        context = get_context("spawn")
        with context.Pool(PROCESSES) as pool, _most_of(paths.home) as most:
            began = monotonic()
            for _ in range(LOOKS):
                shares = [range(number, sessions, PROCESSES) for number in range(PROCESSES)]
                played = pool.map(partial(_share, paths, seconds / LOOKS, pause_s, len(looks)), shares)
                for count, wrong in played:
                    turns += count
                    failed += Counter(wrong)
                looks.append(_look(running, (monotonic() - began) / 60, turns, most.pop()))
                _show(looks[-1])
                half = looks[len(looks) // 2 :]
                figures["failed"] = dict(failed)
                figures["second_half_per_hour"] = {name: _slope(half, name) for name in GROWING if len(half) > 2}
                write(RESULTS, "soak", figures)
        more = figures["second_half_per_hour"]
        print(f"failed {dict(failed) or 'nothing'}", flush=True)
        print(
            f"at the rate of the second half an hour adds {more['anonymous']:.0f} MB, {more['descriptors']:.1f} "
            f"descriptors, {more['threads']:.1f} threads, {more['home_mb']:.0f} MB on the disk",
            flush=True,
        )
        try:
            figures["at_rest_mb"] = at_rest(running.process)
            print(f"at rest {figures['at_rest_mb']['resident']:.0f} MB")
        except RuntimeError as error:  # a thousand sessions are looked at for half an hour after they fell silent
            print(f"at rest: {error}")
    return figures


class _Most:
    """The most that a folder had since it was last asked for, in MB, looked at every few seconds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._most = 0.0
        self.over = Event()

    def watch(self) -> None:
        """Look until it is over."""
        while not self.over.wait(WATCH_S):
            self._most = max(self._most, sum(_sizes(self._folder)) / 1e6)

    def pop(self) -> float:
        """Return it, and begin anew."""
        most, self._most = self._most, 0.0
        return most


@contextmanager
def _most_of(folder: Path) -> Generator[_Most]:
    most = _Most(folder)
    thread = Thread(target=most.watch)
    thread.start()
    try:
        yield most
    finally:
        most.over.set()
        thread.join()


def _share(
    paths: Paths, seconds: float, pause_s: float, round_: int, slots: Sequence[int]
) -> tuple[int, dict[str, int]]:
    """Play sessions in so many places at a time; return the number of turns, and what failed."""
    times: Times = defaultdict(list)
    failed: Counter[str] = Counter()
    until = monotonic() + seconds

    async def one_after_the_other(slot: int) -> None:
        draw = random.Random(f"{round_} {slot}")
        number = 1_000_000 * round_ + 1_000 * slot
        while monotonic() < until:
            number += 1
            ends = min(until, monotonic() + LIVES_S * draw.uniform(0.5, 1.5))
            await session(paths, number, ends, pause_s, (times, failed))

    async def all_of_them() -> None:
        await asyncio.gather(*map(one_after_the_other, slots))

    asyncio.run(all_of_them())
    return len(times["take"]), dict(failed)


def _look(running: Running, minute: float, turns: int, most_mb: float) -> Look:
    process, paths = running.process, running.paths
    sizes = _sizes(paths.home)
    now_mb = sum(sizes) / 1e6
    return {
        "minute": minute,
        "turns": turns,
        **memory_mb(process),
        "descriptors": process.num_fds(),
        "threads": process.num_threads(),
        "files": len(sizes),
        "home_mb": now_mb,
        "most_home_mb": max(most_mb, now_mb),
        "ledger_mb": sum(_sizes(paths.home, f"{paths.ledger.name}*")) / 1e6,
        "transcripts_mb": sum(_sizes(paths.transcripts)) / 1e6,
        "index_mb": sum(_sizes(paths.index)) / 1e6,
        "messages_index_mb": sum(_sizes(paths.messages_index)) / 1e6,
    }


def _sizes(folder: Path, pattern: str = "*") -> list[int]:
    """Return the sizes of the files in a folder and below, but for the model's, which a link leads to."""
    sizes: list[int] = []
    for file in folder.rglob(pattern):
        with suppress(FileNotFoundError):  # it was replaced meanwhile
            if file.is_file() and not file.is_symlink() and "models" not in file.parts:
                sizes.append(file.stat().st_size)
    return sizes


def _slope(looks: Sequence[Look], name: str) -> float:
    """Return by how much something grows in an hour: the least-squares line through what was seen."""
    return float(np.polyfit([look["minute"] / 60 for look in looks], [look[name] for look in looks], 1)[0])


def _show(look: Look) -> None:
    each = f", {1000 * look['home_mb'] / look['turns']:.1f} kB a turn" if look["turns"] else ""
    print(
        f"{look['minute']:5.1f} min, {look['turns']:6.0f} turns: resident {look['resident']:4.0f} MB, anonymous "
        f"{look['anonymous']:4.0f}, {look['descriptors']:.0f} descriptors, {look['threads']:.0f} threads, "
        f"{look['files']:.0f} files, {look['home_mb']:.1f} MB on the disk, {look['most_home_mb']:.1f} at most (ledger "
        f"{look['ledger_mb']:.1f}, transcripts {look['transcripts_mb']:.1f}, indexes {look['index_mb']:.1f} and "
        f"{look['messages_index_mb']:.1f}){each}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--pause", type=float, default=10.0)
    given = parser.parse_args()
    write(RESULTS, "soak", run(given.minutes, given.sessions, given.pause))


if __name__ == "__main__":
    main()
