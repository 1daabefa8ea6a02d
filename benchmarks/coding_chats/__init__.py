"""Turns of chats about code, in English and German, with what of each is worth keeping.

One turn a line: language, role, what is said, and then the categories and parts of it that are to be kept. Written by
hand for this purpose. The rules were made on `tuned`; `held_out` was written afterwards, by the same author, and is for
counting only. A memory counts as good where it holds one of the parts of its turn, as junk otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from memoryd_actors.capture import standing_instruction
from memoryd_actors.extraction import InputMessage, stated
from memoryd_actors.texts.quoting import uncorrected

HERE = Path(__file__).parent
NAMES = ("tuned", "held_out")
_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Turn:
    """Something said in a chat about code."""

    language: str
    role: str
    text: str
    keep: tuple[str, ...]
    """What of it is worth keeping, in its words."""


@dataclass(frozen=True)
class Score:
    """What rules make of some turns."""

    turns: int
    kept: int
    """Memories."""
    good: int
    """Of those, the ones that hold something worth keeping."""
    wanted: int
    """What is worth keeping."""
    found: int

    @property
    def precision(self) -> float:
        return self.good / max(self.kept, 1)

    @property
    def recall(self) -> float:
        return self.found / max(self.wanted, 1)


def read(name: str) -> list[Turn]:
    """Return the turns of a file."""
    turns: list[Turn] = []
    for line in (HERE / f"{name}.tsv").read_text("utf-8").splitlines():
        language, role, text, *keep = line.split("\t")
        turns.append(Turn(language, role, text, tuple(_plain(one.split(": ", 1)[1]) for one in keep)))
    return turns


def kept(turn: Turn) -> list[str]:
    """Return what the rules keep of a turn without a model, whichever of them."""
    role: Literal["user", "assistant"] = "user" if turn.role == "user" else "assistant"
    found = [one.content for one in stated([InputMessage(1, role, "", turn.text, _AT)])]
    if role == "user" and (instruction := standing_instruction(turn.text)):
        found.append(instruction.content)
    return [_plain(one) for one in found]


def score(turns: Sequence[Turn]) -> Score:
    """Return what the rules make of turns, each on its own."""
    memories = [(turn, kept(turn)) for turn in turns]
    return Score(
        turns=len(turns),
        kept=sum(len(found) for _, found in memories),
        good=sum(any(_holds(one, part) for part in turn.keep) for turn, found in memories for one in found),
        wanted=sum(len(turn.keep) for turn, _ in memories),
        found=sum(any(_holds(one, part) for one in found) for turn, found in memories for part in turn.keep),
    )


def _holds(memory: str, part: str) -> bool:
    """Return whether a memory says a part of a turn, with or without the `no,` before it, `the port` for `our port`."""
    said, memory = uncorrected(part).casefold(), memory.casefold()
    return said in memory or (said.startswith("our ") and f"the {said[4:]}" in memory)


def _plain(text: str) -> str:
    return text.replace('"', "'")
