"""The model that reads conversations, as a port: what it is asked, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memoryd_actors.extraction.candidate import Candidate
from memoryd_actors.extraction.heard import Heard
from memoryd_actors.judging.judge import JudgeFailed
from memoryd_actors.memory.budget import Prices, Usage

LONGEST_MESSAGE = 4_000
"""Characters of one message that a model reads."""
_INSTRUCTIONS = 1_200
_PER_MESSAGE = 30
MOST_ANSWERED = 3_000
"""Tokens of an answer: 36 memories of 80 tokens, three for each of twelve turns."""
LARGEST = (12_000, MOST_ANSWERED)
"""Tokens of the largest parts, asked and answered: 24,000 characters, and what stands around them."""
BATCH_PRICE = 0.5
"""What a batch costs, of the price of plain calls."""
_CHARACTERS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a conversation that a model is to read."""

    messages: tuple[Heard, ...]
    before: tuple[Heard, ...] = ()
    """What was said just before, so that it is understood; nothing is taken from it."""
    known: tuple[str, ...] = ()
    """Memories nearby, which need not be found again."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a model found."""

    candidates: tuple[Candidate, ...]
    usage: Usage
    dropped: int = 0
    """Candidates that named no message, or had nothing in them."""


class ConversationReader(Protocol):
    """A remote model that reads conversations."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def read(self, passage: Passage) -> Read:
        """Return what is worth remembering.

        Raises:
            JudgeFailed: there is no usable answer; with its kind, what to do about it and what it cost.

        """
        ...

    async def submit(self, passages: Mapping[str, Passage]) -> str:
        """Hand named passages in, to be read within a day at half the price; return the id to fetch them under.

        Raises:
            JudgeFailed: they were not taken.

        """
        ...

    async def fetch(self, batch: str, passages: Mapping[str, Passage]) -> Mapping[str, Read | JudgeFailed] | None:
        """Return what came of passages that were handed in under this id; None as long as nobody knows.

        Raises:
            JudgeFailed: nobody can say; of kind `model` where there is no such batch.

        """
        ...


def estimate(passage: Passage, prices: Prices) -> Usage:
    """Return a generous estimate of what reading a passage uses."""
    texts = [min(len(one.text), LONGEST_MESSAGE) for one in (*passage.before, *passage.messages)]
    characters = sum(texts) + sum(map(len, passage.known))
    asked = _INSTRUCTIONS + _PER_MESSAGE * len(texts) + characters // _CHARACTERS_PER_TOKEN
    return prices.usage(asked, MOST_ANSWERED)
