"""What conversations bring by themselves without a key: how much of what matters, and how much junk.

`python -m benchmarks.extraction [DATA]` plays LoCoMo through a daemon, session by session: every message appended with
its date and speaker, then the session's end. LoCoMo's observations name the turns that they were taken from. Captured
is the share of those turns that a stored memory rests on; junk the share of stored memories that rest on no such turn,
and wide junk of those that do not rest on one that answers a question either. Beside it the floors: storing every
message, and storing as many messages drawn at random. The chats of BEAM come in as long ones; they only name the
evidence of twenty questions each, so that most of what is worth remembering counts as junk there: compare it with the
floor, not with LoCoMo.

The rules were tuned on these very conversations. `--fit` chooses the threshold anew on all conversations but one, by
precision counted twice as much as recall (F0.5), and measures it on the one left out; the weights of the signs stay.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import msgspec

from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import DEFAULT, DataSet, Said, moment, no_data, read
from benchmarks.recall.play import project
from memoryd_actors.extraction import Heard, capped, stated
from memoryd_client import Client
from memoryd_client.memory import Source
from memoryd_client.transcripts import Entry

RANDOM_DRAWS = 200
THRESHOLDS = [value / 5 for value in range(-5, 16)]
Place = tuple[str, int]
"""Session, and the number of the entry in it."""


class Observation(msgspec.Struct, frozen=True):
    """A fact that the data set's authors had taken from a conversation."""

    group: str
    source: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """What became of a data set."""

    stored: int
    """Memories."""
    rests: dict[str, list[tuple[str, ...]]]
    """Of each conversation: the messages that each memory rests on."""
    seconds: float


def session_of(one: Said) -> str:
    return f"{one.group}/{one.session}"


def sessions(data: DataSet) -> dict[str, list[Said]]:
    """Return the messages of each session; in each of people among themselves everybody is a user."""
    found: defaultdict[str, list[Said]] = defaultdict(list)
    for one in data.messages:
        found[session_of(one)].append(one)
    return dict(found)


def entries(messages: Sequence[Said]) -> list[Entry]:
    """Return messages as a client appends them."""
    began = moment(messages[0].ts) or datetime(2024, 1, 1, tzinfo=UTC)
    return [
        Entry(
            content=one.text,
            role="assistant" if one.speaker == "assistant" else "user",
            name="" if one.speaker in {"user", "assistant"} else one.speaker,
            at=(moment(one.ts) or began) + timedelta(seconds=number),
        )
        for number, one in enumerate(messages)
        if one.text.strip()
    ]


def play(data: DataSet) -> Played:
    """Append everything, end every session, and wait until all is looked at."""
    with (
        home() as paths,
        daemon(paths, MEMORYD_CAPTURE_DAILY_MEMORIES="100000", MEMORYD_CAPTURE_SESSION_MEMORIES="100000") as running,
    ):
        wait_for_model(running)
        began = perf_counter()
        for name, messages in sessions(data).items():
            with Client(session=name, project=project(messages[0].group), paths=running.paths, deadline_s=60) as client:
                client.append(entries(messages))
                client.end_session()
        with running.client() as client:
            while client.status().components["capture"].numbers["sessions_waiting"]:
                sleep(0.2)
        return Played(*collected(running, data), perf_counter() - began)


def collected(running: Running, data: DataSet) -> tuple[int, dict[str, list[tuple[str, ...]]]]:
    """Return how many memories there are, and on which messages each rests."""
    said = {name: [one for one in some if one.text.strip()] for name, some in sessions(data).items()}
    rests: dict[str, list[tuple[str, ...]]] = {}
    for group in data.groups():
        with Client(project=project(group), paths=running.paths, deadline_s=60) as client:
            found = [one for one in client.list(limit=1000) if one.source is Source.EXTRACTED]
        rests[group] = [
            tuple(one.id for one in said[memory.session][memory.source_messages[0] - 1 : memory.source_messages[1]])
            for memory in found
            if memory.source_messages
        ]
    return sum(map(len, rests.values())), rests


def by_rules(data: DataSet, threshold: float) -> dict[str, list[tuple[str, ...]]]:
    """Return on which messages that rests which the rules alone take with a threshold."""
    rests: dict[str, list[tuple[str, ...]]] = {group: [] for group in data.groups()}
    for messages in sessions(data).values():
        heard = [
            Heard(at, "assistant" if one.speaker == "assistant" else "user", one.speaker, one.text, datetime.now(UTC))
            for at, one in enumerate(messages)
        ]
        for one in capped(stated(heard, threshold=threshold), heard):
            rests[messages[0].group].append(tuple(said.id for said in messages[one.first : one.last + 1]))
    return rests


