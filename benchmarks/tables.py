"""`python -m benchmarks.tables FOLDER`: measure what the README's tables of recall say, and print them.

FOLDER has data sets as `make bench-data` and `make bench-recall` know them, and perhaps `daily`. With `--write` the
tables in the README are replaced: each stands between two comments of its name. What the folder has no data for stays.
The tables of speed are `make bench`'s, on an idle machine.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import gate
from benchmarks.recall.data import available, variants
from benchmarks.recall.play import Figures, play
from benchmarks.vectors import Embeddings

README = Path(__file__).parents[1] / "README.md"
_NAMES = {
    "locomo": "LoCoMo",
    "beam100k": "BEAM, all messages",
    "beam100k (user messages)": "BEAM, user messages",
    "longmemeval": "LongMemEval, every tenth question",
    "longmemeval (user messages)": "LongMemEval, user messages",
}
_FLOOR, _AT_95 = "hard floor", "cosine at 0.95"
Pair = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What plain fusion finds on a set, and what memoryd does."""


def share(value: float, digits: int = 3) -> str:
    """Return a share as the tables write it: .728, and 1.00."""
    return f"{value:.{digits}f}".removeprefix("0")


def named(name: str) -> str:
    """Return a data set's name as people know it."""
    return _NAMES.get(name, name)


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names of data sets in the order in which they are told."""
    known = list(_NAMES)
    return sorted(names, key=lambda name: (known.index(name) if name in _NAMES else len(known), name))


def recall_table(found: Mapping[str, Pair]) -> str:
    """Return the table of what a search finds, beside plain fusion."""
    rows = ["| share of the evidence found, R@5 / R@10 | plain 0.7/0.3 fusion | memoryd |", "|---|---|---|"]
    for name in in_order(found):
        plain, own = found[name]
        cells = [f"{share(one['R@5'])} / {share(one['R@10'])}" for one in (plain, own)]
        rows.append(f"| {named(name)}, {int(own['questions'])} questions | {cells[0]} | {cells[1]} |")
        if name == "locomo":
            deep = [share(one["sessions R@10"]) for one in (plain, own)]
            rows.append(f"| {named(name)}, sessions instead of messages, R@10 | {deep[0]} | {deep[1]} |")
    return "\n".join(rows)


def gate_table(figures: Mapping[str, Any]) -> str:
    """Return the table of what the local judge lets through, beside floors by cosine."""
    rows = ["| | floor: cosine above 0.4 | cosine, 95% clean | memoryd |", "|---|---|---|---|"]
    for name in in_order(figures.keys() - {"thresholds"}):
        table = figures[name]
        cells = [
            f"{share(one['evidence'])} / {share(one['clean'])}"
            if (one := table.get(key)) and one["clean"] is not None
            else "-"
            for key in (_FLOOR, _AT_95, "balanced")
        ]
        rows.append(f"| {named(name)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def daily_table(floor: Mapping[str, float], own: Mapping[str, float], perfect: Mapping[str, float]) -> str:
    """Return the table of what an agent has in its context, beside the three nearest on every turn."""
    rows = ["| | in context | right | quiet | tokens a session |", "|---|---|---|---|---|"]
    for label, one in (
        ("the three nearest, every turn", floor),
        ("memoryd without a model", own),
        ("memoryd, with a judge that is always right", perfect),
    ):
        shares = " | ".join(share(one[key], 2) for key in ("in context", "right", "quiet"))
        rows.append(f"| {label} | {shares} | {round(one['tokens'], -1):,.0f} |")
    return "\n".join(rows)


def replaced(page: str, name: str, table: str) -> str:
    """Return a page with the table between its two comments replaced.

    Raises:
        ValueError: the page has no such place.
    """
    before, begin, rest = page.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"\n<!-- /{name} -->")
    if not begin or not end:
        raise ValueError(f"there is no place for the table `{name}`")
    return f"{before}{begin}{table}{end}{after}"


def _measured_recall(folder: Path) -> dict[str, Pair]:
    found: dict[str, Pair] = {}
    for data in variants(folder, available(folder)):
        plain = play(data, gate=False, MEMORYD_RECALL_RANKING="fused")
        found[data.name] = _means(plain), _means(play(data, gate=False))
    return found


def _means(figures: Figures) -> dict[str, float]:
    means = {name: one["mean"] for name, one in figures.get("all", {}).items()}
    return means | {"questions": figures.get("questions", 0)}


def _measured_daily(folder: Path) -> tuple[Mapping[str, float], Mapping[str, float], Mapping[str, float]]:
    """Play the days twice, each in a process of its own: with the local judge, and with one that knows the labels."""
    found: list[dict[str, Any]] = []
    for judge in ("none", "labels"):
        with TemporaryDirectory() as out:
            command = [sys.executable, "-m", "benchmarks.daily", str(folder), "--judge", judge, "--out", out]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            found.append(json.loads((Path(out) / "daily.json").read_text(encoding="utf-8"))["figures"])
    return found[0]["floor"], found[0]["weeks"][0], found[1]["weeks"][0]


def tables(folder: Path, only: Iterable[str] = ()) -> dict[str, str]:
    """Measure, and return the tables by their names; those alone that the folder has data for."""
    wanted = set(only) or {"recall", "gate", "daily"}
    made: dict[str, str] = {}
    if "daily" in wanted and (folder / "daily").is_dir():
        made["daily"] = daily_table(*_measured_daily(folder / "daily"))
    if available(folder):
        if "recall" in wanted:
            made["recall"] = recall_table(_measured_recall(folder))
        if "gate" in wanted:
            made["gate"] = gate_table(gate.run(folder, embeddings=Embeddings()))
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and where wanted write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the data are")
    parser.add_argument("--only", action="append", choices=("recall", "gate", "daily"), default=[])
    parser.add_argument("--write", action="store_true", help="replace the tables in the README")
    given = parser.parse_args(arguments)
    made = tables(given.folder, given.only)
    for name, table in made.items():
        print(f"\n=== {name}\n\n{table}", flush=True)
        if given.write:
            README.write_text(replaced(README.read_text(encoding="utf-8"), name, table), encoding="utf-8")
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
