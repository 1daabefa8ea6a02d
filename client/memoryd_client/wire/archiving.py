"""The wire of summaries on demand: turns of a conversation are told shortly, and archived once they are."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.request import Request

Turn = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
"""A turn of the user, counted from 1: what the user says, and all that follows until they speak again."""
Focus = Annotated[str, msgspec.Meta(max_length=200)]


class TurnSummary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What some turns of a session came to."""

    id: str
    """Of the memory that it is."""
    session: str
    turns: tuple[int, int]
    """The first and the last."""
    entries: tuple[int, int]
    since: datetime
    until: datetime
    """When the first and the last of these entries were said."""
    summary: str
    """What it was about and came to."""
    key_facts: tuple[str, ...] = ()
    focus: str = ""
    by: str = ""
    """The model that wrote it, or `extracted`: it quotes the conversation."""
    created_at: datetime
    archived: bool = False
    """Whether all of these turns are archived."""
    overlaps: tuple[tuple[int, int], ...] = ()
    """Turns of summaries that tell some of these turns as well, but neither all nor only these."""


class TurnSummaries(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="turn_summaries"):
    """What of a session is summarised, and archived."""

    session: str
    summaries: tuple[TurnSummary, ...] = ()
    """By their turns, those that began first."""
    turns: int = 0
    """How many turns the session has."""
    last_summarized_turn: int = 0
    """Of those from the first on that are summarised without a gap, the last."""
    archived_turns: int = 0
    """The last turn that is archived; 0: none."""
    total_archived: int = 0
    """Entries that are archived: out of the contexts that are built, and found still."""
    last_archived_at: datetime | None = None


class SummarizeTurns(Request[TurnSummaries], frozen=True, kw_only=True, omit_defaults=True, tag="summarize_turns"):
    """Tell some turns of a session shortly; answered with that summary when it is durable.

    Nothing is archived by it. A summary takes the place of those that tell only turns of its own: all of them where it
    has no focus, else those with the same.
    """

    needs_memory = True

    start_turn: Turn = 1
    end_turn: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    """It is among them. 0: the last."""
    focus: Focus = ""
    """decisions, facts, context, all, or in words what matters most; empty: all."""
    session: str = ""
    """Empty: the caller's."""


class ArchiveTurns(Request[TurnSummaries], frozen=True, kw_only=True, omit_defaults=True, tag="archive_turns"):
    """Let the summaries of a session's turns before this one take their place in its contexts; nothing is deleted.

    Refused where one of them has no summary. Done twice it changes nothing. A turn that has no answer yet stays:
    the reply says up to which all are archived.
    """

    needs_memory = True

    before_turn: Turn
    session: str = ""


class ListTurnSummaries(Request[TurnSummaries], frozen=True, kw_only=True, omit_defaults=True, tag="turn_summaries"):
    """What of a session is summarised, and archived."""

    session: str = ""


ArchivingRequest = SummarizeTurns | ArchiveTurns | ListTurnSummaries
