"""What is shown once: how many true duplicates a rule recognises, and how many pairs that contradict each other.

Reads `pairs` (dev.jsonl: a, b, label) from a data folder, which is not part of this repository. Most of its duplicates
are paraphrases, which no rule about words can know; the rule must be right where it speaks. The floors are equal text,
the same words in any order, and the cosine alone.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import msgspec

from benchmarks.recall.data import DEFAULT
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd_actors.core.remembered import forget_texts
from memoryd_actors.searching.near_identical import DatedText, adds_nothing
from memoryd_actors.texts.words import content_words

LABELS = ("dup", "near", "related", "conflict")
COSINES = (0.85, 0.95, 0.99)
Rule = Callable[["Pair"], bool]


class Pair(msgspec.Struct):
    """Two texts and what they are to each other."""

    a: str
    b: str
    label: str
    set: str
    cosine: float = 0.0


def same_words(pair: Pair) -> bool:
    """Return whether both have the same words, in any order."""
    return sorted(content_words(pair.a)) == sorted(content_words(pair.b))


def near_identical(pair: Pair) -> bool:
    one, other = DatedText(pair.a), DatedText(pair.b)
    return adds_nothing(one, other) and adds_nothing(other, one)


def above(cosine: float) -> Rule:
    """Return the rule that goes by the cosine."""
    return lambda pair: pair.cosine > cosine


def run(folder: Path = DEFAULT, *, embeddings: Embeddings | None = None, cosines: bool = True) -> dict[str, object]:
    """Measure every rule on every pair; print the tables. `cosines` says whether those are measured as well."""
    source = pairs_of(folder)
    if not source.is_file():
        sys.exit(no_data(folder))
    pairs = [msgspec.json.decode(line, type=Pair) for line in source.read_bytes().splitlines() if line]
    rules: dict[str, Rule] = {
        "equal text": lambda pair: pair.a == pair.b,
        "same words, any order": same_words,
        "near identical": near_identical,
    }
    if cosines:
        embed(pairs, embeddings or Embeddings())
        rules |= {f"cosine > {cosine}": above(cosine) for cosine in COSINES}
    counts = {label: sum(pair.label == label for pair in pairs) for label in LABELS}
    print("share of pairs called the same: " + ", ".join(f"{count} {label}" for label, count in counts.items()))
    print(f"{'':24}" + "".join(f"{label:>10}" for label in LABELS))
    figures: dict[str, object] = {"pairs": counts}
    for name, rule in rules.items():
        called = shares(pairs, rule)
        print(f"{name:24}" + "".join(f"{called[label]:10.4f}" for label in LABELS))
        figures[name] = called
    figures["by set"] = by_set(pairs, rules["near identical"])
    figures["timing"] = timing(pairs)
    return figures


def pairs_of(folder: Path) -> Path:
    """Return where a folder has its pairs."""
    return folder / "pairs" / "dev.jsonl"


def no_data(folder: Path) -> str:
    """Return what to say where a folder has no pairs."""
    return f"missing: {pairs_of(folder)}; name the data folder: python -m benchmarks.duplicates FOLDER"


def shares(pairs: Sequence[Pair], rule: Rule) -> dict[str, float]:
    """Return by label the share of pairs that a rule calls the same."""
    called: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        called[pair.label].append(rule(pair))
    return {label: sum(some) / len(some) for label, some in called.items()}


def by_set(pairs: Sequence[Pair], rule: Rule) -> dict[str, float]:
    """Return the same by label and set, and print where it is not zero."""
    called: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        called[f"{pair.label} {pair.set}"].append(rule(pair))
    print("\nnear identical, by set (zero elsewhere):")
    for name, some in sorted(called.items()):
        if any(some):
            print(f"{name:34}{len(some):6}{sum(some) / len(some):8.4f}")
    return {name: sum(some) / len(some) for name, some in sorted(called.items())}


def timing(pairs: Sequence[Pair]) -> dict[str, float]:
    """Microseconds per pair of texts not seen before; the floor is splitting both at blanks."""

    def spent(work: Callable[[Pair], object]) -> float:
        began = perf_counter()
        for pair in pairs:
            work(pair)
        return (perf_counter() - began) * 1e6 / len(pairs)

    forget_texts()
    figures = {
        "first_us": spent(near_identical),
        "floor_us": spent(lambda pair: pair.a.lower().split() == pair.b.lower().split()),
    }
    print(f"\na pair: {figures['first_us']:.1f} us; splitting both at blanks: {figures['floor_us']:.1f} us")
    return figures


def embed(pairs: Sequence[Pair], embeddings: Embeddings) -> None:
    """Note the cosine of every pair."""
    texts = sorted({text for pair in pairs for text in (pair.a, pair.b)})
    vectors = dict(zip(texts, embeddings.of(texts), strict=True))
    for pair in pairs:
        pair.cosine = float(vectors[pair.a] @ vectors[pair.b])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, keep the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.duplicates", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT, help="folder with pairs")
    parser.add_argument("--words-only", action="store_true", help="leave the cosines out: seconds instead of minutes")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    figures = run(given.data, embeddings=Embeddings(given.cache), cosines=not given.words_only)
    print(f"\nJSON: {write(given.results, 'duplicates', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
