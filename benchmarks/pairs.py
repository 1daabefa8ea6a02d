"""How well duplicates are told from contradictions, on labelled pairs of sentences from public sets.

`merged` is the share that would become one memory: what is equal in its canonical form; `in doubt` what is queued until
a model can be asked. Floors: cosine above 0.85, and the same words in lower case without articles and marks.

`update_pairs` are real old and new statements of one user: whole messages, of which a sentence changes something. Of
several messages a pair counts as recognised where any two are. Identical messages on both sides are left out.

`own pairs` are memories written for this: of `contradict` only one can be so, of `beside` and `look alike` (written to
mislead) both, `same` says the same; in English, German, French and Spanish. The floor links whatever is closer than
0.75.

Reads `pairs/dev.jsonl` and `beam100k/update_pairs.jsonl` from a data folder, which is not part of this repository.
"""

import argparse
import json
import re
import statistics
import sys
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
from memoryd_actors.comparison.decision import MERGE
from memoryd_actors.core.remembered import forget_texts
from memoryd_actors.ports.embedder import Vector

DATA = Path(__file__).parents[2] / "shared" / "data"
RESULTS = Path(__file__).parent / "results"
LABELS = ("dup", "near", "related", "conflict")
COSINE = 0.85
OWN = Path(__file__).parent / "own_pairs"
LINKED = 0.75
PLAIN = re.compile(r"\b(?:an?|the)\b|[^\w\s]")
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
    same = np.array([one.confidence if one.relation == "same" else 0.0 for one in found])
    rules: dict[str, Mask] = {
        f"floor: cosine > {COSINE}": cosines > COSINE,
        "floor: plain words": np.array([plain(pair.a) == plain(pair.b) for pair in pairs]),
        f"same from {MERGE}": same >= MERGE,
    }
    print(f"\n{'merged':38}" + "".join(f"{label:>10}" for label in LABELS))
    figures: dict[str, Any] = {"merged": {}, "by set": {}}
    for name, mask in rules.items():
        figures["merged"][name] = show(name, table.shares(mask))
    print(f"\nby set, same from {MERGE}")
    for name in sorted(set(table.set.tolist())):
        figures["by set"][name] = show(name, table.shares(same >= MERGE, within=table.set == name))
    return figures


def plain(text: str) -> list[str]:
    """Return the words of a text in lower case, without articles and marks."""
    return PLAIN.sub(" ", text.casefold()).split()


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
    """Return what is done with the pairs that were written for this, by kind."""
    kinds = {name: written(OWN / f"{name}.tsv") for name in ("contradict", "beside", "look_alike", "same")}
    vectors = embedded(sorted({text for pairs in kinds.values() for pair in pairs for text in pair}, key=len), None)
    print(f"\n{'own pairs':38}" + "".join(f"{name:>10}" for name in ("pairs", "linked", "merged", "in doubt", "floor")))
    figures: dict[str, Any] = {}
    for name, pairs in kinds.items():
        cosines = [float(vectors[old] @ vectors[new]) for old, new in pairs]
        ways = [
            (compare(Statement(new), Statement(old), cosine), compare(Statement(old), Statement(new), cosine))
            for (old, new), cosine in zip(pairs, cosines, strict=True)
        ]
        counts = {
            "pairs": len(pairs),
            "linked": sum(all(action(one) in {"supersede", "contradict"} for one in way) for way in ways),
            "merged": sum(any(action(one) == "merge" for one in way) for way in ways),
            "in doubt": sum(any(action(one) == "queue" for one in way) for way in ways),
            "floor": sum(cosine > LINKED for cosine in cosines),
        }
        figures[name] = counts
        print(f"{name:38}" + "".join(f"{count:10}" for count in counts.values()))
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
                forget_texts()
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
