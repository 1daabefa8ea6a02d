"""One data set, played through a daemon and its clients as an agent would: store, search, take turns."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypedDict

from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import UNANSWERABLE, Asked, DataSet, memories
from benchmarks.recall.metrics import firsts, interval, ranking, recall, summary
from memoryd_client import Client, Message

DEEP = 100
"""Results in whose order sessions are counted."""
INJECTED = 5
Stored = dict[str, str]
"""From the data's message to the memory that holds it: a message said twice is one memory."""


class Figures(TypedDict, total=False):
    """Everything measured on one data set."""

    memories: int
    questions: int
    all: dict[str, dict[str, float]]
    by_category: dict[str, dict[str, dict[str, float]]]
    search_median_ms: float
    search_p95_ms: float
    gate: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a question brought up as a user's turn."""

    injected: tuple[str, ...]
    """Memory ids."""
    evidence: frozenset[str]


def play(data: DataSet, *, gate: bool = True, **settings: str) -> Figures:
    """Measure a data set in a home of its own; print its tables. `settings` are environment variables."""
    with home() as paths, daemon(paths, **settings) as running:
        wait_for_model(running)
        stored, sessions = store(running, data)
        print(f"\n=== {data.name}: {len(stored)} messages, {len(data.answerable())} answerable questions", flush=True)
        figures = searched(running, data, stored, sessions)
        if gate:
            figures["gate"] = gated(running, data, stored)
        return figures


def project(group: str) -> str:
    """A conversation is a project: so its memories are its scope."""
    return f"/recall/{group}"


def store(running: Running, data: DataSet) -> tuple[Stored, Stored]:
    """Store every message; return the memory and the session of each, and wait until all can be found."""
    stored: Stored = {}
    sessions: Stored = {}
    for group in data.groups():
        messages = [one for one in data.messages if one.group == group]
        with Client(project=project(group), paths=running.paths, deadline_s=600) as client:
            for message, memory in zip(messages, client.remember_many(memories(messages)), strict=True):
                stored[message.id] = memory.id
                sessions.setdefault(memory.id, f"{group}/{message.session}")
    with running.client() as client:
        while client.status().busy:
            pass
    return stored, sessions


def searched(running: Running, data: DataSet, stored: Stored, sessions: Stored) -> Figures:
    """Ask every answerable question by `Client.search` with its defaults."""
    found: list[dict[str, float]] = []
    categories: dict[str, list[dict[str, float]]] = defaultdict(list)
    took: list[float] = []
    for group in data.groups():
        with Client(project=project(group), paths=running.paths, deadline_s=60) as client:
            for question in (one for one in data.answerable() if one.group == group):
                evidence = {stored[one] for one in question.relevant if one in stored}
                began = perf_counter()
                hits = client.search(question.query)
                # As it is read, line by line.
                ranked = [each for hit in hits for each in (hit.id, *(one.id for one in hit.related))]
                took.append((perf_counter() - began) * 1000)
                figures = ranking(ranked, evidence)
                places = firsts(sessions[hit.id] for hit in client.search(question.query, limit=DEEP))
                figures["sessions R@10"] = recall(places, {sessions[one] for one in evidence}, 10)
                found.append(figures)
                categories[question.category].append(figures)
    result: Figures = {
        "memories": len(set(stored.values())),
        "questions": len(found),
        "all": summary(found),
        "by_category": {name: summary(some) for name, some in sorted(categories.items())},
        "search_median_ms": statistics.median(took),
        "search_p95_ms": statistics.quantiles(took, n=20)[-1],
    }
    show({"all": found, **categories})
    print(f"search: median {result['search_median_ms']:.1f} ms, p95 {result['search_p95_ms']:.1f} ms")
    return result


def gated(running: Running, data: DataSet, stored: Stored) -> dict[str, dict[str, float]]:
    """Put questions as a user's turn: of their own conversation, of another one, and where no answer is in memory."""
    groups = data.groups()
    other = dict(zip(groups, [*groups[1:], groups[0]], strict=True))
    own = [turn(running, one, stored, one.group, "own") for one in data.answerable()]
    result = {"own": weigh_own(own)}
    if len(groups) > 1:
        result["another conversation"] = weigh_clean(
            [turn(running, one, stored, other[one.group], "other") for one in data.answerable()]
        )
    for category in sorted(UNANSWERABLE & {one.category for one in data.questions}):
        result[category] = weigh_clean(
            [turn(running, one, stored, one.group, "none") for one in data.questions if one.category == category]
        )
    for name, some in result.items():
        print(f"gate, {name}: " + ", ".join(f"{key} {value:.3f}" for key, value in some.items()), flush=True)
    return result


def turn(running: Running, question: Asked, stored: Stored, group: str, kind: str) -> Turn:
    """Push a question as the first turn of a new session and take what it brings up."""
    session = f"{kind}-{question.id}"
    with Client(session=session, project=project(group), paths=running.paths, deadline_s=60) as client:
        client.push_acknowledged([Message("user", question.query)], turn=1)
        while not client.why():
            pass  # until the turn is decided
        pending = client.take_pending(deadline_s=60)
    injected = tuple(memory.id for memory in pending.memories[:INJECTED]) if pending else ()
    return Turn(injected, frozenset(stored[one] for one in question.relevant if one in stored))


def weigh_own(turns: Sequence[Turn]) -> dict[str, float]:
    """Return the share of evidence among what was injected, what of it was evidence, and how much there was."""
    shares = [recall(one.injected, one.evidence, INJECTED) for one in turns]
    low, high = interval(shares)
    injected = sum(len(one.injected) for one in turns)
    right = sum(len(set(one.injected) & one.evidence) for one in turns)
    return {
        "evidence": statistics.mean(shares),
        "low": low,
        "high": high,
        "precision": right / injected if injected else 0.0,
        "injected": injected / len(turns),
    }


def weigh_clean(turns: Sequence[Turn]) -> dict[str, float]:
    """Return the share of turns into which nothing was injected."""
    clean = [float(not one.injected) for one in turns]
    low, high = interval(clean)
    return {"clean": statistics.mean(clean), "low": low, "high": high}


def show(categories: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Print means by category, each with the half width of its interval."""
    names = list(categories["all"][0])
    wide = max(len(name) for name in categories) + 2
    print(f"{'':{wide}}{'n':>5}" + "".join(f"{name:>11}" if len(name) < 11 else f"{name:>15}" for name in names))
    for category, some in categories.items():
        figures = summary(some)
        cells = (cell(figures[name]).rjust(11 if len(name) < 11 else 15) for name in names)
        print(f"{category:{wide}}{len(some):5}" + "".join(cells))


def cell(one: Mapping[str, float]) -> str:
    """Return a mean and the half width of its interval as a table has it: 0.596±.07."""
    return f"{one['mean']:.3f}±" + f"{(one['high'] - one['low']) / 2:.2f}".removeprefix("0")
