"""What a model is asked for when it summarises, in calls of bounded size, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from memoryd_actors.judging.judge import Judgement
from memoryd_actors.memory.case import Case, Exhibit, Lookup, Passage
from memoryd_actors.summarising.summary import Purpose, Said
from memoryd_actors.texts.hidden import strip_hidden

CALL_CHARACTERS = 120_000
"""Shown in one call: a third of 100,000 tokens, in which what stands in the middle is still read."""
MOST_CALLS = 8
LONGEST_SHOWN = 4_000
"""Characters of one message that a model sees."""
LONGEST_TOOL = 400
_ANSWER_TOKENS = 60
"""What the budget counts as the answer to one exhibit."""
_NOBODY = Exhibit(
    id="",
    text="",
    category="",
    date=datetime(1970, 1, 1, tzinfo=UTC),
    trust=1.0,
    vector_score=0.0,
    word_score=0.0,
    score=0.0,
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A part of a conversation to be summarised in one call."""

    said: tuple[Said, ...]
    earlier: str
    budget_tokens: int
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote. Nothing in it is trusted to be short, clean or in one line."""

    title: str
    topic: str
    outcome: str
    tags: tuple[str, ...]
    points: tuple[str, ...]
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class Author(Protocol):
    """A model that summarises."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def write(self, assignment: Assignment) -> Written:
        """Return what it made of a part of a conversation.

        Raises:
            JudgeFailed: there is no usable answer.

        """
        ...


@dataclass(frozen=True, slots=True)
class Docket(Case):
    """An assignment as a case, so that the sidecar's deadline, breaker and budget hold for it."""

    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True)
class Outcome(Judgement):
    """A judgement without verdicts, but with what was written."""

    written: Written | None = None


def planned(assignment: Assignment) -> Docket:
    """Return the assignment as a case: what is shown counts whole, the answer by as many exhibits as it is long."""
    texts = (assignment.earlier, *(one.text for one in assignment.said))
    answers = answer_tokens(assignment) // _ANSWER_TOKENS + 1
    return Docket(
        focus="",
        window="",
        exhibits=(_NOBODY,) * answers,
        passages=(Passage(Lookup("source"), texts),),
        assignment=assignment,
    )


def answer_tokens(assignment: Assignment) -> int:
    """Return the most tokens that a complete answer may need: a model's tokens are not those that are counted here."""
    return 512 + 2 * assignment.budget_tokens


def parts(said: Sequence[Said]) -> list[tuple[Said, ...]]:
    """Cut a conversation into what one call shows each, at most `MOST_CALLS`; long messages lose their ends first.

    Of a conversation that is longer than all calls together every message is cut to its share.
    """
    shown = [_shown(one, LONGEST_SHOWN) for one in said]
    shown = [one for one in shown if one.text]
    room = MOST_CALLS * CALL_CHARACTERS
    # By halves until it fits: a message is worth its beginning more than another message is worth its end.
    longest = LONGEST_SHOWN
    while sum(len(one.text) + 40 for one in shown) > room and longest > 60:
        longest //= 2
        shown = [replace(one, text=one.text[:longest]) for one in shown]
    found: list[tuple[Said, ...]] = []
    part: list[Said] = []
    size = 0
    for one in shown:
        if part and size + len(one.text) > CALL_CHARACTERS:
            found.append(tuple(part))
            part, size = [], 0
        part.append(one)
        size += len(one.text) + 40
    return ([*found, tuple(part)] if part else found)[-MOST_CALLS:]


def _shown(one: Said, longest: int) -> Said:
    said = one.kind == "message" and one.role != "tool"
    text = strip_hidden(one.text[: 4 * longest]).strip()
    return replace(one, text=text[: longest if said else LONGEST_TOOL])
