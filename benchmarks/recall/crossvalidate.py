"""Whether the ranking's weights hold for conversations that they were not fitted on.

`python -m benchmarks.recall.crossvalidate [FOLDER]` divides the conversations into folds. For each fold the weights of
`memoryd_actors.searching.ranking` are fitted on the other conversations of all sets at once, and the fold's questions
are ranked with them. Beside these held-out figures stand the floor, meaning and words alone; the weights as they are
shipped, which were fitted with all of the folder's usual sets in view; and a fit on everything, measured on the same:
as far as it lies above the held-out figures, the fit is an illusion.

A score is linear in the weights once the worth of what stands around a memory is known, so a fit is a logistic
regression of each piece of evidence against the pool's other memories, by Newton's method, every set counting alike.
What is around is then valued with the new weights, and all is fitted once more. `brief` and `full` stay as they are.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from benchmarks.recall.data import DEFAULT, available, no_data, variants
from benchmarks.recall.metrics import interval, recall
from benchmarks.recall.pools import Pool, fused_order, own_pools
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd_actors.searching.ranking import RankingWeights, rank

Matrix = npt.NDArray[np.float64]
Order = Callable[[Pool], Sequence[str]]
FOLDS = 4
RIDGE = 3e-5
"""Of the squared weights, beside the mean loss of a question: it settles what no question speaks of. Held-out recall is
the same with 1e-5."""
ROUNDS = 2
STEPS = 12
"""Of Newton's method, at most: it ends where no step helps."""
OWN = ("meaning", "index_words", "share")
AROUND = ("before", "two_before", "after")
BOOSTS = {
    "session": "session",
    "named": "named speaker",
    "own_voice": "own voice",
    "month": "month",
    "rule": "rule",
    "advised": "advice",
    "substance": "substance",
}
"""Weights that have a boost of their own in what `rank` returns, and its name there."""
FITTED = (*OWN, *AROUND, *BOOSTS)
_SILENT: dict[str, Any] = dict.fromkeys((*AROUND, *BOOSTS), 0.0)


@dataclass(frozen=True)
class Example:
    """A question whose evidence, or some of it, is in its pool."""

    features: Matrix
    """Per memory what a weight of 1 would add; shape (n, 13), in the order of FITTED."""
    right: npt.NDArray[np.bool_]


def features(pool: Pool, weights: RankingWeights) -> Matrix:
    """Return per memory what each weight, were it 1, would add to its score.

    They are read off `rank` itself, with weights that let one thing speak at a time.
    """
    at = {one.id: n for n, (one, _) in enumerate(pool.found)}
    table = np.zeros((len(at), len(FITTED)))

    def ask(probe: RankingWeights, read: dict[str, int]) -> None:
        for one in rank(pool.question.query, pool.found, probe):
            boosts = dict(one.boosts)
            for name, column in read.items():
                table[at[one.id], column] = boosts.get(name, 0.0) * probe.most

    for one, _ in pool.found:
        table[at[one.id], :2] = min(max(one.vector_score, 0.0), 1.0), one.word_score
    words = replace(weights, meaning=0.0, index_words=0.0, share=1.0, **_SILENT)
    for one in rank(pool.question.query, pool.found, words):
        table[at[one.id], 2] = one.score
    for name in AROUND:
        ask(replace(weights, **_SILENT | {name: 1.0}), {"neighbours": FITTED.index(name)})
    ask(
        replace(weights, **_SILENT | dict.fromkeys(BOOSTS, 1.0)),
        {boost: FITTED.index(name) for name, boost in BOOSTS.items()},
    )
    return table


def examples(pools: Iterable[Pool], weights: RankingWeights) -> list[Example]:
    """Return what there is to learn from some pools."""
    found: list[Example] = []
    for pool in pools:
        right = np.array([one.id in pool.evidence for one, _ in pool.found], bool)
        if right.any() and not right.all():
            found.append(Example(features(pool, weights), right))
    return found


def fit(sets: Sequence[Sequence[Pool]], start: RankingWeights = RankingWeights()) -> RankingWeights:
    """Return the weights that set evidence apart from the rest of its pool; every set counts alike.

    Raises:
        ValueError: there is nothing to learn from.
    """
    weights = start
    for _ in range(ROUNDS):
        learnt = [examples(some, weights) for some in sets]
        if not any(learnt):
            raise ValueError("no pool has both evidence and something else")
        weighed = [(one, 1.0 / len(some)) for some in learnt for one in some]
        weights = named(_newton(weighed), weights)
    return weights


def named(values: Matrix, weights: RankingWeights) -> RankingWeights:
    """Return fitted values as weights, on the scale on which a memory's own text is worth at most 1."""
    own = float(values[: len(OWN)].sum())
    fitted: dict[str, Any] = {name: float(value / own) for name, value in zip(FITTED, values, strict=True)}
    return replace(weights, **fitted)


def _newton(weighed: Sequence[tuple[Example, float]]) -> Matrix:
    """Minimise the sum over questions of the mean of `-log p(evidence)`, by Newton's method with halved steps."""
    values = np.full(len(FITTED), 1.0)
    loss, slope, bend = _loss(values, weighed)
    for _ in range(STEPS):
        step = np.linalg.solve(bend, slope)
        for halved in range(10):
            tried = values - step / 2**halved
            lower, new_slope, new_bend = _loss(tried, weighed)
            if lower < loss:
                values, loss, slope, bend = tried, lower, new_slope, new_bend
                break
        else:
            break
    return values


