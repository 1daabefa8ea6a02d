"""What conversations bring by themselves without a key: how much of what matters, and how much junk.

`python -m benchmarks.extraction [DATA]` plays LoCoMo through a daemon, session by session: every message appended with
its date and speaker, then the session's end. LoCoMo's observations name the turns that they were taken from. Captured
is the share of those turns that a stored memory rests on; held the share of the observations whose words are in what
was stored of their turn (`answers`); junk the share of stored memories that rest on no such turn, and wide junk of
those that do not rest on one that answers a question either. Beside it the floors: storing every message, as many
messages as memories rest on, drawn at random, and as many sentences as there are memories. `and requests` adds what is
stored at once because a user asked for it, or wants something always done: that is not played.

The chats of BEAM come in as long ones; they only name the evidence of twenty questions each, so that most of what is
worth remembering counts as junk there, and neither these rules nor a message's length nor its vector tell which it is
(area under the curve .50 to .51). So compare captured and junk with the floor; held, of the answers that tell facts,
says more.

The rules were tuned on these very conversations. `--fit` chooses the threshold anew on all conversations but one, by
precision counted twice as much as recall (F0.5), and measures it on the one left out; the weights of the signs stay.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Literal

import msgspec

from benchmarks.answers import Fact, Observation, facts, held
from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import DEFAULT, DataSet, Said, moment, no_data, read
from benchmarks.recall.play import project
from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.extraction import InputMessage, capped, stated
from memoryd_actors.texts.sentences import sentences
from memoryd_client import Client
from memoryd_client.wire.memory import Source
from memoryd_client.wire.transcripts import Entry

RANDOM_DRAWS = 200
THRESHOLDS = [value / 5 for value in range(-5, 16)]
NEVER = datetime(2024, 1, 1, tzinfo=UTC)
"""When what bears no date was said."""


@dataclass(frozen=True)
class Kept:
    """A memory."""

    messages: tuple[str, ...]
    """That it rests on."""
    content: str = ""


@dataclass(frozen=True)
class Truth:
    """What is known of a data set."""

    strict: frozenset[str]
    """Messages with something worth remembering."""
    wide: frozenset[str]
    """Those, and the ones that answer a question."""
    facts: Sequence[Fact] = ()

    def within(self, messages: Collection[str]) -> "Truth":
        """Return what is known of some of the messages."""
        there = frozenset(messages)
        return Truth(self.strict & there, self.wide & there, [one for one in self.facts if one.message in there])


@dataclass(frozen=True)
class Played:
    """What became of a data set."""

    kept: dict[str, list[Kept]]
    """Of each conversation."""
    seconds: float


def session_of(one: Said) -> str:
    return f"{one.group}/{one.session}"


def in_sessions(data: DataSet) -> dict[str, list[Said]]:
    """Return the messages of each session; in each of people among themselves everybody is a user."""
    found: defaultdict[str, list[Said]] = defaultdict(list)
    for one in data.messages:
        found[session_of(one)].append(one)
    return dict(found)


def role_of(one: Said) -> Literal["user", "assistant"]:
    return "assistant" if one.speaker == "assistant" else "user"


def entries(messages: Sequence[Said]) -> list[Entry]:
    """Return messages as a client appends them."""
    return [one for one in entries_of(messages) if one.content.strip()]


def entries_of(messages: Sequence[Said]) -> list[Entry]:
    """Return an entry for each message, also for one that is empty, which no client appends."""
    began = moment(messages[0].ts) or NEVER
    return [
        Entry(
            content=one.text,
            role=role_of(one),
            name="" if one.speaker in {"user", "assistant"} else one.speaker,
            at=(moment(one.ts) or began) + timedelta(seconds=number),
        )
        for number, one in enumerate(messages)
    ]


def play(data: DataSet) -> Played:
    """Append everything, end every session, and wait until all is looked at."""
    with (
        home() as paths,
        daemon(paths, MEMORYD_CAPTURE_DAILY_MEMORIES="100000", MEMORYD_CAPTURE_SESSION_MEMORIES="100000") as running,
    ):
        wait_for_model(running)
        began = perf_counter()
        for name, messages in in_sessions(data).items():
            with Client(session=name, project=project(messages[0].group), paths=running.paths, deadline_s=60) as client:
                client.append(entries(messages))
                client.end_session()
        with running.client() as client:
            while client.status().components["capture"].numbers["sessions_waiting"]:
                sleep(0.2)
        return Played(collected(running, data), perf_counter() - began)


def collected(running: Running, data: DataSet) -> dict[str, list[Kept]]:
    """Return the memories of each conversation."""
    said = {name: [one for one in some if one.text.strip()] for name, some in in_sessions(data).items()}
    kept: dict[str, list[Kept]] = {}
    for group in data.groups():
        with Client(project=project(group), paths=running.paths, deadline_s=60) as client:
            found = [one for one in client.list(limit=1000) if one.source is Source.EXTRACTED]
        kept[group] = [
            Kept(
                tuple(
                    one.id for one in said[memory.session][memory.source_messages[0] - 1 : memory.source_messages[1]]
                ),
                memory.content,
            )
            for memory in found
            if memory.source_messages
        ]
    return kept


def by_rules(data: DataSet, threshold: float | None = None) -> dict[str, list[Kept]]:
    """Return what the rules alone take of each conversation; `threshold` stands in for their own."""
    kept: dict[str, list[Kept]] = {group: [] for group in data.groups()}
    for messages in in_sessions(data).values():
        spoken = zip(messages, entries_of(messages), strict=True)
        said = [
            InputMessage(at, role_of(one), entry.name, one.text, entry.at or NEVER)
            for at, (one, entry) in enumerate(spoken)
        ]
        for one in capped(stated(said, threshold=threshold), said):
            rests = tuple(message.id for message in messages[one.first : one.last + 1])
            kept[messages[0].group].append(Kept(rests, one.content))
    return kept


def requested(data: DataSet) -> list[Kept]:
    """Return what is stored as soon as it is said, because a user asked for it or wants something always done."""
    found: list[Kept] = []
    before = ""
    for one in data.messages:
        if one.speaker != "assistant":
            asked = [*explicit(one.text, before), *filter(None, [standing_instruction(one.text)])]
            found += [Kept((one.id,), captured.content) for captured in asked]
        before = one.text
    return found


def measure(kept: Sequence[Kept], truth: Truth) -> dict[str, float]:
    """Return the share of evidence captured, of facts held, and of memories that rest on no evidence."""
    captured = {one for memory in kept for one in memory.messages}
    count = max(len(kept), 1)
    return {
        "memories": len(kept),
        "captured": len(truth.strict & captured) / max(len(truth.strict), 1),
        "held": held(truth.facts, ((one, memory.content) for memory in kept for one in memory.messages)),
        "junk": sum(truth.strict.isdisjoint(memory.messages) for memory in kept) / count,
        "junk wide": sum(truth.wide.isdisjoint(memory.messages) for memory in kept) / count,
    }


def floors(data: DataSet, kept: Sequence[Kept], truth: Truth) -> dict[str, dict[str, float]]:
    """Return what storing every user message comes to, as many messages at random, and as many sentences."""
    users = [Kept((one.id,), one.text) for one in data.messages if one.speaker != "assistant"]
    parts = [Kept(one.messages, part.text) for one in users for part in sentences(one.content)]
    rests = len({one for memory in kept for one in memory.messages})
    return {
        "every message": measure(users, truth),
        "as many messages at random": _at_random(users, rests, truth),
        "as many sentences at random": _at_random(parts, len(kept), truth),
    }


def _at_random(whole: Sequence[Kept], count: int, truth: Truth) -> dict[str, float]:
    draw = random.Random(1)
    drawn = [measure(draw.sample(whole, min(count, len(whole))), truth) for _ in range(RANDOM_DRAWS)]
    return {name: sum(one[name] for one in drawn) / len(drawn) for name in drawn[0]}


def fitted(data: DataSet, truth: Truth) -> dict[str, dict[str, float]]:
    """Return what the threshold that fits the other conversations best comes to on each conversation."""
    kept = {threshold: by_rules(data, threshold) for threshold in THRESHOLDS}
    messages = {group: [one.id for one in data.messages if one.group == group] for group in data.groups()}
    result: dict[str, dict[str, float]] = {}
    for group in data.groups():
        others = truth.within([one for name, some in messages.items() if name != group for one in some])

        def score(threshold: float, left_out: str = group, others: Truth = others) -> float:
            figures = measure(
                [one for name, some in kept[threshold].items() if name != left_out for one in some], others
            )
            precision, recall = 1 - figures["junk"], figures["captured"]
            return 1.25 * precision * recall / max(0.25 * precision + recall, 1e-9)

        best = max(THRESHOLDS, key=score)
        result[group] = {"threshold": best, **measure(kept[best][group], truth.within(messages[group]))}
    return result


def known(folder: Path, data: DataSet) -> Truth:
    """Return what is known of a data set: by the observations of its authors, else by its questions."""
    wide = frozenset(one for question in data.answerable() for one in question.relevant)
    observed = folder / "observations.jsonl"
    strict = wide
    if observed.exists():
        decode = msgspec.json.Decoder(Observation).decode
        strict = frozenset(one for line in observed.read_bytes().splitlines() for one in decode(line).source)
    said = {one.id: one.text for one in data.messages if one.speaker != "assistant"}
    return Truth(strict, wide | strict, facts(folder, said)).within(said)


def run(folder: Path = DEFAULT, *, fit: bool = False, names: Sequence[str] = ("locomo", "beam100k")) -> dict[str, Any]:
    """Measure and print."""
    results: dict[str, Any] = {}
    for name in names:
        if not (folder / name / "memories.jsonl").exists():
            continue
        data = read(folder / name)
        truth = known(folder / name, data)
        played = play(data)
        kept = [one for some in played.kept.values() for one in some]
        figures = {"memoryd": measure(kept, truth)}
        if asked := requested(data):
            figures["memoryd and requests"] = measure([*kept, *asked], truth)
        figures |= floors(data, kept, truth)
        if fit:
            figures |= {f"left out: {group}": some for group, some in fitted(data, truth).items()}
        results[name] = {"figures": figures, "messages": len(data.messages), "seconds": played.seconds}
        told = f"{len(truth.strict)} annotated, {len(truth.facts)} facts told in their words"
        print(f"\n{name}: {len(data.messages)} messages, {told}; played in {played.seconds:.1f} s")
        print(f"  {'':28}{'memories':>9}{'captured':>10}{'held':>7}{'junk':>7}{'wide':>7}")
        for row, one in figures.items():
            threshold = f"  threshold {one['threshold']:g}" if "threshold" in one else ""
            shares = f"{one['captured']:10.3f}{one['held']:7.3f}{one['junk']:7.3f}{one['junk wide']:7.3f}"
            print(f"  {row:28}{one['memories']:9.0f}{shares}{threshold}")
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
