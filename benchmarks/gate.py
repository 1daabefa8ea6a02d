"""Where the local judge draws the line: how much true evidence passes while foreign questions stay without an answer.

Every question is asked of its own conversation's memories and of other conversations'. A foreign question is clean
where nothing is kept; a question of its own conversation that has no answer there is quiet where nothing is. Of the
questions' own evidence, the share is counted that is among the at most five memories kept; the ceiling is the evidence
among the ten candidates that the judge is shown. The candidates come from the real index, ranked by the product.

The floors are a hard one under the cosine, 0.4, and the cosine where 95% of the foreign questions stay clean.
Beside the judge as it is shipped stands the judge with other thresholds, the one where 95% stay clean among them.

Reads every folder with memories.jsonl and queries.jsonl in a data folder, which is not part of this repository.
"""

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import numpy as np

from benchmarks.recall.data import DEFAULT, UNANSWERABLE, Asked, DataSet, available, no_data, variants
from benchmarks.recall.pools import NOW, OWNER, Pool, library
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd_actors.judging.local_judge import THRESHOLDS, LocalJudge
from memoryd_actors.memory.case import Case, Exhibit
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.recall.weighing import LONGEST_EXHIBIT
from memoryd_actors.searching.near_identical import DatedText, adds_nothing, told
from memoryd_actors.searching.ranking import rank
from memoryd_client.wire.memory import Memory

SHOWN, KEPT = RecallSettings().judged, 5
CLEAN = 0.95
FLOOR = 0.4
OTHERS = 3
"""Conversations that a question is put to beside its own."""


@dataclass(frozen=True)
class Trial:
    """A question put to one conversation's memories."""

    case: Case
    evidence: frozenset[str]
    kind: str
    """own, foreign, or why there is no answer: adversarial, abstention."""


@dataclass(frozen=True)
class Decided:
    """What the judge would keep of a trial at any threshold that its best exhibit reaches."""

    best: float
    """Score of the best exhibit; -1 where nothing would be kept in any case."""
    kept: tuple[str, ...]
    """Ids, best first."""


@dataclass(frozen=True)
class Outcome:
    """What a rule does on all trials."""

    clean: float | None
    """Of foreign questions; None without one."""
    quiet: float | None
    """Of questions about its own conversation that have no answer there; None without one."""
    evidence: float
    precision: float
    kept: float


