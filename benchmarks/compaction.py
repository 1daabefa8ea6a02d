"""Long conversations, played as they went: does every context stay within its budget, and is nothing lost?

`python -m benchmarks.compaction [FOLDER]`: each chat of `beam100k` is a session of about 110,000 tokens, appended turn
by turn; now and then a context is built, and counted once more here, as it would be sent. The defaults hold: compaction
begins at 100,000 tokens. Its summary is looked at for the words of what people were asked about later, beside the floor
of as many words from the end of what it tells.
"""

import argparse
import re
import statistics
import sys
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import TypedDict

from benchmarks.home import Running, daemon, home, wait_for_model
from benchmarks.recall.data import DEFAULT, DataSet, Said, available, no_data, variants
from benchmarks.record import RESULTS, write
from benchmarks.sessions import entries
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Sources, fetch
from memoryd_client import Client
from memoryd_client.context import SessionContext
from memoryd_client.transcripts import Record, SessionInfo

NAME = "beam100k"
BUDGETS = (1_000, 8_000, 32_000, 200_000)
EVERY = 40
"""Messages between two looks."""
_WORD = re.compile(r"[^\W_]{4,}")


class Figures(TypedDict):
    chats: int
    contexts: int
    over_budget: int
    fullest: float
    """Largest share of a budget that a context took."""
    compacted: int
    lost: int
    archived_found: float
    """Share of archived messages, a sample, that are found by their own words."""
    context_8000_ms: float
    compaction_s: float
    asked_words: float
    """Share of the words of later questions' evidence that the summary has."""
    asked_words_floor: float


def play(running: Running, data: DataSet, chats: int) -> Figures:
    count = OnnxModel(fetch(Sources(models=running.paths.models, offline=True)), threads=1).counter()
    shares: list[float] = []
    took: list[float] = []
    compactions: list[float] = []
    found: list[bool] = []
    kept: list[float] = []
    floors: list[float] = []
    lost = compacted = 0
    groups = data.groups()[:chats]
    for group in groups:
        messages = [one for one in data.messages if one.group == group]
        with Client(session=group, owner=group, paths=running.paths, deadline_s=120) as client:
            for begin in range(0, len(messages), EVERY):
                client.append(entries(messages[begin : begin + EVERY]))
                for budget in BUDGETS:
                    start = perf_counter()
                    built = client.build_context(budget, turns=100_000)
                    if budget == 8_000:
                        took.append(1000 * (perf_counter() - start))
                    shares.append(sum(count(_texts(built))) / built.budget)
            info, waited = _compacted(client, group)
            compactions.append(waited)
            compacted += info.summarized > 0
            there = {one.id for one in _everything(client)}
            lost += sum(one.id not in there for one in messages)
            archived = messages[: info.summarized : 17]
            found += [
                any(hit.record.id == one.id for hit in client.search_messages(one.text[:500], session=group).found)
                for one in archived
            ]
            summary = client.messages(after=info.summary - 1, limit=1).entries[0].content if info.summary else ""
            asked = _asked(data, group, messages[: info.summarized])
            told = " ".join(one.text for one in messages[: info.summarized])[-len(summary) :]
            kept += [len(asked & _words(summary)) / max(len(asked), 1)]
            floors += [len(asked & _words(told)) / max(len(asked), 1)]
    figures = Figures(
        chats=len(groups),
        contexts=len(shares),
        over_budget=sum(share > 1 for share in shares),
        fullest=max(shares),
        compacted=compacted,
        lost=lost,
        archived_found=statistics.mean(found) if found else 0.0,
        context_8000_ms=statistics.median(took),
        compaction_s=statistics.median(compactions),
        asked_words=statistics.mean(kept),
        asked_words_floor=statistics.mean(floors),
    )
    for name, value in figures.items():
        print(f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}")
    return figures


def _compacted(client: Client, session: str) -> tuple[SessionInfo, float]:
    """Wait for the compaction that is due, if one is; return how long that took."""
    start = monotonic()
    while client.build_context(1_000).pressure in {"due", "overdue"} and monotonic() - start < 120:
        sleep(0.05)
    return next(one for one in client.sessions() if one.session == session), monotonic() - start


def _everything(client: Client) -> list[Record]:
    there: list[Record] = []
    after = 0
    while page := client.messages(after=after, limit=1000).entries:
        there += page
        after = page[-1].sequence
    return there


def _texts(built: SessionContext) -> list[str]:
    return [built.system, *(f"{one.name} {one.content}" if one.name else one.content for one in built.entries)]


def _asked(data: DataSet, group: str, messages: list[Said]) -> set[str]:
    evidence = {one for question in data.answerable() if question.group == group for one in question.relevant}
    return _words(" ".join(one.text for one in messages if one.id in evidence and one.speaker == "user"))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compaction", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, help="folder with the data sets")
    parser.add_argument("--chats", type=int, default=8, help="how many")
    given = parser.parse_args()
    if NAME not in available(given.folder):
        sys.exit(no_data(given.folder, "benchmarks.compaction"))
    data = next(one for one in variants(given.folder, [NAME]) if one.name == NAME)
    with home() as paths, daemon(paths, MEMORYD_CAPTURE_EXPLICIT="false", MEMORYD_CAPTURE_EXTRACT="false") as running:
        wait_for_model(running)
        print(f"\nJSON: {write(RESULTS, 'compaction', {NAME: play(running, data, given.chats)})}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
