"""When a conversation is looked at for what is worth remembering."""

from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec

FEWEST_TURNS: Final = 3
"""Turns of a user before a change of topic counts: it fires at one gap in five, and each look costs a call."""

Reason = Literal["ended", "idle", "turns", "topic"]
PATIENT: Final[frozenset[Reason]] = frozenset({"ended", "idle"})
"""Nobody waits: what comes of it is for another day's session."""


class Waiting(msgspec.Struct):
    """A session with something that was not looked at yet."""

    last: int
    """Its newest entry."""
    quiet_since: datetime
    """When the newest entry came."""
    done: int = 0
    """The last entry that was looked at."""
    counted: int = 0
    """The last entry among which turns were counted."""
    turns: int = 0
    """What users said since `done`, counted."""
    latest: int = 0
    """Where the latest of those stands."""
    ended: int = 0
    """The entry at which it was ended; 0: it was not."""
    topic: bool = False
    """Whether the topic changed with the latest turn."""
    known: bool = False
    """Whether `done` and `ended` were read."""
    not_before: datetime | None = None
    """Where something went wrong: when it is tried again."""


def due(waiting: Waiting, now: datetime, *, turns: int, idle: timedelta) -> tuple[Reason, int] | None:
    """Return why a session is due, and up to which entry; None where it is not."""
    if waiting.last <= waiting.done or (waiting.not_before is not None and now < waiting.not_before):
        return None
    if waiting.ended > waiting.done:
        return "ended", waiting.last
    if waiting.turns >= turns:
        return "turns", waiting.last
    if waiting.topic and waiting.turns > FEWEST_TURNS and waiting.latest - 1 > waiting.done:
        return "topic", waiting.latest - 1
    if now - waiting.quiet_since >= idle:
        return "idle", waiting.last
    return None
