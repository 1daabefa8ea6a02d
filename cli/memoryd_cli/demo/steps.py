"""What happens in a played conversation, step by step, and what it comes to in figures."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from statistics import median

import msgspec

from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import SurfacedMemory
from memoryd_client.wire.traces import Trace


class TurnOutcome(StrEnum):
    """What came of a turn, measured by what the conversation says should have."""

    HIT = "hit"
    MISS = "miss"
    QUIET = "quiet"
    """Nothing was to come, and nothing came."""
    FALSE_ALARM = "false alarm"
    UNJUDGED = "unjudged"
    """The conversation does not say what should have come."""


def judged(expects: Sequence[str], labels: Sequence[str], *, quiet: bool, standing: Sequence[str] = ()) -> TurnOutcome:
    """Compare the labels of what came back (empty: it has none) with what should have: one of `expects`, or nothing.

    What is `standing` in the context has come as well, and is no alarm.
    """
    if quiet:
        return TurnOutcome.FALSE_ALARM if labels else TurnOutcome.QUIET
    if not expects:
        return TurnOutcome.UNJUDGED
    return TurnOutcome.HIT if set(expects) & {*labels, *standing} else TurnOutcome.MISS


class SessionBegan(msgspec.Struct, frozen=True):
    """A session of the conversation begins."""

    session: str
    date: str
    """ISO 8601; empty where the transcript has no times."""


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """What the turn before brought back."""

    turn: int
    """The turn whose context brought it up."""
    memories: tuple[SurfacedMemory, ...]
    labels: tuple[str, ...]
    """The conversation's names for them, in the same order."""
    standing: tuple[str, ...] = ()
    """The names of those that stand in the session's context: rules, preferences, corrections, profile."""
    expects: tuple[str, ...]
    outcome: TurnOutcome
    take_ms: float


class ContextPushed(msgspec.Struct, frozen=True, kw_only=True):
    """The user spoke, and the context was pushed."""

    turn: int
    text: str
    queued: bool
    push_us: float


class ContextDecided(msgspec.Struct, frozen=True, kw_only=True):
    """The pipeline has finished the turn."""

    trace: Trace
    pending_ms: float | None
    """From the push until the event that said so arrived; None where the event was missed."""


class MemoryRemembered(msgspec.Struct, frozen=True):
    """The agent stored a memory."""

    memory: Memory
    label: str


DemoStep = SessionBegan | Took | ContextPushed | ContextDecided | MemoryRemembered


class DemoFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A played conversation in numbers."""

    sessions: int
    turns: int
    pushes: int
    """Contexts that were queued."""
    decided: int
    """Turns whose decision was seen."""
    memories_stored: int
    memories_surfaced: int
    surfaced_expected: int
    """Of the memories that surfaced on turns which expected some: those that were expected."""
    turns_with_memories: int
    turns_without: int
    expected: int
    """Turns after which a certain memory should come back."""
    hits: int
    misses: int
    quiet: int
    """Turns after which nothing should come back."""
    kept_quiet: int
    false_alarms: int
    push_median_us: float | None
    """Microseconds of one push_context call."""
    take_median_ms: float | None
    """Milliseconds of one take_pending round trip."""
    pending_median_ms: float | None
    """Milliseconds from the push until the result was pending."""
    ready_s: float
    """Seconds from starting the daemon until it was ready."""
    rss_bytes: int
    """Of the daemon, at the end."""


def figures(steps: Iterable[DemoStep], *, ready_s: float, rss_bytes: int) -> DemoFigures:
    """Count and measure the steps of one conversation."""
    every = list(steps)
    took = [step for step in every if isinstance(step, Took)]
    pushed = [step for step in every if isinstance(step, ContextPushed)]
    decided = [step for step in every if isinstance(step, ContextDecided)]
    outcomes = [step.outcome for step in took]
    return DemoFigures(
        sessions=sum(isinstance(step, SessionBegan) for step in every),
        turns=len(pushed),
        pushes=sum(step.queued for step in pushed),
        decided=len(decided),
        memories_stored=len({step.memory.id for step in every if isinstance(step, MemoryRemembered)}),
        memories_surfaced=sum(len(step.memories) for step in took),
        surfaced_expected=sum(label in step.expects for step in took for label in step.labels),
        turns_with_memories=sum(bool(step.memories) for step in took),
        turns_without=sum(not step.memories for step in took),
        expected=outcomes.count(TurnOutcome.HIT) + outcomes.count(TurnOutcome.MISS),
        hits=outcomes.count(TurnOutcome.HIT),
        misses=outcomes.count(TurnOutcome.MISS),
        quiet=outcomes.count(TurnOutcome.QUIET) + outcomes.count(TurnOutcome.FALSE_ALARM),
        kept_quiet=outcomes.count(TurnOutcome.QUIET),
        false_alarms=outcomes.count(TurnOutcome.FALSE_ALARM),
        push_median_us=_median(step.push_us for step in pushed),
        take_median_ms=_median(step.take_ms for step in took),
        pending_median_ms=_median(step.pending_ms for step in decided if step.pending_ms is not None),
        ready_s=round(ready_s, 3),
        rss_bytes=rss_bytes,
    )


def _median(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(median(found), 3) if found else None
