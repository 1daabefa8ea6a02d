"""Long conversations, played as they went: does every context stay within its budget, and is nothing lost?

`python -m benchmarks.compaction [FOLDER]`: every conversation of the folder grows in one session, some messages at a
time; after each, contexts are built and counted once more here, as they would be sent. `beam100k`, whose chats have
about 110,000 tokens, is played with the usual limits, under which compaction begins at 100,000; all other data sets
with a fifth of them, which few would reach otherwise, and are compacted several times. What was archived has to be
there, and found by its own words. The summaries are looked at for the words of what people were asked about later,
beside the floor of as many words from the end of what they tell.
"""

import argparse
import re
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import TypedDict

from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import DEFAULT, DataSet, Said, available, no_data, read
from benchmarks.record import RESULTS, write
from benchmarks.sessions import entries, is_found, transcript
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_client import Client
from memoryd_client.wire.session_context import SUMMARY_OPENING, SessionContext
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

USUAL = "beam100k"
"""The data set whose conversations reach the usual limits."""
FIFTH = {
    "MEMORYD_CONTEXT_SOFT_LIMIT": "16000",
    "MEMORYD_CONTEXT_COMPACT_FROM": "20000",
    "MEMORYD_CONTEXT_HARD_LIMIT": "32000",
    "MEMORYD_CONTEXT_PROTECTED": "4000",
}
"""A fifth of the defaults."""
BUDGETS = (1_000, 8_000, 32_000, 200_000)
TIMED = 8_000
EVERY = 40
"""Messages between two looks."""
SAMPLED = 17
"""Of the archived messages, each so-manieth is looked for."""
SESSION = "long"
_WORD = re.compile(r"[^\W_]{4,}")


class Figures(TypedDict):
    """Everything measured on one data set."""

    chats: int
    contexts: int
    over_budget: int
    fullest: float
    """Largest share of a budget that a context took."""
    compacted: int
    """Chats of which something is summarised; the shortest of them by hand."""
    summaries: int
    most_uncompacted: int
    """Tokens that no summary told of, at most."""
    lost: int
    doubled: int
    looked_for: int
    archived_found: float
    """Share of archived messages, a sample, that are found by their own words."""
    context_8000_ms: float
    """Median."""
    compaction_s: float
    """Median of what was waited for at the end of a chat."""
    asked_words: float
    """Share of the words of later questions' evidence that the summary has."""
    asked_words_floor: float


@dataclass(slots=True)
class _Seen:
    """What was seen so far."""

    shares: list[float] = field(default_factory=list[float])
    took: list[float] = field(default_factory=list[float])
    waited: list[float] = field(default_factory=list[float])
    found: list[bool] = field(default_factory=list[bool])
    kept: list[float] = field(default_factory=list[float])
    floors: list[float] = field(default_factory=list[float])
    compacted: int = 0
    summaries: int = 0
    most_uncompacted: int = 0
    lost: int = 0
    doubled: int = 0


def play(running: Running, data: DataSet, chats: int) -> Figures:
    """Let a data set's conversations grow, and print what came of it."""
    count = OnnxModel(fetch(Sources(models=running.paths.models, offline=True)), threads=1).counter()
    seen = _Seen()
    groups = data.groups()[:chats]
    for group in groups:
        messages = [one for one in data.messages if one.group == group]
        with Client(session=SESSION, owner=group, paths=running.paths, deadline_s=120) as client:
            for begin in range(0, len(messages), EVERY):
                client.append(entries(messages[begin : begin + EVERY]))
                for budget in BUDGETS:
                    start = perf_counter()
                    built = client.build_context(budget, turns=100_000)
                    if budget == TIMED:
                        seen.took.append(1000 * (perf_counter() - start))
                    seen.shares.append(sum(count(_texts(built))) / built.budget)
                    seen.most_uncompacted = max(seen.most_uncompacted, built.uncompacted)
            info, waited = _compacted(client)
            seen.waited.append(waited)
            if not info.summarized and client.compact().entries:  # too short to be compacted by itself
                info, _ = _compacted(client)
            _look(client, data, messages, info, seen)
    figures = Figures(
        chats=len(groups),
        contexts=len(seen.shares),
        over_budget=sum(share > 1 for share in seen.shares),
        fullest=max(seen.shares),
        compacted=seen.compacted,
        summaries=seen.summaries,
        most_uncompacted=seen.most_uncompacted,
        lost=seen.lost,
        doubled=seen.doubled,
        looked_for=len(seen.found),
        archived_found=_mean(seen.found),
        context_8000_ms=statistics.median(seen.took),
        compaction_s=statistics.median(seen.waited),
        asked_words=_mean(seen.kept),
        asked_words_floor=_mean(seen.floors),
    )
    print(f"\n=== {data.name}")
    for name, value in figures.items():
        print(f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}", flush=True)
    return figures


