"""Real conversations, played through the daemon as sessions: is everything there once, and is all of it found?

`python -m benchmarks.sessions [FOLDER]`: every conversation of the folder is somebody's (an owner), every session of it
is appended as it was said. What must hold is counted, not assumed: each message read back once and in order; each found
by its own words; the questions answered from messages, beside meaning alone and words alone. `benchmarks.compaction`
lets the same conversations grow in one session each.
"""

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Literal, TypedDict

from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import DEFAULT, DataSet, Said, available, moment, no_data, variants
from benchmarks.recall.metrics import firsts, ranking, recall, summary
from benchmarks.recall.play import show
from benchmarks.record import RESULTS, write
from memoryd_client import Client, Entry
from memoryd_client.wire.transcripts import TranscriptRecord

DEEP = 100
"""Results in whose order sessions are counted."""
_ROLES = frozenset({"user", "assistant"})
By = Literal["both", "meaning", "words"]
_SIDES: tuple[By, ...] = ("meaning", "words")


class Kept(TypedDict):
    """What became of the messages."""

    messages: int
    read_back: int
    """In their place, as they were said, once; summaries that a compaction wrote are none."""
    changed: int
    """In their place, but with something replaced: what looked like a secret."""
    lost: int
    doubled: int
    found: int
    """Among the first ten for their own words in their own session; one said twice in it counts as either."""


class Figures(TypedDict):
    """Everything measured on one data set."""

    kept: Kept
    questions: int
    all: dict[str, dict[str, float]]
    by_meaning: dict[str, dict[str, float]]
    by_words: dict[str, dict[str, float]]
    search_median_ms: float
    appended_s: float
    indexed_s: float


def play(data: DataSet) -> Figures:
    """Append a data set's messages to a daemon of its own, look for them, and ask; print what came of it."""
    with home() as paths, daemon(paths, MEMORYD_CAPTURE_EXPLICIT="false") as running:
        wait_for_model(running)
        began = perf_counter()
        for group in data.groups():
            _append(running, group, [one for one in data.messages if one.group == group])
        appended = perf_counter() - began
        _indexed(running)
        indexed = perf_counter() - began
        kept = _look(running, data)
        print(f"\n=== {data.name} as sessions: {', '.join(f'{name} {count}' for name, count in kept.items())}")
        asked, took = _ask(running, data, "both")
        show({"all": asked})
        sides = {side: summary(_ask(running, data, side)[0]) for side in _SIDES}
        for side, figures in sides.items():
            print(f"by {side} alone: " + ", ".join(f"{name} {one['mean']:.3f}" for name, one in figures.items()))
        print(
            f"search: median {statistics.median(took):.1f} ms; appended in {appended:.1f} s, found after {indexed:.1f}"
        )
    return {
        "kept": kept,
        "questions": len(asked),
        "all": summary(asked),
        "by_meaning": sides["meaning"],
        "by_words": sides["words"],
        "search_median_ms": statistics.median(took),
        "appended_s": appended,
        "indexed_s": indexed,
    }


def session_of(message: Said) -> str:
    """Return the session in which a message was said."""
    return f"{message.group}/{message.session}"


def entries(messages: Sequence[Said]) -> list[Entry]:
    """Return messages as an agent appends them: two people who talk to each other are both users, with their names."""
    return [
        Entry(
            id=one.id,
            role=one.speaker if one.speaker in _ROLES else "user",
            name="" if one.speaker in _ROLES else one.speaker,
            content=said(one),
            at=moment(one.ts),
        )
        for one in messages
    ]


def said(message: Said) -> str:
    """Return the text of a message, and what its picture shows."""
    return f"{message.text} [image: {message.caption}]" if message.caption else message.text


def _append(running: Running, owner: str, messages: Sequence[Said]) -> None:
    for session, some in groupby(messages, key=session_of):
        with Client(session=session, owner=owner, paths=running.paths, deadline_s=60) as client:
            client.append(entries(list(some)))


def _indexed(running: Running) -> None:
    until = monotonic() + 1200
    with running.client() as client:
        while client.status().components["transcripts"].numbers["behind"]:
            if monotonic() > until:
                raise RuntimeError("the messages were not indexed within 1200 s")
            sleep(0.1)


def _look(running: Running, data: DataSet) -> Kept:
    kept = Kept(messages=len(data.messages), read_back=0, changed=0, lost=0, doubled=0, found=0)
    for group in data.groups():
        messages = [one for one in data.messages if one.group == group]
        with Client(owner=group, paths=running.paths, deadline_s=60) as client:
            for session, some in groupby(messages, key=session_of):
                there = [one for one in transcript(client, session) if not one.covers]
                by_id: dict[str, list[TranscriptRecord]] = defaultdict(list)
                for record in there:
                    by_id[record.id].append(record)
                for place, message in enumerate(some):
                    records = by_id[message.id]
                    kept["lost"] += not records
                    kept["doubled"] += len(records) > 1
                    if len(records) != 1 or there[place] is not records[0]:
                        continue
                    kept["read_back"] += records[0].content == said(message)
                    kept["changed"] += records[0].content != said(message)
                    kept["found"] += is_found(client, session, records[0])
    return kept


def transcript(client: Client, session: str) -> list[TranscriptRecord]:
    """Return all entries of a session."""
    there: list[TranscriptRecord] = []
    while page := client.messages(session, after=there[-1].sequence if there else 0, limit=1000).entries:
        there += page
    return there


def is_found(client: Client, session: str, record: TranscriptRecord) -> bool:
    """Return whether an entry, or another that says the same, is among the first ten for its own words."""
    found = client.search_messages(record.content[:4000], session=session, limit=10).found
    return any(one.record.id == record.id or one.record.content == record.content for one in found)


def _ask(running: Running, data: DataSet, by: By) -> tuple[list[dict[str, float]], list[float]]:
    """Ask every answerable question of the messages of its own conversation."""
    sessions = {one.id: session_of(one) for one in data.messages}
    found: list[dict[str, float]] = []
    took: list[float] = []
    for group in data.groups():
        with Client(owner=group, paths=running.paths, deadline_s=60) as client:
            for question in (one for one in data.answerable() if one.group == group):
                evidence = {one for one in question.relevant if one in sessions}
                began = perf_counter()
                hits = client.search_messages(question.query, by=by, limit=DEEP).found
                took.append((perf_counter() - began) * 1000)
                ranked = [hit.record.id for hit in hits]
                figures = ranking(ranked, evidence)
                places = firsts(hit.record.session for hit in hits)
                figures["sessions R@10"] = recall(places, {sessions[one] for one in evidence}, 10)
                found.append(figures)
    return found, took


def run(folder: Path = DEFAULT, names: Sequence[str] = ()) -> dict[str, Figures]:
    """Play the folder's data sets, all or those named; each with everybody's messages and as its user's alone."""
    return {data.name: play(data) for data in variants(folder, names or available(folder))}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="play this data set alone")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON")
    given = parser.parse_args(arguments)
    if not available(given.folder):
        sys.exit(no_data(given.folder, "benchmarks.sessions"))
    print(f"\nJSON: {write(given.results, 'sessions', run(given.folder, given.only))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
