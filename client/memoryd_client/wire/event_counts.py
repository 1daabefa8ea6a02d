"""The wire of counts: what the daemon did, by day, operation and part."""

from typing import Annotated

import msgspec

from memoryd_client.wire.request import Request


class EventCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often one thing was done on one day."""

    day: str
    """ISO 8601, UTC."""
    node: str
    """Who did it: pipeline, keeper, comparer, consolidation, ageing."""
    op: str
    """classify, search, create, update, merge, supersede, delete, restore, link, unlink, ttl, undo, consent, purge."""
    status: str
    """ok, error or skipped."""
    count: int


class EventCounts(msgspec.Struct, frozen=True, kw_only=True, tag="counted"):
    """Counts, the newest day first."""

    counts: tuple[EventCount, ...]


class CountEvents(Request[EventCounts], frozen=True, kw_only=True, omit_defaults=True, tag="counts"):
    """How often was what done for the caller's owner, in the last days?"""

    days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 7