def _look(client: Client, data: DataSet, messages: Sequence[Said], info: SessionInfo, seen: _Seen) -> None:
    """Look whether all of a conversation is there, and what its summary says."""
    there = transcript(client, SESSION)
    copies = Counter(one.id for one in there)
    seen.lost += sum(not copies[one.id] for one in messages)
    seen.doubled += sum(copies[one.id] > 1 for one in messages)
    seen.summaries += sum(one.role == "system" and one.content.startswith(SUMMARY_OPENING) for one in there)
    seen.compacted += info.summarized > 0
    ids = {one.id for one in messages}
    archived = [one for one in there if one.sequence <= info.summarized and one.id in ids]
    seen.found += [is_found(client, SESSION, one) for one in archived[::SAMPLED]]
    summary = next((one.content for one in there if one.sequence == info.summary), "")
    asked = _asked(data, archived)
    if summary and asked:
        told = " ".join(one.content for one in archived)[-len(summary) :]
        seen.kept.append(len(asked & _words(summary)) / len(asked))
        seen.floors.append(len(asked & _words(told)) / len(asked))


def _compacted(client: Client) -> tuple[SessionInfo, float]:
    """Wait for the compaction that is due, if one is; return how long that took."""
    start = monotonic()
    while client.build_context(1_000).pressure in {"due", "overdue"} and monotonic() - start < 120:
        sleep(0.05)
    return next(one for one in client.sessions() if one.session == SESSION), monotonic() - start


def _texts(built: SessionContext) -> list[str]:
    return [built.system, *(f"{one.name} {one.content}" if one.name else one.content for one in built.entries)]


def _asked(data: DataSet, archived: Sequence[TranscriptRecord]) -> set[str]:
    """Return the words of those archived messages of the user that a question is about."""
    evidence = {one for question in data.answerable() for one in question.relevant}
    return _words(" ".join(one.content for one in archived if one.id in evidence and one.role == "user"))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _mean(values: Sequence[float]) -> float:
    return float(statistics.mean(values)) if values else 0.0


def run(folder: Path, names: Sequence[str], chats: int) -> dict[str, Figures]:
    """Play data sets, each with a daemon of its own."""
    found: dict[str, Figures] = {}
    for data in (read(folder / name) for name in names):
        limits: Mapping[str, str] = {} if data.name == USUAL else FIFTH
        quiet = {"MEMORYD_CAPTURE_EXPLICIT": "false", "MEMORYD_CAPTURE_EXTRACT": "false"}
        with home() as paths, daemon(paths, **quiet, **limits) as running:
            wait_for_model(running)
            found[data.name] = play(running, data, chats)
    return found


def main() -> int:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compaction", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="play this data set alone")
    parser.add_argument("--chats", type=int, default=8, help="how many of each")
    given = parser.parse_args()
    names = given.only or available(given.folder)
    if not names:
        sys.exit(no_data(given.folder, "benchmarks.compaction"))
    print(f"\nJSON: {write(RESULTS, 'compaction', run(given.folder, names, given.chats))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
