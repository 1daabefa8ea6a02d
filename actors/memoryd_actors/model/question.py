"""What a model is asked, what it answers, and why there may be no answer."""

import re
from collections.abc import Callable, Mapping
from typing import Final, Generic, Literal, TypeVar

import msgspec

from memoryd_actors.memory.budget import Usage
from memoryd_actors.redaction import Rules, redacted
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.characters import without_controls

A = TypeVar("A")
MOST_TOKENS = 200_000
"""Of one call, in either direction: ten times what any is planned to have. A service may say anything, and one absurd
answer must not use up what a day may cost."""
JSON_ONLY: Final = "Answer with one JSON object by this schema, and with nothing else."
"""What a program is told that answers for a model. A conversation that it keeps is known by it as none of a person."""
_CHARACTERS_PER_TOKEN = 3
"""Rather too few: English prose has four, code three. An estimate that stops calls must not be too low."""
_LONGEST_FAILURE = 400
_DIRECTION = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]+")

FailureKind = Literal[
    "timeout",
    "connection",
    "rate_limit",
    "auth",  # the key is wrong, or may not do this
    "model",  # there is no such model
    "request",  # the request itself was rejected
    "refusal",
    "truncated",
    "nonsense",
    "server",
    # From here on nobody was asked.
    "breaker",
    "budget",
    "ledger",
    "time",
]
UNASKED = frozenset({"breaker", "budget", "ledger", "time"})


class ModelFailed(Exception):
    """Raised where a model gave no usable answer, or was not asked."""

    def __init__(
        self, kind: FailureKind, message: str, *, hint: str = "", tokens: tuple[int, int] | None = (0, 0)
    ) -> None:
        """Say what went wrong; `tokens` went in and out, None where nobody says how many."""
        super().__init__(plain(message))
        self.kind: FailureKind = kind
        self.hint = hint
        """What a person can do about it; empty where waiting is all there is."""
        self.tokens = tokens
        self.usage = Usage()
        """What it counts as, set by whoever keeps the account."""

    @property
    def unasked(self) -> bool:
        """Whether no call was made."""
        return self.kind in UNASKED


class Unusable(Exception):
    """Raised by a question that finds no answer in what a model said: `answered without verdicts`."""


class Prompt(msgspec.Struct, frozen=True):
    """One call as it is sent: what the model is told, what it is asked, and the shape and size of its answer."""

    system: str
    content: str
    schema: Mapping[str, object]
    answer_tokens: int
    temperature: float | None = None
    """How much chance there is in the answer, where the model takes that; None: as the model has it."""

    @property
    def asked_tokens(self) -> int:
        """A generous estimate of what is sent."""
        # The schema is sent as JSON, which is hardly longer than Python's own way to write it.
        return (len(self.system) + len(self.content) + len(str(self.schema))) // _CHARACTERS_PER_TOKEN


class Question(msgspec.Struct, Generic[A], frozen=True, kw_only=True):
    """Something to be asked of a model: how to put it, and how to read the answer."""

    compose: Callable[[], Prompt]
    """Called in a thread: every text in it is searched for secrets once more."""
    read: Callable[[str], A]
    """Return the answer in what the model said; raises Unusable."""
    deadline_s: float
    hurried: bool = False
    """Whether it has less time than such a call needs: that it ran out says nothing about the service."""
    advice: str = ""
    """What a person can do where the answer is cut off."""


class ModelAnswer(msgspec.Struct, Generic[A], frozen=True):
    """An answer, and what it cost."""

    value: A
    usage: Usage


def plain(text: str, rules: Rules = DEFAULT, longest: int = _LONGEST_FAILURE) -> str:
    """Return somebody else's words in one bounded line, without secrets and sequences that steer a terminal."""
    shown = " ".join(_DIRECTION.sub(" ", without_controls(text[: 8 * longest])).split())
    return redacted(shown, rules)[:longest]


def bounded(tokens: int) -> int:
    """Return a count of tokens that somebody else gives, within what is possible."""
    return min(max(tokens, 0), MOST_TOKENS)
