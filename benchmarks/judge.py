"""What a judge is worth: precision, recall, the share of foreign questions that stay clean, tokens and money.

`python -m benchmarks.judge [FOLDER] --judge local|anthropic|openai|command` puts questions with their ten candidates
before a judge, each to its own conversation's memories and to another one's, found as in `benchmarks.gate`. Of what the
judge keeps the five best count. Precision is the share of evidence among what is kept for own questions, recall the
share of the evidence that is kept, clean the share of foreign questions, and of those without an answer, for which
nothing is. Intervals are a bootstrap over the questions.

A model is asked through the daemon's own sidecar, with ANTHROPIC_API_KEY or OPENAI_API_KEY. It refuses to begin what
could cost more than `--usd`, by the sidecar's generous estimate, and the sidecar's budget ends it there whatever the
estimate said.
"""

import argparse
import math
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

import anyio
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from benchmarks.gate import KEPT, Trial, trials_of
from benchmarks.recall.data import DEFAULT, UNANSWERABLE, DataSet, available, no_data, read
from benchmarks.recall.metrics import interval
from benchmarks.recall.pools import memories_of
from benchmarks.record import RESULTS, write
from benchmarks.vectors import Embeddings
from memoryd.clock import SystemClock
from memoryd.config import Config, ConfigInvalid, SidecarConfig
from memoryd.model import choose
from memoryd_actors.judging.judge import Judge, Judgement
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.judging.lookups import MOST_TEXTS, nearby
from memoryd_actors.judging.question import compose
from memoryd_actors.judging.sidecar import FollowUps, Sidecar
from memoryd_actors.memory.budget import Limits, Prices, Spending
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.model.account import Account
from memoryd_actors.model.model import Model
from memoryd_actors.texts.stems import stems
from memoryd_client.wire.memory import Memory

T = TypeVar("T")
FOLLOWING = 2_000
"""Tokens that a second call may have beyond the first, for the estimate."""


@dataclass
class Purse:
    """A book of spending for as long as the measurement runs."""

    days: dict[str, Spending] = field(default_factory=dict[str, Spending])

    async def spending(self, day: str) -> Spending:
        return self.days.get(day, Spending(day=day))

    async def spend(self, spending: Spending) -> None:
        known = await self.spending(spending.day)
        self.days[spending.day] = replace(
            spending,
            calls=known.calls + spending.calls,
            input_tokens=known.input_tokens + spending.input_tokens,
            output_tokens=known.output_tokens + spending.output_tokens,
            cost_usd=known.cost_usd + spending.cost_usd,
        )


