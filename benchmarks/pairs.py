"""How well duplicates are told from contradictions, on labelled pairs of sentences from public sets.

`merged` is the share that would become one memory; of the curve, 1 is what is equal to the word, 0.9 what differs in
nothing that is not harmless, 0.75 adds what follows from the other. Floors:
cosine above 0.85 (seed 004), the same with equal numbers and equal negation, and a logistic combination of all
features of a pair, fitted in all sets but the one it is applied to (leave one set out), its threshold set at 1% of
all conflicts. The rule itself has no fitted weights. Its word lists were written while looking at one half of these
pairs, `read`; what follows was counted in the other half, `unread`, too, of which no sentence is in the first.

`update_pairs` are real old and new statements of one user: whole messages, of which a sentence changes something. Of
several messages a pair counts as recognised where any two are. Identical messages on both sides are left out.

`own pairs` are memories written for this, before the rules that find what no list of opposites knows: of `contradict`
only one can be so, of `beside` and `look alike` (written afterwards, to mislead) both, `same` says the same. In
English, German, French and Spanish. What the rules do with every second one of all but `look alike` was not looked at
before they stood: `unread`. At that first sight 62 of its 75 contradictions were linked, 5 of the 75 beside, and 12 of
the 20 same merged; what was learned from them is in the rules since. The floor links whatever is closer than 0.75.

Reads `pairs/dev.jsonl` and `beam100k/update_pairs.jsonl` from a data folder, which is not part of this repository.
"""

import argparse
import json
import statistics
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_actors.comparison import Comparison, Statement, action, compare
from memoryd_actors.comparison.canon import canon, spelled_out
from memoryd_actors.comparison.decision import MERGE
from memoryd_actors.comparison.degrees import weakened
from memoryd_actors.comparison.denials import asserted
from memoryd_actors.comparison.difference import Difference, difference
from memoryd_actors.comparison.events import events
from memoryd_actors.comparison.idioms import plainer
from memoryd_actors.comparison.tokens import read
from memoryd_actors.ports.embedder import Vector

DATA = Path(__file__).parents[2] / "shared" / "data"
RESULTS = Path(__file__).parent / "results"
LABELS = ("dup", "near", "related", "conflict")
COSINE = 0.85
OWN = Path(__file__).parent / "own_pairs"
LINKED = 0.75
CURVE = (1.0, 0.9, MERGE)
ALLOWED = 0.01
Mask = npt.NDArray[np.bool_]
Vectors = Mapping[str, Vector]


class Pair(msgspec.Struct):
    """One line of the set: `b` is compared with the older `a`."""

    id: str
    set: str
    a: str
    b: str
    label: str


class Update(msgspec.Struct):
    """What a user said first and second about one thing."""

    id: str
    kind: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """All pairs, in columns."""

    label: npt.NDArray[np.str_]
    set: npt.NDArray[np.str_]

    def shares(self, mask: Mask, *, within: Mask | None = None) -> dict[str, float]:
        """Return the share of each label that the mask holds of."""
        inside = np.ones(len(mask), bool) if within is None else within
        rows = {label: (self.label == label) & inside for label in LABELS}
        return {label: round(float(mask[row].mean()), 4) for label, row in rows.items() if row.any()}


def run(data: Path = DATA, cache: Path | None = None) -> dict[str, Any]:
    """Measure, print a table, return the figures."""
    files = data / "pairs" / "dev.jsonl", data / "beam100k" / "update_pairs.jsonl"
    if missing := [str(path) for path in files if not path.exists()]:
        sys.exit(f"missing: {', '.join(missing)}; name the data folder: python -m benchmarks.pairs FOLDER")
    pairs = [msgspec.json.decode(line, type=Pair) for line in files[0].read_bytes().splitlines() if line]
    updates = [msgspec.json.decode(line, type=Update) for line in files[1].read_bytes().splitlines() if line]
    texts = {text for pair in pairs for text in (pair.a, pair.b)}
    texts |= {text for one in updates for text in (*one.first, *one.second)}
    vectors = embedded(sorted(texts, key=len), cache)
    cosines = np.array([float(vectors[pair.a] @ vectors[pair.b]) for pair in pairs])
    table = Table(np.array([pair.label for pair in pairs]), np.array([pair.set for pair in pairs]))
    found = [
        compare(Statement(pair.b), Statement(pair.a), cosine)
        for pair, cosine in zip(pairs, cosines.tolist(), strict=True)
    ]
    figures: dict[str, Any] = {"pairs": {label: int((table.label == label).sum()) for label in LABELS}}
    figures["identical conflicts"] = sum(
        pair.label == "conflict" and pair.a.strip() == pair.b.strip() for pair in pairs
    )
    print(f"{len(pairs)} pairs; identical texts labelled conflict: {figures['identical conflicts']}")
    figures |= merged(pairs, table, cosines, found)
    figures["actions"] = actions(table, found)
    figures["updates"] = recognised(updates, vectors)
    figures["own pairs"] = own()
    figures["timing"] = timing(pairs, cosines)
    return figures


