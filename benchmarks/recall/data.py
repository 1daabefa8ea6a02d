"""Conversations and questions about them, as JSON lines.

A data set is a folder with `memories.jsonl` (id, group, session, ts, speaker, text, perhaps caption) and
`queries.jsonl` (id, group, query, category, relevant). A group is a conversation of several sessions; a question is
about its own conversation.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from memoryd_client.wire.memory import MAX_CONTENT_BYTES, NewMemory

DEFAULT = Path(__file__).parents[3] / "shared" / "data"
UNANSWERABLE = frozenset({"adversarial", "abstention"})
"""Categories of questions whose answer is not in memory."""
_DATES = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d", "%B-%d-%Y")
T = TypeVar("T")


class Said(msgspec.Struct, frozen=True):
    """One message."""

    id: str
    group: str
    text: str
    session: int = 0
    ts: str = ""
    speaker: str = ""
    caption: str = ""
    """What a picture sent along shows."""


class Asked(msgspec.Struct, frozen=True):
    """One question."""

    id: str
    group: str
    query: str
    category: str
    relevant: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """Messages and questions."""

    name: str
    messages: tuple[Said, ...]
    questions: tuple[Asked, ...]

    def groups(self) -> list[str]:
        """Return the conversations in order."""
        return list(dict.fromkeys(one.group for one in self.messages))

    def speakers(self) -> set[str]:
        """Return who speaks."""
        return {one.speaker for one in self.messages}

    def said_by(self, speaker: str) -> "DataSet":
        """Return the same with one speaker's messages only."""
        kept = tuple(one for one in self.messages if one.speaker == speaker)
        return DataSet(f"{self.name} ({speaker} messages)", kept, self.questions)

    def answerable(self) -> list[Asked]:
        """Return the questions whose evidence is among the messages."""
        there = {one.id for one in self.messages}
        return [
            one for one in self.questions if one.category not in UNANSWERABLE and not there.isdisjoint(one.relevant)
        ]


def available(folder: Path) -> list[str]:
    """Return the names of the data sets in a folder."""
    if not folder.is_dir():
        return []
    return sorted(
        one.name for one in folder.iterdir() if (one / "memories.jsonl").is_file() and (one / "queries.jsonl").is_file()
    )


def no_data(folder: Path, module: str) -> str:
    """Return what to say where a folder has no conversations."""
    return (
        f"no data in {folder}: there must be folders with a memories.jsonl and a queries.jsonl.\n"
        f"Name the folder that has them: python -m {module} FOLDER"
    )


def read(folder: Path) -> DataSet:
    """Read a data set."""
    messages = _lines(folder / "memories.jsonl", Said)
    return DataSet(folder.name, messages, _lines(folder / "queries.jsonl", Asked))


def variants(folder: Path, names: Iterable[str]) -> list[DataSet]:
    """Return the data sets as they are measured: each also as its user's messages alone where it has an assistant."""
    sets: list[DataSet] = []
    for name in names:
        data = read(folder / name)
        sets.append(data)
        if {"user", "assistant"} <= data.speakers():
            sets.append(data.said_by("user"))
    return sets


def moment(ts: str) -> datetime | None:
    """Return a message's date, or None where it has none.

    Raises:
        ValueError: it is in no known form.
    """
    if not ts:
        return None
    for form in _DATES:
        try:
            return datetime.strptime(ts, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"no date: {ts!r}")


def memories(messages: Iterable[Said]) -> list[NewMemory]:
    """Return the messages as an agent would store them: who said what when, and where in which session."""
    places: Counter[str] = Counter()
    found: list[NewMemory] = []
    for one in messages:
        session = f"{one.group}/{one.session}"
        place = places[session]
        places[session] += 1
        text = f"{one.text} [image: {one.caption}]" if one.caption else one.text
        found.append(
            NewMemory(
                # What is longer than a memory may be is cut, as an agent would have to.
                content=text.encode()[:MAX_CONTENT_BYTES].decode(errors="ignore"),
                speaker=one.speaker,
                occurred_at=moment(one.ts),
                source_session=session,
                source_messages=(place, place),
            )
        )
    return found


def _lines(path: Path, kind: type[T]) -> tuple[T, ...]:
    decode = msgspec.json.Decoder(kind).decode
    return tuple(decode(line) for line in path.read_bytes().splitlines() if line)
