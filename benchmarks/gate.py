"""Where the local judge draws the line: how much true evidence passes while foreign questions stay without an answer.

Every question is asked of its own conversation's memories and of every other conversation's. A foreign question is
clean where nothing is kept, and so is one of its own conversation that has no answer there. Of the questions' own
evidence, the share is counted that is among the at most five memories kept; the ceiling is the evidence among the ten
candidates that the judge is shown. The candidates come from exact cosines and a BM25 of this file's own, ranked as the
product ranks them. The floors are a hard one under the cosine, 0.4, and the cosine where as many questions stay clean.

Reads `locomo` and `beam100k` (memories.jsonl, queries.jsonl) from a data folder, which is not part of this repository.
"""

import argparse
import math
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anyio
import numpy as np
import numpy.typing as npt

from benchmarks.recall.data import UNANSWERABLE, memories, read
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_actors.fusion import fuse
from memoryd_actors.index_text import index_text
from memoryd_actors.local_judge import Gate, LocalJudge, content_words, scores
from memoryd_actors.pipeline import LONGEST_EXHIBIT
from memoryd_actors.ports import Candidate, Case, Exhibit, Vectors
from memoryd_actors.ranking import rank
from memoryd_client.memory import Memory, NewMemory

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = ("locomo", "beam100k")
SHOWN, KEPT, POOL = 10, 5, 50
CLEAN = 0.95
FLOOR = 0.4
THRESHOLDS = (0.30, 0.33, 0.35, 0.36, 0.37, 0.38, 0.40, 0.45)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Trial:
    """A question put to one conversation's memories."""

    case: Case
    evidence: frozenset[str]
    kind: str
    """own, foreign, or why there is no answer: adversarial, abstention."""


@dataclass(frozen=True)
class Outcome:
    """What a judge that keeps everything above a threshold would do."""

    clean: float
    """Of foreign questions."""
    quiet: float
    """Of questions about its own conversation that have no answer there: the share that stays clean."""
    evidence: float
    precision: float
    kept: float


