"""The wire of what the daemon did: counted by day, operation and part, and row by row."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from memoryd_client.wire.request import Request


class EventCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often one thing was done on one day."""

    day: str
    """ISO 8601, UTC."""
    node: str
    """Who did it: pipeline, client (who searched), keeper, comparer, consolidation, ageing."""
    op: str
    """classify, search, query, knowledge_search, create, update, merge, supersede, delete, restore, link, unlink, ttl,
    undo, consent, purge."""
    status: str
    """ok, error or skipped."""
    count: int


class EventCounts(msgspec.Struct, frozen=True, kw_only=True, tag="counted"):
    """Counts, the newest day first."""

    counts: tuple[EventCount, ...]


class CountEvents(Request[EventCounts], frozen=True, kw_only=True, omit_defaults=True, tag="counts"):
    """How often was what done for the caller's owner, in the last days?"""

    days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 7


class DoneEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was done, or was not."""

    number: int
    """They go up with their time."""
    at: datetime
    node: str
    """As of an `EventCount`."""
    op: str
    status: str
    session: str = ""
    """In which it was done; that of a memory that was changed may be another."""
    memory: str = ""
    """Its id."""
    category: str = ""
    similarity: float | None = None
    """Cosine of the best neighbour, where one was searched for; of a write that of what it was done for."""
    duration_ms: float | None = None
    """How long it took, where that was measured."""
    agent: str = ""
    """Who had it done."""


class DoneEvents(msgspec.Struct, frozen=True, kw_only=True, tag="done_events"):
    """What was done, the newest first."""

    events: tuple[DoneEvent, ...]


class ListDone(Request[DoneEvents], frozen=True, kw_only=True, omit_defaults=True, tag="list_done"):
    """What was done for the caller's owner, the newest first; what is empty is not asked for."""

    node: str = ""
    op: str = ""
    status: Literal["", "ok", "error", "skipped"] = ""
    session: str = ""
    memory: str = ""
    """An id, whole."""
    category: str = ""
    project: str = ""
    """Of memories of this project."""
    agent: str = ""
    """Of what this agent had done."""
    days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 7
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    before: int = 0
    """Continue after this number."""
