"""`python -m benchmarks.recall [FOLDER]`: all that can be said of recall on a folder of data, one table after another.

`recall` plays every conversation through a daemon and searches; `turns` puts the same questions as a user's turns;
`gate` is the judge's curve beside its floors; `topics` and `duplicates` have sets of their own. Each can be left out,
and what the folder has no data for is. The figures are kept as JSON.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks import duplicates, gate, topics
from benchmarks.recall.data import DEFAULT, available, no_data, variants
from benchmarks.recall.play import Figures, play
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings

TABLES = ("recall", "turns", "gate", "topics", "duplicates")


def run(folder: Path = DEFAULT, *, turns: bool = True) -> dict[str, Figures]:
    """Play every data set of the folder, each also as its user's messages alone where it has an assistant."""
    return {data.name: play(data, gate=turns) for data in variants(folder, available(folder))}


def missing(folder: Path) -> dict[str, str]:
    """Return what to say about each table that the folder has no data for."""
    said: dict[str, str] = {}
    if not available(folder):
        said["recall"] = said["gate"] = no_data(folder, "benchmarks.recall")
    if not topics.available(folder):
        said["topics"] = topics.no_data(folder)
    if not duplicates.pairs_of(folder).is_file():
        said["duplicates"] = duplicates.no_data(folder)
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    for name in TABLES:
        parser.add_argument(f"--no-{name}", action="store_true", help=f"leave the table of {name} out")
    parser.add_argument("--cache", type=Path, help="keep the embeddings of gate, topics and duplicates in this file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    if not given.folder.is_dir():
        sys.exit(f"there is no folder {given.folder}. Name the one that has the data: make bench-recall DATA=FOLDER")
    embeddings = Embeddings(given.cache)
    measurements: dict[str, Callable[[], Mapping[str, object]]] = {
        "recall": partial(run, given.folder, turns=not given.no_turns),
        "gate": partial(gate.run, given.folder, embeddings=embeddings),
        "topics": partial(topics.run, given.folder, embeddings=embeddings),
        "duplicates": partial(duplicates.run, given.folder, embeddings=embeddings),
    }
    wanted = [name for name in measurements if not getattr(given, f"no_{name}")]
    lacking = missing(given.folder)
    if wanted and all(name in lacking for name in wanted):
        sys.exit("\n".join(dict.fromkeys(lacking[name] for name in wanted)))
    for name in wanted:
        if name in lacking:
            print(f"\n=== {name}: left out. {lacking[name]}", flush=True)
            continue
        print(f"\n=== {name}", flush=True)
        # Each by itself: a run of half an hour that ends early has left what it has found.
        print(f"\nJSON: {write(given.results, name, measurements[name]())}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
