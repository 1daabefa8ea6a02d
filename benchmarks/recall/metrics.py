"""What a ranking is worth: pure functions over ids. Every figure is of one question, from 0 to 1."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

CUTS = (1, 3, 5, 10)


def recall(ranked: Sequence[str], relevant: Collection[str], at: int) -> float:
    """Return the share of what is relevant that is among the first `at`.

    Raises:
        ValueError: nothing is relevant.
    """
    if not relevant:
        raise ValueError("recall needs something relevant")
    return len(set(ranked[:at]) & set(relevant)) / len(set(relevant))


def hit(ranked: Sequence[str], relevant: Collection[str], at: int) -> float:
    """Return 1 where anything relevant is among the first `at`, else 0."""
    return float(not set(relevant).isdisjoint(ranked[:at]))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 over the place of the first relevant one, 0 where there is none."""
    return next((1.0 / place for place, one in enumerate(ranked, 1) if one in relevant), 0.0)


def ndcg(ranked: Sequence[str], relevant: Collection[str], at: int) -> float:
    """Return the discounted gain of the first `at` over the best possible, gains being 0 or 1.

    Raises:
        ValueError: nothing is relevant.
    """
    if not relevant:
        raise ValueError("nDCG needs something relevant")
    gained = sum(1.0 / math.log2(place + 1) for place, one in enumerate(ranked[:at], 1) if one in relevant)
    possible = sum(1.0 / math.log2(place + 1) for place in range(1, min(at, len(set(relevant))) + 1))
    return gained / possible


def firsts(values: Iterable[str]) -> list[str]:
    """Return the different values in the order in which each first appears."""
    return list(dict.fromkeys(values))


def ranking(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Return all figures of one ranking of at least ten."""
    figures = {f"R@{at}": recall(ranked, relevant, at) for at in CUTS}
    figures["hit@5"] = hit(ranked, relevant, 5)
    figures["nDCG@10"] = ndcg(ranked, relevant, 10)
    figures["MRR"] = reciprocal_rank(ranked[:10], relevant)
    return figures


def interval(values: Sequence[float], *, share: float = 0.95, rounds: int = 2000, seed: int = 1) -> tuple[float, float]:
    """Return where the mean lies with probability `share`, by bootstrap over the questions.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("an interval needs values")
    sample = np.array(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = sample[generator.integers(0, len(sample), (rounds, len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def summary(questions: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return mean and interval of every figure over all questions."""
    found: dict[str, dict[str, float]] = {}
    for name in questions[0] if questions else ():
        values = [one[name] for one in questions]
        low, high = interval(values)
        found[name] = {"mean": sum(values) / len(values), "low": low, "high": high}
    return found