def embedded(texts: Sequence[str], cache: Path | None) -> Vectors:
    if cache is not None and cache.exists():
        with np.load(cache) as kept:
            known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
        if known.keys() >= set(texts):
            return known
    print(f"embedding {len(texts)} texts", flush=True)
    with TemporaryDirectory() as models:
        model = OnnxModel(fetch(Sources(models=Path(models), offline=True)), threads=2)
        made = [model.encode(texts[at : at + 64], max_tokens=256) for at in range(0, len(texts), 64)]
    vectors = np.concatenate(made)
    if cache is not None:
        np.savez(cache, texts=np.array(texts), vectors=vectors)
    return dict(zip(texts, vectors, strict=True))


def merged(
    pairs: Sequence[Pair], table: Table, cosines: npt.NDArray[np.float64], found: Sequence[Comparison]
) -> dict[str, Any]:
    differences = [difference(read(pair.b), read(pair.a)) for pair in pairs]
    same = np.array([one.confidence if one.relation == "same" else 0.0 for one in found])
    equal = np.array([not (one.turned or one.new_numbers or one.old_numbers) for one in differences])
    fitted = left_one_out(differences, cosines, table)
    rules: dict[str, Mask] = {
        f"floor: cosine > {COSINE}": cosines > COSINE,
        "floor: and equal numbers, negation": (cosines > COSINE) & equal,
        "floor: logistic, one set left out": fitted,
        f"same from {MERGE}": same >= MERGE,
    }
    print(f"\n{'merged':38}" + "".join(f"{label:>10}" for label in LABELS))
    figures: dict[str, Any] = {"merged": {}, "curve": {}, "by set": {}}
    for name, mask in rules.items():
        figures["merged"][name] = show(name, table.shares(mask))
    print("\ncurve")
    for bar in CURVE:
        figures["curve"][str(bar)] = show(f"same from {bar}", table.shares(same >= bar))
    unread = halves(pairs)
    print(f"\nby half, same from {MERGE} (floor: cosine > {COSINE})")
    figures["by half"] = {}
    for name, half in (("read", ~unread), ("unread", unread)):
        figures["by half"][name] = show(name, table.shares(same >= MERGE, within=half))
        figures["by half"][f"{name}, floor"] = show(f"{name}, floor", table.shares(cosines > COSINE, within=half))
    print(f"\nby set, same from {MERGE}")
    for name in sorted(set(table.set.tolist())):
        figures["by set"][name] = show(name, table.shares(same >= MERGE, within=table.set == name))
    return figures


def halves(pairs: Sequence[Pair]) -> Mask:
    """Return which pairs are in the half that was not read: pairs that share a sentence are in one half."""
    above: dict[str, str] = {}

    def first(text: str) -> str:
        while (up := above.setdefault(text, text)) != text:
            above[text] = above[up]
            text = up
        return text

    for pair in pairs:
        above[first(pair.a)] = first(pair.b)
    names: dict[str, str] = {}
    for text in sorted(above):
        names.setdefault(first(text), text)
    return np.array([zlib.crc32(names[first(pair.a)].encode()) & 1 for pair in pairs], dtype=np.bool_)


def left_one_out(
    differences: Sequence[Difference], cosines: npt.NDArray[np.float64], table: Table
) -> npt.NDArray[np.bool_]:
    """Return what a linear combination of all features would merge, each set judged by a fit to the others.

    Fitted and applied where nothing restricts, changed places or is guarded: without that it is ten times worse.
    """
    within = np.array([not (one.guards or one.restricted or one.swapped) for one in differences])
    columns = np.array([features(one, cosine) for one, cosine in zip(differences, cosines.tolist(), strict=True)])
    columns = (columns - columns.mean(0)) / (columns.std(0) + 1e-9)
    columns = np.hstack([columns, np.ones((len(columns), 1))])
    wanted = (table.label == "dup").astype(float)
    score = np.zeros(len(wanted))
    for name in set(table.set.tolist()):
        out = table.set == name
        score[out] = columns[out] @ logistic(columns[within & ~out], wanted[within & ~out])
    score[~within] = -np.inf
    conflicts = np.sort(score[table.label == "conflict"])[::-1]
    return np.asarray(score > conflicts[int(ALLOWED * len(conflicts))], dtype=np.bool_)


def features(one: Difference, cosine: float) -> list[float]:
    new, old = len(one.new_only), len(one.old_only)
    union = max(one.shared + new + old, 1)
    return [
        cosine,
        one.coverage,
        one.shared / union,
        min(new, old, 3),
        min(abs(new - old), 5),
        float(min(new, old) > 0),
        one.order,
        one.neighbours,
        one.light,
        float(bool(one.new_numbers or one.old_numbers)),
        float(bool(one.opposite)),
        float(bool(one.restricted)),
        float(one.swapped),
        float(one.subject),
        1 / (1 + one.shared),
    ]