def _loss(values: Matrix, weighed: Sequence[tuple[Example, float]]) -> tuple[float, Matrix, Matrix]:
    """Return the loss, its gradient and its Hessian."""
    loss = RIDGE / 2 * float(values @ values)
    slope = RIDGE * values
    bend = RIDGE * np.eye(len(values))
    for one, weight in weighed:
        scores = one.features @ values
        scores -= scores.max()
        powers = np.exp(scores)
        wrong = one.features[~one.right]
        mass = powers[~one.right]
        total, first = mass.sum(), mass @ wrong
        second = (wrong * mass[:, None]).T @ wrong
        places = np.flatnonzero(one.right)
        for at in places:
            # Against what is wrong only: pieces of evidence do not compete with one another.
            row, power = one.features[at], powers[at]
            whole = total + power
            middle = (first + power * row) / whole
            share = weight / len(places)
            loss += share * float(np.log(whole) - scores[at])
            slope = slope + share * (middle - row)
            bend = bend + share * ((second + power * np.outer(row, row)) / whole - np.outer(middle, middle))
    return loss, slope, bend


def folds(sets: Sequence[Sequence[Pool]], count: int) -> list[frozenset[str]]:
    """Deal the conversations of each set out in turn; sets that share conversations share folds."""
    dealt: list[set[str]] = [set() for _ in range(count)]
    seen: set[str] = set()
    for some in sets:
        groups = dict.fromkeys(one.group for one in some)
        for n, group in enumerate(one for one in groups if one not in seen):
            dealt[n % count].add(group)
        seen |= groups.keys()
    return [frozenset(one) for one in dealt if one]


def ranked(weights: RankingWeights) -> Order:
    """Return the order of the ranking with some weights."""
    return lambda pool: [one.id for one in rank(pool.question.query, pool.found, weights)]


def measure(name: str, sets: dict[str, list[Pool]], order: Order) -> dict[str, dict[str, float]]:
    """Print and return R@5 and R@10 of each set."""
    figures: dict[str, dict[str, float]] = {}
    for key, some in sets.items():
        orders = [(order(one), one.evidence) for one in some]
        values = {f"R@{at}": [recall(ids, right, at) for ids, right in orders] for at in (5, 10)}
        low, high = interval(values["R@5"])
        figures[key] = {name: sum(some) / len(some) for name, some in values.items()} | {"low": low, "high": high}
    cells = (f"{one['R@5']:.3f} ±{(one['high'] - one['low']) / 2:.3f}/{one['R@10']:.3f}" for one in figures.values())
    print(f"{name:34}" + "".join(f"{cell:>28}" for cell in cells), flush=True)
    return figures


def run(folder: Path, cache: Path | None = None, count: int = FOLDS) -> dict[str, Any]:
    """Measure floor, shipped weights, held-out fits and the fit on everything; print the table."""
    names = available(folder)
    if not names:
        sys.exit(no_data(folder, "benchmarks.recall.crossvalidate"))
    embeddings = Embeddings(cache)
    sets: dict[str, list[Pool]] = {}
    for data in variants(folder, names):
        sets[data.name] = anyio.run(own_pools, data, embeddings)
        print(f"{data.name}: {len(sets[data.name])} questions searched for", file=sys.stderr, flush=True)
    parts = folds(list(sets.values()), count)
    if len(parts) < 2:
        sys.exit(f"{folder} has one conversation: nothing can be held out")
    print(f"R@5 with its interval and R@10; {len(parts)} folds of conversations")
    print(f"{'':34}" + "".join(f"{name:>28}" for name in sets))
    figures: dict[str, Any] = {
        "meaning and words alone": measure("meaning and words alone", sets, fused_order),
        "shipped": measure("shipped weights", sets, ranked(RankingWeights())),
    }
    by_group: dict[str, Order] = {}
    for n, part in enumerate(parts, 1):
        fitted = fit([[one for one in some if one.group not in part] for some in sets.values()])
        by_group |= dict.fromkeys(part, ranked(fitted))
        print(f"fold {n} of {len(parts)} fitted", file=sys.stderr, flush=True)
    figures["held out"] = measure("fitted on other conversations", sets, lambda pool: by_group[pool.group](pool))
    whole = fit(list(sets.values()))
    figures["fitted on all"] = measure("fitted on the same", sets, ranked(whole))
    print(f"\n{'weight':14}{'shipped':>9}{'fitted':>9}")
    figures["weights"] = {name: [getattr(RankingWeights(), name), getattr(whole, name)] for name in FITTED}
    for name, (mine, theirs) in figures["weights"].items():
        print(f"{name:14}{mine:9.2f}{theirs:9.2f}")
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.crossvalidate", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file (minutes become seconds)")
    parser.add_argument("--folds", type=int, default=FOLDS, help=f"of conversations ({FOLDS})")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    figures = run(given.folder, given.cache, given.folds)
    print(f"\nJSON: {write(given.results, 'crossvalidate', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
