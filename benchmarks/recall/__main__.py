"""`python -m benchmarks.recall [FOLDER]`: play each data set, print its tables, keep the JSON."""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from benchmarks.recall.data import DataSet, available, read
from benchmarks.recall.play import Figures, play

DEFAULT = Path(__file__).parents[3] / "shared" / "data"
RESULTS = Path(__file__).parents[1] / "results"


def run(folder: Path = DEFAULT, *, gate: bool = True) -> dict[str, Figures]:
    """Play every data set of the folder, each also as its user's messages alone where it has an assistant."""
    names = available(folder)
    if not names:
        sys.exit(
            f"no data in {folder}: there must be folders with a memories.jsonl and a queries.jsonl.\n"
            "Name the folder that has them: python -m benchmarks.recall FOLDER"
        )
    figures: dict[str, Figures] = {}
    for data in variants(folder, names):
        figures[data.name] = play(data, gate=gate)
    return figures


def variants(folder: Path, names: list[str]) -> list[DataSet]:
    """Return the data sets as they are played."""
    sets: list[DataSet] = []
    for name in names:
        data = read(folder / name)
        sets.append(data)
        if {"user", "assistant"} <= data.speakers():
            sets.append(data.said_by("user"))
    return sets


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help=f"default: {DEFAULT}")
    parser.add_argument("--search-only", action="store_true", help="leave the gate out")
    given = parser.parse_args()
    figures = run(given.folder, gate=not given.search_only)
    RESULTS.mkdir(exist_ok=True)
    record = {"machine": platform.platform(), "cores": os.cpu_count(), "figures": figures}
    target = RESULTS / "recall.json"
    target.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"\nJSON: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