def measure(rests: Sequence[tuple[str, ...]], strict: frozenset[str], wide: frozenset[str]) -> dict[str, float]:
    """Return the share of evidence captured, and of memories that rest on none."""
    captured = {one for some in rests for one in some}
    count = max(len(rests), 1)
    return {
        "memories": len(rests),
        "captured": len(strict & captured) / max(len(strict), 1),
        "junk": sum(strict.isdisjoint(some) for some in rests) / count,
        "junk wide": sum(wide.isdisjoint(some) for some in rests) / count,
    }


def floors(data: DataSet, count: int, strict: frozenset[str], wide: frozenset[str]) -> dict[str, dict[str, float]]:
    """Return what storing every user message comes to, and storing as many at random."""
    users = [(one.id,) for one in data.messages if one.speaker != "assistant"]
    draw = random.Random(1)
    drawn = [measure(draw.sample(users, min(count, len(users))), strict, wide) for _ in range(RANDOM_DRAWS)]
    return {
        "every message": measure(users, strict, wide),
        "as many at random": {name: sum(one[name] for one in drawn) / len(drawn) for name in drawn[0]},
    }


def fitted(data: DataSet, strict: frozenset[str], wide: frozenset[str]) -> dict[str, dict[str, float]]:
    """Return what the threshold that fits the other conversations best comes to on each conversation."""
    rests = {threshold: by_rules(data, threshold) for threshold in THRESHOLDS}
    result: dict[str, dict[str, float]] = {}
    for group in data.groups():
        own = frozenset(one.id for one in data.messages if one.group == group)

        def score(threshold: float, left_out: str = group, own: frozenset[str] = own) -> float:
            others = [some for name, found in rests[threshold].items() if name != left_out for some in found]
            figures = measure(others, strict - own, wide - own)
            precision, recall = 1 - figures["junk"], figures["captured"]
            return 1.25 * precision * recall / max(0.25 * precision + recall, 1e-9)

        best = max(THRESHOLDS, key=score)
        result[group] = {"threshold": best, **measure(rests[best][group], strict & own, wide & own)}
    return result


def run(folder: Path = DEFAULT, *, fit: bool = False, names: Sequence[str] = ("locomo", "beam100k")) -> dict[str, Any]:
    """Measure and print."""
    results: dict[str, Any] = {}
    for name in names:
        if not (folder / name / "memories.jsonl").exists():
            continue
        data = read(folder / name)
        wide = frozenset(one for question in data.answerable() for one in question.relevant)
        observed = folder / name / "observations.jsonl"
        strict = wide
        if observed.exists():
            decode = msgspec.json.Decoder(Observation).decode
            strict = frozenset(one for line in observed.read_bytes().splitlines() for one in decode(line).source)
        there = {one.id for one in data.messages if one.speaker != "assistant"}
        strict, wide = strict & there, (wide | strict) & there
        played = play(data)
        rests = [some for found in played.rests.values() for some in found]
        figures = {"memoryd": measure(rests, strict, wide), **floors(data, played.stored, strict, wide)}
        if fit:
            figures |= {f"left out: {group}": some for group, some in fitted(data, strict, wide).items()}
        results[name] = {"figures": figures, "messages": len(data.messages), "seconds": played.seconds}
        print(f"\n{name}: {len(data.messages)} messages, {len(strict)} annotated; played in {played.seconds:.1f} s")
        print(f"  {'':24}{'memories':>9}{'captured':>10}{'junk':>7}{'wide':>7}")
        for row, one in figures.items():
            threshold = f"  threshold {one['threshold']:g}" if "threshold" in one else ""
            shares = f"{one['captured']:10.3f}{one['junk']:7.3f}{one['junk wide']:7.3f}"
            print(f"  {row:24}{one['memories']:9.0f}{shares}{threshold}")
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what comes of the conversations in a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument(
        "data", nargs="?", type=Path, default=DEFAULT, help="a folder with locomo, and perhaps beam100k"
    )
    parser.add_argument("--fit", action="store_true", help="fit the threshold, conversation by conversation")
    parser.add_argument("--set", action="append", choices=["locomo", "beam100k"], help="only this one")
    given = parser.parse_args(arguments)
    if not run(given.data, fit=given.fit, names=given.set or ("locomo", "beam100k")):
        print(no_data(given.data, "benchmarks.extraction"), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
