"""Kills a daemon with -9 at random moments under a mix of all that writes, and looks for what it acknowledged.

    python -m benchmarks.kills --times 50 --seed 7
    python -m benchmarks.kills --times 1000 --parts 40 --beside 2

Runs in parts: each has a home of its own, and so many run beside each other. Each kill is told as it has been looked
into, and the figures are written after each part, so that a run which is cut off has not been for nothing. What was
acknowledged has to be there, as it was last; what was under way may be there or not, but never half. After every tenth
kill and the last one all may settle: then of a purge that was acknowledged, or has begun, no byte is left; folder and
memory, in both of which is written, say the same; what is there is found; backups are sound; and agents' programs that
were connected are as before once they are disconnected. Ends with 1 where anything else was found.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks.kills.killing import Figures, part
from benchmarks.record import RESULTS, write


def together(parts: Sequence[Figures]) -> Figures:
    """Return the figures of several parts as those of one run."""
    summed = ("kills", "memories", "entries", "purges")
    acknowledged = sum((one["acknowledged"] for one in parts), Counter[str]())
    return {
        **{name: sum(one[name] for one in parts) for name in summed},
        "acknowledged": dict(acknowledged.most_common()),
        "longest_start_s": max(one["longest_start_s"] for one in parts),
        "problems": [problem for one in parts for problem in one["problems"]],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    parser.add_argument("--parts", type=int, default=1, help="homes, among which the kills are divided")
    parser.add_argument("--beside", type=int, default=1, help="parts that run beside each other")
    given = parser.parse_args(arguments)
    done: list[Figures] = []
    shares = [given.times // given.parts + (number < given.times % given.parts) for number in range(given.parts)]
    with ProcessPoolExecutor(given.beside, get_context("spawn")) as beside:
        running = [beside.submit(part, times, given.seed + number) for number, times in enumerate(shares)]
        for finished in as_completed(running):
            done.append(finished.result())
            write(given.results, "kills", together(done))
    for name, figure in together(done).items():
        print(f"{name:16} {figure}")
    print(f"\nJSON: {given.results / 'kills.json'}")
    return 1 if together(done)["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
