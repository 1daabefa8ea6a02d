"""`python -m benchmarks.daily.fit PEOPLE CONVERSATIONS`: fit the local judge's weights, and say what they do.

The candidates of persons' days and of questions about conversations (their own and another's) are put together, each
kind of data with the same weight. Each person is left out once, and the figures are of the person who was left out;
the weights that are printed at the end are of all. Nothing is written.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import mean

import anyio
import numpy as np
from numpy.typing import NDArray

from benchmarks.daily.data import Person, Typed, read
from benchmarks.gate import Trial, at, decisions, outcome, trials_of
from benchmarks.recall.data import available, variants
from benchmarks.vectors import Embeddings
from memoryd_actors.judging.local_judge import THRESHOLDS, Features, JudgeWeights, LocalJudge, features, likelihood
from memoryd_actors.memory.case import Case, Exhibit, StoreStatistics
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.stems import stem_set, stems

STANDING = frozenset({"rule", "preference", "correction", "profile"})
"""Categories that stand in every context."""
SHOWN = RecallSettings().judged
WORDS = 0.3
"""Of a candidate's score; the cosine has the rest."""
CURVE = (0.06, 0.08, 0.10, 0.13, 0.16, 0.20, 0.235, 0.27, 0.31, 0.35, 0.40, 0.50)
FOREIGN = 10.0
"""What a question put to another conversation counts: most of what people type needs no memory at all."""
ROUNDS = 6
PENALTY = 1.0
"""Of the squares of the weights, against as many examples as there are."""
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Candidates: their features, whether they were wanted, and how much each counts."""

    features: Matrix
    wanted: Matrix
    weight: Matrix


class Days:
    """A person's days, with what stands in every context taken out of the candidates."""

    def __init__(self, person: Person, embeddings: Embeddings) -> None:
        self.person = person
        self._vectors = embeddings.of([memory.text for memory in person.memories])
        self._requests = [told_apart(turn.user).text for turn in person.turns]
        self._messages = embeddings.of(self._requests)
        self._stems = [stem_set(memory.text) for memory in person.memories]
        df = Counter(stem for words in self._stems for stem in words)
        self._rarity = {stem: 1 / count for stem, count in df.items()}
        self._df = df
        self.standing = {memory.id for memory in person.memories if memory.category in STANDING}

    def case(self, number: int, known: set[str]) -> Case:
        """Return what the judge is shown for a turn, where the agent has `known` in its context."""
        request = self._requests[number]
        asked = stems(request)
        cosines = self._vectors @ self._messages[number]
        total = sum(self._rarity.get(stem, 1.0) for stem in asked) or 1.0
        shares = [sum(self._rarity[stem] for stem in asked if stem in words) / total for words in self._stems]
        scores = (1 - WORDS) * np.maximum(cosines, 0) + WORDS * np.array(shares)
        order = [n for n in np.argsort(-scores) if self.person.memories[n].id not in known][:SHOWN]
        return Case(
            request,
            "",
            tuple(
                Exhibit(
                    id=memory.id,
                    text=memory.text,
                    category=memory.category,
                    date=datetime(2026, 1, 1, tzinfo=UTC),
                    trust=0.5,
                    vector_score=float(cosines[n]),
                    word_score=shares[n],
                    score=float(scores[n]),
                )
                for n in order
                for memory in (self.person.memories[n],)
            ),
            store=StoreStatistics(len(self.person.memories), {stem: self._df[stem] for stem in asked}),
        )

    def walk(self) -> Iterator[tuple[int, Typed, set[str]]]:
        """Yield each turn with what the agent knows before it; whoever takes it adds what was handed over."""
        session, known = "", set[str]()
        for number, turn in enumerate(self.person.turns):
            if turn.session != session:
                session, known = turn.session, set(self.standing)
            yield number, turn, known

    def examples(self) -> Iterator[tuple[Features, bool]]:
        """Yield the candidates of all turns but those that are fine, as if what was wanted had been handed over."""
        for number, turn, known in self.walk():
            case = self.case(number, known)
            for exhibit, found in zip(case.exhibits, features(case)[0], strict=True):
                if exhibit.id not in turn.fine:
                    yield found, exhibit.id in turn.relevant
            known.update(turn.relevant)

    async def figures(self, judge: LocalJudge) -> tuple[float, float, float, float]:
        """Return the shares in context, right, needless turns quiet, near turns quiet."""
        needed: list[bool] = []
        right: list[bool] = []
        quiet: dict[str, list[bool]] = {"needless": [], "near": []}
        for number, turn, known in self.walk():
            case = self.case(number, known)
            kept = {case.exhibits[verdict.index].id for verdict in (await judge.judge(case)).kept}
            known.update(kept)
            needed += [name in known for name in turn.relevant]
            right += [name in turn.relevant | turn.fine for name in kept]
            if turn.kind in quiet:
                quiet[turn.kind].append(not kept)
        return mean(needed), mean(right) if right else 1.0, mean(quiet["needless"]), mean(quiet["near"])