def logistic(columns: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the weights of a logistic regression with a ridge of 1, by Newton's method."""
    weights = np.zeros(columns.shape[1])
    for _ in range(12):
        share = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        slope = columns.T @ (wanted - share) - weights
        bend = (columns * (share * (1 - share))[:, None]).T @ columns + np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def actions(table: Table, found: Sequence[Comparison]) -> dict[str, Any]:
    done = np.array([action(one) for one in found])
    print("\naction")
    names = ("merge", "supersede", "contradict", "queue", "keep")
    return {name: show(name, table.shares(done == name)) for name in names}


def recognised(updates: Sequence[Update], vectors: Vectors) -> dict[str, Any]:
    """Return of the real updates how many are seen as one, by kind, and how many would be merged."""
    kinds: dict[str, dict[str, int]] = {}
    for one in updates:
        found = [
            compare(Statement(new), Statement(old), float(vectors[new] @ vectors[old]))
            for new in one.second
            for old in one.first
            if new.strip() != old.strip()
        ]
        if not found:
            continue
        counts = kinds.setdefault(one.kind, {"pairs": 0, "changes or contradicts": 0, "acted on": 0, "merged": 0})
        counts["pairs"] += 1
        counts["changes or contradicts"] += any(each.relation in {"changes", "contradicts"} for each in found)
        counts["acted on"] += any(action(each) in {"supersede", "contradict"} for each in found)
        counts["merged"] += any(action(each) == "merge" for each in found)
    print("\nupdates: whole messages of a user")
    for kind, counts in kinds.items():
        print(f"{kind:38}" + ", ".join(f"{name} {count}" for name, count in counts.items()))
    return kinds


def own() -> dict[str, Any]:
    """Return what is done with the pairs that were written for this, by kind and half."""
    kinds = {name: written(OWN / f"{name}.tsv") for name in ("contradict", "beside", "look_alike", "same")}
    vectors = embedded(sorted({text for pairs in kinds.values() for pair in pairs for text in pair}, key=len), None)
    print(f"\n{'own pairs':38}" + "".join(f"{name:>10}" for name in ("pairs", "linked", "merged", "floor")))
    figures: dict[str, Any] = {}
    for name, pairs in kinds.items():
        halves = {"": pairs} if name == "look_alike" else {"read": pairs[::2], "unread": pairs[1::2]}
        for half, some in halves.items():
            cosines = [float(vectors[old] @ vectors[new]) for old, new in some]
            ways = [
                (compare(Statement(new), Statement(old), cosine), compare(Statement(old), Statement(new), cosine))
                for (old, new), cosine in zip(some, cosines, strict=True)
            ]
            counts = {
                "pairs": len(some),
                "linked": sum(all(action(one) in {"supersede", "contradict"} for one in way) for way in ways),
                "merged": sum(any(action(one) == "merge" for one in way) for way in ways),
                "floor": sum(cosine > LINKED for cosine in cosines),
            }
            figures[f"{name} {half}".strip()] = counts
            print(f"{name + ' ' + half:38}" + "".join(f"{count:10}" for count in counts.values()))
    return figures


def written(path: Path) -> list[tuple[str, str]]:
    """Return pairs of an old and a new text from a table of language, old and new."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return [(old, new) for _, old, new in rows]


def timing(pairs: Sequence[Pair], cosines: npt.NDArray[np.float64]) -> dict[str, float]:
    """Microseconds per pair of about 200 characters; the floor splits both texts into words and compares the sets."""
    some = [
        (pair, cosine)
        for pair, cosine in zip(pairs, cosines.tolist(), strict=True)
        if 160 <= len(pair.a) <= 240 and 160 <= len(pair.b) <= 240
    ]

    def took(work: Callable[[Pair, float], object], *, fresh: bool) -> float:
        times: list[float] = []
        for pair, cosine in some:
            if fresh:
                for kept in (read, canon, spelled_out, events, asserted, weakened, plainer):
                    kept.cache_clear()
            start = perf_counter()
            work(pair, cosine)
            times.append((perf_counter() - start) * 1e6)
        return round(statistics.median(times), 1)

    def compared(pair: Pair, cosine: float) -> Comparison:
        return compare(Statement(pair.b), Statement(pair.a), cosine)

    def split(pair: Pair, cosine: float) -> bool:
        return cosine > COSINE and set(pair.a.lower().split()) == set(pair.b.lower().split())

    figures = {
        "pairs": float(len(some)),
        "both_unread_us": took(compared, fresh=True),
        "floor_us": took(split, fresh=False),
    }
    some = some[:500]
    for pair, cosine in some:
        compared(pair, cosine)
    figures["both_read_us"] = took(compared, fresh=False)
    print(
        f"\none pair of about 200 characters: median {figures['both_unread_us']:.0f} us, "
        f"{figures['both_read_us']:.0f} us where both were read before; words as sets: {figures['floor_us']:.1f} us"
    )
    return figures


def show(name: str, shares: dict[str, float]) -> dict[str, float]:
    print(f"{name:38}" + "".join(f"{shares[label]:10.4f}" if label in shares else f"{'':10}" for label in LABELS))
    return shares


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairs", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="folder with pairs and beam100k")
    parser.add_argument("--vectors", type=Path, help="an .npz to keep the vectors in")
    given = parser.parse_args(arguments)
    figures = run(given.data, given.vectors)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "pairs.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
