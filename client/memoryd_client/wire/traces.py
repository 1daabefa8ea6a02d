"""How a context was decided."""

from typing import Annotated

import msgspec

from memoryd_client.wire.request import Request

SAME_CONTEXT = "same context as before"
"""The outcome where a session pushed what it had pushed."""


class CandidateTrace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory that came into question and what became of it."""

    id: str
    summary: str
    vector_score: float
    word_score: float
    score: float
    """What the search ranked by."""
    boosts: dict[str, float] = {}
    """By name what is part of the score beside meaning and words: session, neighbours, named speaker, own voice, month,
    rule, advice, and substance, which is taken away; what was not zero."""
    kept: bool
    reason: str
    """Why it was kept or dropped, in words."""
    judge_score: float | None = None
    actionable: bool | None = None


class Trace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one context update was decided, from its arrival to what became pending."""

    session: str
    turn: int
    at: str
    """ISO 8601, UTC."""
    trigger: str
    focus: str
    """The request in focus, shortened."""
    outcome: str
    """One line: N pending, nothing relevant, same context as before, no model, ..."""
    topic_changed: bool = False
    topic_similarity: float | None = None
    topic_turn: int | None = None
    """Where the topic changed: the turn that the new one began with; perhaps the turn before, by its reply."""
    judge: str = ""
    """Which judge decided, and why if it was the stand-in."""
    agent: str = ""
    """Who pushed the context."""
    candidates: tuple[CandidateTrace, ...] = ()
    timings_ms: dict[str, float] = {}
    """Milliseconds per stage: clean, embed, topic, search, surfaced, judge, related, pending, total."""


class Traces(msgspec.Struct, frozen=True, kw_only=True, tag="traces"):
    """Decision traces, newest first."""

    traces: tuple[Trace, ...]


MOST_TRACES = 50
"""So many are told at once."""


class Why(Request[Traces], frozen=True, kw_only=True, omit_defaults=True, tag="why"):
    """The decision traces of the caller's session, newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_TRACES)] = 1
