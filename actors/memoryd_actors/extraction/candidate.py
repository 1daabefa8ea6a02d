"""What may become a memory, whoever found it: a model or a rule; and how many of them may, for one turn."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec

from memoryd_actors.admission.workflow import SEEN
from memoryd_actors.extraction.input_message import InputMessage
from memoryd_actors.memory.settings import BY_USER, CORRECTION

MOST_A_TURN: Final = 3
"""Memories of one user turn."""

Trust = Literal["user_stated", "observed", "inferred"]
TRUST: Final[dict[Trust, float]] = {"user_stated": BY_USER, "observed": SEEN, "inferred": 0.4}
"""What a user states is trusted as what a user stores, and more than what an agent does by itself (0.5)."""
CORRECTED: Final = 1.0
"""Trust in a user's own correction, wherever it was said."""
BY_RULE: Final = 0.4
"""Trust in what a rule took from an agent's words: it never prevails over what somebody stored or a model read."""


def trust_in_user(category: str) -> float:
    """Return how far to trust what a user stated."""
    return CORRECTED if category == CORRECTION else TRUST["user_stated"]


class Extraction(msgspec.Struct, frozen=True):
    """Something worth remembering, as it would be stored."""

    content: str
    category: str
    trust: float
    first: int
    last: int
    """The entries of the transcript that it rests on."""
    title: str = ""
    """Of a profile: the field of the person."""
    speaker: str = ""
    importance: int = 3
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    at: datetime | None = None
    """When it was said."""
    everywhere: bool = False
    """Whether it is about the person, and holds in every project."""
    weight: float = 0.0
    """Which of several is worth more."""
    related: tuple[tuple[str, str], ...] = ()
    """What it is to memories that were known: the relation, and the beginning of an id."""
    metadata: dict[str, str] = msgspec.field(default_factory=dict[str, str])


def capped(
    candidates: Sequence[Extraction], messages: Sequence[InputMessage], most: int = MOST_A_TURN
) -> list[Extraction]:
    """Return the best candidates of each user turn, in their order; a turn begins with what a user says."""
    begins = [one.sequence for one in messages if one.role == "user"]
    turns: defaultdict[int, list[Extraction]] = defaultdict(list)
    for one in candidates:
        turns[max((begin for begin in begins if begin <= one.last), default=0)].append(one)
    kept: set[int] = set()
    for some in turns.values():
        best = sorted(some, key=lambda one: (-one.importance, -one.weight))[:most]
        kept.update(map(id, best))
    return [one for one in candidates if id(one) in kept]