def run(folder: Path = DEFAULT, *, embeddings: Embeddings | None = None, others: int = OTHERS) -> dict[str, Any]:
    """Measure every data set of the folder, print the tables, return the figures."""
    names = available(folder)
    if not names:
        sys.exit(no_data(folder, "benchmarks.gate"))
    embeddings = embeddings or Embeddings()
    figures: dict[str, Any] = {"thresholds": dict(THRESHOLDS)}
    for data in variants(folder, names):
        began = perf_counter()
        trials = anyio.run(partial(trials_of, data, embeddings, others=others))
        print(f"{data.name}: {len(trials)} trials found in {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        figures[data.name] = curve(data.name, trials) | {"timing": timing(trials)}
    return figures


async def trials_of(
    data: DataSet, embeddings: Embeddings, asked: Sequence[Asked] | None = None, *, others: int = OTHERS
) -> list[Trial]:
    """Return questions with the ten candidates that the judge would be shown, one trial per conversation.

    Without `asked`, all of them. Those with an answer are put to the `others` next conversations as well.
    """
    if asked is None:
        asked = [*data.answerable(), *(one for one in data.questions if one.category in UNANSWERABLE)]
    groups = data.groups()
    vectors = embeddings.of([one.query for one in asked])
    trials: list[Trial] = []
    async with library(data, embeddings) as shelves:
        for question, vector in zip(asked, vectors, strict=True):
            unanswerable = question.category in UNANSWERABLE
            at = groups.index(question.group)
            reach = 0 if unanswerable else min(others, len(groups) - 1)
            for further in range(reach + 1):
                pool = await shelves.pool(question, vector, groups[(at + further) % len(groups)])
                kind = "foreign" if further else question.category if unanswerable else "own"
                evidence = pool.evidence if kind == "own" else frozenset[str]()
                case = Case(
                    question.query,
                    "",
                    exhibits(pool),
                    store=shelves.statistics(question.query, pool.group),
                    visible=Visibility(owner=OWNER, project=pool.group),
                )
                trials.append(Trial(case, evidence, kind))
    return trials


def exhibits(pool: Pool) -> tuple[Exhibit, ...]:
    """Return the ten that the judge would be shown, as it would."""
    by_id = {one.id: memory for one, memory in pool.found}
    shown: list[Exhibit] = []
    known: list[DatedText] = []
    for one in rank(pool.question.query, pool.found):
        memory = by_id[one.id]
        new = told(memory)
        if any(adds_nothing(new, each) for each in known):
            continue
        known.append(new)
        date = memory.occurred_at or NOW
        shown.append(
            Exhibit(
                one.id,
                _text(memory),
                memory.category,
                date,
                memory.trust,
                one.vector_score,
                one.word_score,
                one.score,
                speaker=memory.speaker,
                sourced=bool(memory.session),
            )
        )
        if len(shown) == SHOWN:
            break
    return tuple(shown)


def _text(memory: Memory) -> str:
    return (f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content)[:LONGEST_EXHIBIT]


def curve(name: str, trials: Sequence[Trial]) -> dict[str, Any]:
    """Print and return what floors and judge do on a set's trials."""
    own = [one for one in trials if one.kind == "own"]
    foreign = [one for one in trials if one.kind == "foreign"]
    quiet = sorted({one.kind for one in trials} & UNANSWERABLE)
    ceiling = statistics.mean(
        len({exhibit.id for exhibit in one.case.exhibits} & one.evidence) / len(one.evidence) for one in own
    )
    without = len(trials) - len(own) - len(foreign)
    print(
        f"\n{name}: {len(own)} questions with an answer"
        + (f", {without} without ({', '.join(quiet)})" if quiet else "")
        + f", {len(foreign)} put to another conversation; ceiling {ceiling:.3f}"
    )
    print(f"{'':34}{'clean':>8}{'quiet':>8}{'evidence':>10}{'precision':>11}{'kept':>7}")
    figures: dict[str, Any] = {"ceiling": ceiling, "own": len(own), "foreign": len(foreign), "without answer": without}

    def add(key: str, label: str, kept: Sequence[Sequence[str]]) -> None:
        figures[key] = show(label, outcome(trials, kept))

    add("hard floor", f"hard floor, cosine {FLOOR}", [near(one, FLOOR) for one in trials])
    decided = anyio.run(decisions, trials, LocalJudge(threshold=0.0))
    if foreign:
        cosines = [_best_cosine(one) for one in foreign]
        bar = just_above(cosines)
        add(f"cosine at {CLEAN}", f"cosine {bar:.3f} ({CLEAN} clean)", [near(one, bar) for one in trials])
    if foreign:
        bests = [each.best for one, each in zip(trials, decided, strict=True) if one.kind == "foreign"]
        bar = just_above(bests)
        add(f"judge at {CLEAN}", f"judge, threshold {bar:.3f} ({CLEAN} clean)", at(decided, bar))
    for strictness, bar in THRESHOLDS.items():
        add(strictness, f"the judge, {strictness} ({bar})", at(decided, bar))
    return figures


def just_above(values: Sequence[float]) -> float:
    """Return the threshold that 95% of the values do not reach: what lies on a threshold passes."""
    return float(np.nextafter(np.quantile(values, CLEAN, method="higher"), np.inf))


def near(trial: Trial, floor: float) -> list[str]:
    """Return the at most five nearest exhibits that reach a cosine."""
    best = sorted(trial.case.exhibits, key=lambda one: -one.vector_score)[:KEPT]
    return [one.id for one in best if one.vector_score >= floor]


def _best_cosine(trial: Trial) -> float:
    return max((one.vector_score for one in trial.case.exhibits), default=-1.0)


def at(decided: Sequence[Decided], threshold: float) -> list[tuple[str, ...]]:
    """Return what the judge keeps with another threshold."""
    return [one.kept if one.best >= threshold else () for one in decided]


async def decisions(trials: Sequence[Trial], judge: LocalJudge) -> list[Decided]:
    """Ask a judge without a threshold about every trial."""
    found: list[Decided] = []
    for one in trials:
        judgement = await judge.judge(one.case)
        passed = [each for each in judgement.verdicts if each.relevant and each.actionable]
        passed.sort(key=lambda each: -each.score)
        kept = tuple(one.case.exhibits[each.index].id for each in passed[:KEPT])
        best = max((each.score for each in judgement.verdicts), default=-1.0)
        found.append(Decided(best if kept else -1.0, kept))
    return found


def outcome(trials: Sequence[Trial], kept: Sequence[Sequence[str]]) -> Outcome:
    """Return what comes of keeping that."""
    foreign = [not ids for one, ids in zip(trials, kept, strict=True) if one.kind == "foreign"]
    silent = [not ids for one, ids in zip(trials, kept, strict=True) if one.kind in UNANSWERABLE]
    own = [
        (len(one.evidence.intersection(ids)), one, ids)
        for one, ids in zip(trials, kept, strict=True)
        if one.kind == "own"
    ]
    right, all_kept = sum(hits for hits, _, _ in own), sum(len(ids) for _, _, ids in own)
    return Outcome(
        clean=statistics.mean(foreign) if foreign else None,
        quiet=statistics.mean(silent) if silent else None,
        evidence=statistics.mean(hits / len(one.evidence) for hits, one, _ in own) if own else 0.0,
        precision=right / all_kept if all_kept else 0.0,
        kept=all_kept / len(own) if own else 0.0,
    )


def show(label: str, one: Outcome) -> dict[str, float | None]:
    """Print a row; what there are no questions for is blank."""
    shares = "".join(" " * 8 if share is None else f"{share:8.3f}" for share in (one.clean, one.quiet))
    print(f"{label:34}{shares}{one.evidence:10.3f}{one.precision:11.3f}{one.kept:7.1f}", flush=True)
    return {
        "clean": one.clean,
        "quiet": one.quiet,
        "evidence": one.evidence,
        "precision": one.precision,
        "kept": one.kept,
    }


def timing(trials: Sequence[Trial], sample: int = 500) -> dict[str, float]:
    """Milliseconds per case of ten; the floor is splitting the same texts at blanks, without judging."""
    judge = LocalJudge()
    some = trials[:: max(len(trials) // sample, 1)]

    async def judged() -> list[float]:
        took: list[float] = []
        for one in some:
            start = perf_counter()
            await judge.judge(one.case)
            took.append((perf_counter() - start) * 1000)
        return took

    took = anyio.run(judged)
    floor: list[float] = []
    for one in some:
        start = perf_counter()
        for exhibit in one.case.exhibits:
            set(exhibit.text.lower().split())
        floor.append((perf_counter() - start) * 1000)
    figures = {
        "median_ms": statistics.median(took),
        "p95_ms": float(np.quantile(took, 0.95)),
        "floor_ms": statistics.median(floor),
    }
    print(
        f"judging ten: median {figures['median_ms']:.3f} ms, p95 {figures['p95_ms']:.3f} ms; "
        f"splitting their texts at blanks: {figures['floor_ms']:.3f} ms"
    )
    return figures


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file (minutes become seconds)")
    parser.add_argument("--others", type=int, default=OTHERS, help=f"conversations beside its own ({OTHERS})")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(None if arguments is None else list(arguments))
    figures = run(given.data, embeddings=Embeddings(given.cache), others=given.others)
    print(f"\nJSON: {write(given.results, 'gate', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