def gathered(found: Sequence[tuple[Features, bool]], weight: float) -> Examples:
    """Return candidates that count as much as `weight` together."""
    wanted = np.array([float(one) for _, one in found])
    return Examples(
        np.array([each.values for each, _ in found]), wanted, np.full(len(found), weight * 1000 / len(found))
    )


def gating(trials: Sequence[Trial], weights: JudgeWeights, weight: float) -> Examples:
    """Return the most likely candidate of each question: wanted where the question is about this conversation.

    Of what comes with it the judge decides by other means. Questions of which no answer is among the candidates are
    left out.
    """
    rows: list[tuple[float, ...]] = []
    wanted: list[float] = []
    for trial in trials:
        found = features(trial.case)[0]
        there = any(exhibit.id in trial.evidence for exhibit in trial.case.exhibits)
        if found and (trial.kind == "foreign" or (trial.kind == "own" and there)):
            rows.append(max((each.values for each in found), key=lambda values: likelihood(values, weights)))
            wanted.append(float(trial.kind == "own"))
    target = np.array(wanted)
    counts = np.where(target > 0, 1.0, FOREIGN) * weight * 1000 / len(target)
    return Examples(np.array(rows), target, counts)


def fit_both(days: Sequence[Examples], conversations: Sequence[Sequence[Trial]]) -> JudgeWeights:
    """Return the weights for both kinds of data; which candidate is the most likely depends on them, so some rounds."""
    weights = JudgeWeights()
    for _ in range(ROUNDS):
        weights = fit([*days, *(gating(trials, weights, 1 / len(conversations)) for trials in conversations)])
    return weights


def fit(parts: Sequence[Examples]) -> JudgeWeights:
    """Return the weights of the greatest likelihood with a quadratic penalty, by Newton's method."""
    matrix = np.concatenate([part.features for part in parts])
    matrix = np.hstack([matrix, np.ones((len(matrix), 1))])
    wanted, weight = np.concatenate([part.wanted for part in parts]), np.concatenate([part.weight for part in parts])
    penalty = np.diag([PENALTY] * (matrix.shape[1] - 1) + [0.0])
    solution = np.zeros(matrix.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-matrix @ solution))
        slope = matrix.T @ (weight * (wanted - likely)) - penalty @ solution
        curvature = (matrix * (weight * likely * (1 - likely))[:, None]).T @ matrix + penalty
        step = np.linalg.solve(curvature, slope)
        solution = solution + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return JudgeWeights(*(round(float(one), 3) for one in solution))


async def show(days: Sequence[Days], weights: Sequence[JudgeWeights], title: str) -> None:
    """Print what each threshold does, on the mean over persons."""
    print(f"\n{title}\n{'threshold':>12}{'in context':>12}{'right':>8}{'quiet':>8}{'near quiet':>12}")
    for threshold in CURVE:
        found = [
            await one.figures(LocalJudge(threshold=threshold, weights=each))
            for one, each in zip(days, weights, strict=True)
        ]
        figures = [mean(column) for column in zip(*found, strict=True)]
        name = next((name for name, value in THRESHOLDS.items() if value == threshold), "")
        print(
            f"{threshold:12}"
            + "".join(f"{figure:{wide}.3f}" for figure, wide in zip(figures, (12, 8, 8, 12), strict=True))
            + f"  {name}"
        )


async def show_conversations(name: str, trials: Sequence[Trial], weights: JudgeWeights) -> None:
    """Print what each threshold does to a data set's questions."""
    decided = await decisions(trials, LocalJudge(threshold=0.0, weights=weights))
    print(f"\n{name}\n{'threshold':>12}{'evidence':>12}{'clean':>8}")
    for threshold in CURVE:
        found = outcome(trials, at(decided, threshold))
        print(f"{threshold:12}{found.evidence:12.3f}{found.clean or 1.0:8.3f}")


async def run(people: Path, conversations: Path, embeddings: Embeddings) -> None:
    """Fit and print."""
    days = [Days(person, embeddings) for person in read(people)]
    own = [gathered(list(one.examples()), 1 / len(days)) for one in days]
    sets = variants(conversations, available(conversations))
    asked = {data.name: await trials_of(data, embeddings, others=1) for data in sets}
    others = list(asked.values())
    shipped = JudgeWeights()
    await show(days, [shipped] * len(days), "As shipped")
    left_out = [fit_both([*own[:n], *own[n + 1 :]], others) for n in range(len(days))]
    await show(days, left_out, "Fitted without the person")
    fitted = fit_both(own, others)
    for name, trials in asked.items():
        await show_conversations(f"{name}, as shipped", trials, shipped)
        await show_conversations(f"{name}, fitted", trials, fitted)
    print("\nOf all:", fitted)
    print("Shipped:", shipped)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.daily.fit", description=__doc__)
    parser.add_argument("people", type=Path, help="a file a person")
    parser.add_argument("conversations", type=Path, help="a folder a data set, as for benchmarks.recall")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    given = parser.parse_args()
    anyio.run(partial(run, given.people, given.conversations, Embeddings(given.cache)))


if __name__ == "__main__":
    main()
