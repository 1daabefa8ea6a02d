"""A person's days: what is stored, what is typed, and which memories a good colleague would want in mind for it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

QUIET = ("needless", "near")
"""Kinds of turns for which nothing has to come up."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory of a person."""

    id: str
    text: str
    category: str
    scope: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A message of a person, what the agent answered, and what it should have known."""

    session: str
    user: str
    assistant: str
    relevant: frozenset[str]
    fine: frozenset[str]
    """Memories that do no harm."""
    kind: str
    """direct, paraphrase, implied, cross, context, needless, near or repeat."""


@dataclass(frozen=True, slots=True)
class Person:
    """One file: a person's memories, and turns in the order in which they were typed."""

    name: str
    memories: tuple[Stored, ...]
    turns: tuple[Typed, ...]

    def sessions(self) -> Iterator[tuple[str, list[Typed]]]:
        """Yield the sessions with their turns."""
        for session, turns in groupby(self.turns, key=lambda turn: turn.session):
            yield session, list(turns)


def read(folder: Path) -> list[Person]:
    """Return every person of a folder of JSONL files, by name."""
    return [_person(file) for file in sorted(folder.glob("*.jsonl"))]


def _person(file: Path) -> Person:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return Person(
        file.stem,
        tuple(
            Stored(line["id"], line["text"], line["category"], line["scope"])
            for line in lines
            if line["type"] == "memory"
        ),
        tuple(
            Typed(
                line["session"],
                line["user"],
                line["assistant"],
                frozenset(line["relevant"]),
                frozenset(line["fine"]),
                line["kind"],
            )
            for line in lines
            if line["type"] == "turn"
        ),
    )