class Words:
    """BM25 (k1 1.2, b 0.75) over the stems of some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(stems(text)) for text in texts]
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
        for stem in stems(query):
            if stem in self._weights:
                at, weight = self._weights[stem]
                total[at] += weight
        return total


class Conversations:
    """What the judge may look up: the data's own sessions, by the product's rule of what is near."""

    def __init__(self, stored: Mapping[str, Memory]) -> None:
        self._stored = stored

    async def source(self, memory_id: str, visible: Visibility) -> Sequence[str]:
        about = self._stored[memory_id]
        return [told(one) for one in nearby(about, self._of(about.project, about.session))]

    async def session_search(self, query: str, memory_id: str, visible: Visibility) -> Sequence[str]:
        session = self._of(visible.project, self._stored[memory_id].session if memory_id else "")
        scores = Words([told(one) for one in session]).scores(query)
        best = [session[at] for at in np.argsort(-scores)[: MOST_TEXTS + 1] if scores[at] > 0]
        return [told(one) for one in best if one.id != memory_id]

    async def file(self, path: str, about: str, visible: Visibility) -> Sequence[str]:
        return []  # the data have none

    def _of(self, group: str, session: str) -> list[Memory]:
        return [one for one in self._stored.values() if one.project == group and session in {"", one.session}]


def told(one: Memory) -> str:
    return f"{one.occurred_at or one.created_at:%Y-%m-%d} {one.speaker}: {one.content}"


@dataclass(frozen=True)
class Judged:
    """A trial and what came of it."""

    trial: Trial
    judgement: Judgement
    took_ms: float

    @property
    def kept(self) -> list[str]:
        best = sorted(self.judgement.kept, key=lambda one: -one.score)[:KEPT]
        return [self.trial.case.exhibits[one.index].id for one in best]


async def trials(data: DataSet, embeddings: Embeddings, limit: int) -> list[Trial]:
    """Return at most `limit` answerable questions, evenly over the set, each put to its own and the next conversation.

    Beside them as many at most that have no answer, put to their own.
    """
    unanswerable = [one for one in data.questions if one.category in UNANSWERABLE]
    asked = [*spread(data.answerable(), limit), *spread(unanswerable, limit)]
    return await trials_of(data, embeddings, asked, others=1)


def spread(some: Sequence[T], limit: int) -> Sequence[T]:
    """Return at most `limit` of them, from everywhere."""
    return [some[at * len(some) // limit] for at in range(limit)] if len(some) > limit else some


async def judge_all(judge: Judge, some: Sequence[Trial], *, remote: bool, parallel: int) -> list[Judged]:
    """Put every trial before the judge; where a remote one no longer answers, stop: the stand-in is not measured."""
    done: list[Judged] = []
    limiter = anyio.CapacityLimiter(parallel)
    failed = ""

    async def one(trial: Trial) -> None:
        nonlocal failed
        async with limiter:
            if failed:
                return
            began = perf_counter()
            judgement = await judge.judge(trial.case)
            if remote and judgement.judge == LocalJudge.name:
                failed = judgement.note
                return
            done.append(Judged(trial, judgement, (perf_counter() - began) * 1000))

    async with anyio.create_task_group() as tasks:
        for trial in some:
            tasks.start_soon(one, trial)
    if failed:
        print(f"stopped after {len(done)} of {len(some)}: {failed}", file=sys.stderr)
    return done


def weigh(done: Sequence[Judged]) -> dict[str, Any]:
    """Return the figures, each with its interval."""
    own = [one for one in done if one.trial.kind == "own"]
    others = sorted({one.trial.kind for one in done} - {"own"})
    right = np.array([len(set(one.kept) & one.trial.evidence) for one in own], float)
    kept = np.array([len(one.kept) for one in own], float)
    shown = [{exhibit.id for exhibit in one.trial.case.exhibits} & one.trial.evidence for one in own]
    figures: dict[str, Any] = {"own": len(own)}
    if own:
        figures["precision"] = ratio(right, kept)
        figures["recall"] = mean([hits / len(one.trial.evidence) for hits, one in zip(right, own, strict=True)])
        figures["ceiling"] = mean([len(some) / len(one.trial.evidence) for some, one in zip(shown, own, strict=True)])
        figures["kept"] = float(kept.mean())
    for kind in others:
        quiet = [float(not one.kept) for one in done if one.trial.kind == kind]
        figures[f"clean, {kind}"] = {"questions": len(quiet), **mean(quiet)}
    used = [one.judgement for one in done]
    figures |= {
        "input_tokens": sum(one.usage.input_tokens for one in used),
        "output_tokens": sum(one.usage.output_tokens for one in used),
        "usd": sum(one.usage.cost_usd for one in used),
        "median_ms": median([one.took_ms for one in done]) if done else 0.0,
    }
    return figures


def mean(values: Sequence[float]) -> dict[str, float]:
    low, high = interval(values)
    return {"mean": sum(values) / len(values), "low": low, "high": high}


def ratio(
    right: np.ndarray[Any, np.dtype[np.float64]], kept: np.ndarray[Any, np.dtype[np.float64]]
) -> dict[str, float]:
    """Return right over kept, with an interval by bootstrap over the questions; 0 where nothing is kept."""
    some = np.random.default_rng(1).integers(0, len(kept), (2000, len(kept)))
    shares = right[some].sum(axis=1) / np.maximum(kept[some].sum(axis=1), 1.0)
    low, high = np.quantile(shares, [0.025, 0.975])
    return {"mean": float(right.sum() / max(kept.sum(), 1.0)), "low": float(low), "high": float(high)}


def show(name: str, figures: dict[str, Any]) -> None:
    print(f"\n{name}: {figures['own']} answerable questions")
    for key, one in figures.items():
        if isinstance(one, dict):
            of = f", {one['questions']} questions" if "questions" in one else ""
            print(f"  {key:20}{one['mean']:.3f}  ({one['low']:.3f} to {one['high']:.3f}){of}")
    print(
        f"  {figures['input_tokens']:,} tokens in, {figures['output_tokens']:,} out, ${figures['usd']:.4f}; "
        f"median {figures['median_ms']:.2f} ms",
        flush=True,
    )


def price(some: Sequence[Trial], follow_ups: FollowUps, prices: Prices) -> float:
    """Return what judging could cost at most, by the estimate that the sidecar reserves for each call."""
    calls = 1 + (follow_ups.lookups > 0)
    prompts = [compose(replace(trial.case, lookups=follow_ups.lookups)) for trial in some]
    following = prices.usage(FOLLOWING, 0).cost_usd * (calls - 1)
    once = sum(prices.usage(prompt.asked_tokens, prompt.answer_tokens).cost_usd + following for prompt in prompts)
    return calls * once


async def measure(
    given: argparse.Namespace, sets: dict[str, list[Trial]], stored: Mapping[str, Memory]
) -> dict[str, Any]:
    model: Model | None = None
    follow_ups = FollowUps(lookups=given.lookups)
    clock = SystemClock()
    if given.judge != "local":
        settings = SidecarConfig(
            provider=given.judge,
            api_key=os.environ.get("ANTHROPIC_API_KEY", ""),
            openai_api_key=os.environ.get("OPENAI_API_KEY", ""),
            base_url=given.base_url,
            model=given.model,
            command=given.command,
        )
        try:
            chosen = choose(Config(sidecar=settings))
        except ConfigInvalid as exc:
            sys.exit(str(exc))
        provider = chosen.provider
        if provider is None:
            sys.exit("there is no key: set ANTHROPIC_API_KEY, or measure --judge local")
        cost = price([one for some in sets.values() for one in some], follow_ups, chosen.prices)
        if cost > given.usd:
            sys.exit(
                f"this could cost ${cost:.2f}, and --usd allows ${given.usd:.2f}: ask less with --limit, or allow more"
            )
        await provider.prepare()
        account = Account(Purse(), clock, Limits(daily_tokens=10**9, daily_usd=given.usd))
        model = Model(provider, account=account, clock=clock, publish=lambda _: None, prices=chosen.prices)
    sidecar = Sidecar(
        model, LocalJudge(), follow_ups=follow_ups, lookups=Conversations(stored), deadline_s=given.deadline
    )
    figures: dict[str, Any] = {}
    for name, some in sets.items():
        done = await judge_all(sidecar, some, remote=model is not None, parallel=given.parallel if model else 1)
        figures[name] = weigh(done)
        show(name, figures[name])
    if model is not None:
        figures["sidecar"] = sidecar.status().numbers
        print("\n" + ", ".join(f"{name} {value:g}" for name, value in figures["sidecar"].items()))
        await model.close()
    return figures


def gather(given: argparse.Namespace) -> tuple[dict[str, list[Trial]], dict[str, Memory]]:
    there = available(given.data)
    names = [name for name in given.sets.split(",") if name] or there
    if not names:
        sys.exit(no_data(given.data, "benchmarks.judge"))
    if missing := [name for name in names if name not in there]:
        sys.exit(f"{given.data} has no {', no '.join(missing)}; it has {', '.join(there) or 'nothing'}")
    embeddings = Embeddings(given.cache, models=given.models)
    stored: dict[str, Memory] = {}
    sets: dict[str, list[Trial]] = {}
    for name in names:
        data = read(given.data / name)
        sets[name] = anyio.run(trials, data, embeddings, given.limit)
        stored |= memories_of(data)[0]
    return sets, stored


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DEFAULT, help="folder with the sets")
    parser.add_argument("--judge", choices=("local", "anthropic", "openai", "command"), default="local")
    parser.add_argument("--sets", default="", help="folders of the data, with commas (all)")
    parser.add_argument("--limit", type=int, default=150, help="questions of each set (150)")
    parser.add_argument("--usd", type=float, default=1.00, help="spend at most this (1.00)")
    parser.add_argument("--base-url", default="", help="of the API that is asked")
    parser.add_argument("--model", default="", help="the default is the daemon's")
    parser.add_argument("--command", default="", help="the program that answers, or an agent's name: claude")
    parser.add_argument("--deadline", type=float, default=15.0, help="seconds for a case; the daemon's is shorter (15)")
    parser.add_argument("--parallel", type=int, default=4, help="cases under way at once (4)")
    parser.add_argument("--lookups", type=int, default=SidecarConfig().lookups, help="that a case may ask for (2)")
    parser.add_argument("--cache", type=Path, help="keep the embeddings in this file")
    parser.add_argument("--models", type=Path, default=None, help="folder that keeps the converted weights")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    sets, stored = gather(given)
    settings = {
        name: str(value) for name, value in vars(given).items() if name not in {"data", "cache", "models", "results"}
    }
    figures = {"settings": settings, **anyio.run(measure, given, sets, stored)}
    print(f"\nJSON: {write(given.results, f'judge-{given.judge}', figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