class Words:
    """BM25 (k1 1.2, b 0.75) over the stems of some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(content_words(text)) for text in texts]
        lengths = np.array([max(len(count), 1) for count in counts], float)
        found: dict[str, list[int]] = defaultdict(list)
        for at, count in enumerate(counts):
            for stem in count:
                found[stem].append(at)
        norm = 2.2 / (1 + 1.2 * (0.25 + 0.75 * lengths / lengths.mean()))
        self._size = len(texts)
        self._weights = {
            stem: (np.array(at), math.log(1 + (len(texts) - len(at) + 0.5) / (len(at) + 0.5)) * norm[at])
            for stem, at in found.items()
        }

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        total = np.zeros(self._size)
        for stem in content_words(query):
            if stem in self._weights:
                at, weight = self._weights[stem]
                total[at] += weight
        return total


def run(data: Path = DATA) -> dict[str, Any]:
    missing = [str(data / name / file) for name in SETS for file in ("memories.jsonl", "queries.jsonl")]
    missing = [path for path in missing if not Path(path).exists()]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}; name the data folder: python -m benchmarks.gate FOLDER")
    with TemporaryDirectory() as models:
        model = OnnxModel(fetch(Sources(models=Path(models), offline=True)), threads=2)
        trials = {name: trials_of(data / name, model) for name in SETS}
    gate = Gate()
    figures: dict[str, Any] = {"gate": {"threshold": gate.threshold, "relative": gate.relative}}
    for name, some in trials.items():
        figures[name] = curve(name, some, gate)
        figures[name]["timing"] = timing(some)
    return figures


def trials_of(folder: Path, model: OnnxModel) -> list[Trial]:
    """Return every question with the ten candidates that the search would show, per conversation."""
    data = read(folder)
    held = {group: [one for one in data.messages if one.group == group] for group in data.groups()}
    asked = encode(model, [one.query for one in data.questions])
    trials: list[Trial] = []
    for group, messages in held.items():
        stored = [memory(new, message.id) for message, new in zip(messages, memories(messages), strict=True)]
        texts = [index_text(one) for one in stored]
        vectors, words = encode(model, texts), Words(texts)
        ids = {one.id for one in stored}
        for question, vector in zip(data.questions, asked, strict=True):
            evidence = frozenset(question.relevant) & ids if question.group == group else frozenset[str]()
            kind = "foreign" if question.group != group else "own"
            if question.category in UNANSWERABLE:
                if kind == "foreign":
                    continue
                kind, evidence = question.category, frozenset[str]()
            elif kind == "own" and not evidence:
                continue
            exhibits = candidates(question.query, stored, vectors @ vector, words.scores(question.query))
            trials.append(Trial(Case(question.query, "", exhibits), evidence, kind))
    return trials


def memory(new: NewMemory, name: str) -> Memory:
    """Return a message as the ledger would hold it."""
    return Memory(
        id=name,
        owner="local",
        content=new.content,
        speaker=new.speaker,
        occurred_at=new.occurred_at,
        session=new.source_session,
        source_messages=new.source_messages,
        created_at=NOW,
        updated_at=NOW,
    )


def candidates(
    question: str, stored: Sequence[Memory], cosines: Vectors, words: npt.NDArray[np.float64]
) -> tuple[Exhibit, ...]:
    union = set(np.argsort(-cosines)[:POOL].tolist()) | set(np.argsort(-words)[:POOL].tolist())
    by_id = {stored[at].id: stored[at] for at in union}
    fused = fuse(Candidate(stored[at].id, float(cosines[at]), float(words[at])) for at in union)
    shown: list[Exhibit] = []
    for one in rank(question, [(one, by_id[one.id]) for one in fused])[:SHOWN]:
        found = by_id[one.id]
        text = f"{found.speaker}: {found.content}"[:LONGEST_EXHIBIT]
        date = found.occurred_at or NOW
        shown.append(Exhibit(found.id, text, "fact", date, 0.5, one.vector_score, one.word_score, one.score))
    return tuple(shown)


def curve(name: str, trials: Sequence[Trial], gate: Gate) -> dict[str, Any]:
    judged = [[score.total for score in scores(one.case.focus, one.case.exhibits, gate)] for one in trials]
    cosines = [[exhibit.vector_score for exhibit in one.case.exhibits] for one in trials]
    own = [one for one in trials if one.kind == "own"]
    foreign_ones = sum(one.kind == "foreign" for one in trials)
    ceiling = statistics.mean(
        len({exhibit.id for exhibit in one.case.exhibits} & one.evidence) / len(one.evidence) for one in own
    )
    print(f"\n{name}: {len(own)} questions of their own, {foreign_ones} foreign; ceiling {ceiling:.3f}")
    print(f"{'':26}{'clean':>8}{'quiet':>8}{'evidence':>10}{'precision':>11}{'kept':>7}")
    figures: dict[str, Any] = {"ceiling": ceiling, "own": len(own), "foreign": foreign_ones}
    for label, values in (("cosine", cosines), ("words and cosine", judged)):
        foreign = [max(some) for some, one in zip(values, trials, strict=True) if one.kind == "foreign"]
        # Just above: what lies on the threshold passes.
        threshold = float(np.nextafter(np.quantile(foreign, CLEAN), 1.0))
        figures[f"{label} at {CLEAN}"] = show(f"{label} at {threshold:.3f}", outcome(trials, values, threshold, 0.0))
    figures["hard floor"] = show(f"hard floor, cosine {FLOOR:.2f}", outcome(trials, cosines, FLOOR, 0.0))
    for threshold in THRESHOLDS:
        figures[f"above {threshold}"] = show(f"above {threshold:.2f}", outcome(trials, judged, threshold, 0.0))
    chosen = outcome(trials, anyio.run(verdicts, trials, gate), 0.0, 0.0)
    figures["chosen"] = show("the judge itself", chosen)
    return figures


async def verdicts(trials: Sequence[Trial], gate: Gate) -> list[list[float]]:
    """Return the judge's scores, below 0 where it finds an exhibit irrelevant."""
    judge = LocalJudge(gate)
    judgements = [await judge.judge(one.case) for one in trials]
    return [[one.score if one.relevant else -1.0 for one in judgement.verdicts] for judgement in judgements]


def outcome(trials: Sequence[Trial], values: Sequence[Sequence[float]], threshold: float, relative: float) -> Outcome:
    clean: list[bool] = []
    quiet: list[bool] = []
    evidence: list[float] = []
    precision: list[float] = []
    kept: list[int] = []
    for one, some in zip(trials, values, strict=True):
        bar = max(threshold, relative * max(some))
        passed = sorted(((value, at) for at, value in enumerate(some) if value >= bar), reverse=True)[:KEPT]
        if one.kind != "own":
            (clean if one.kind == "foreign" else quiet).append(not passed)
            continue
        hits = sum(one.case.exhibits[at].id in one.evidence for _, at in passed)
        evidence.append(hits / len(one.evidence))
        kept.append(len(passed))
        if passed:
            precision.append(hits / len(passed))
    return Outcome(*(float(np.mean(some)) if some else 0.0 for some in (clean, quiet, evidence, precision, kept)))


def show(label: str, one: Outcome) -> dict[str, float]:
    print(f"{label:26}{one.clean:8.3f}{one.quiet:8.3f}{one.evidence:10.3f}{one.precision:11.3f}{one.kept:7.1f}")
    return {
        "clean": one.clean,
        "quiet": one.quiet,
        "evidence": one.evidence,
        "precision": one.precision,
        "kept": one.kept,
    }


def timing(trials: Sequence[Trial], sample: int = 500) -> dict[str, float]:
    """Milliseconds per case of ten; the floor is reading the same texts' words once, without judging."""
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
            set(exhibit.text[:1000].lower().split())
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


def encode(model: OnnxModel, texts: Sequence[str]) -> Vectors:
    return np.concatenate([model.encode(texts[at : at + 64], max_tokens=256) for at in range(0, len(texts), 64)])


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="folder with locomo and beam100k")
    run(parser.parse_args(None if arguments is None else list(arguments)).data)


if __name__ == "__main__":
    main()
