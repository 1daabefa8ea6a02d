"""Where a memory comes from and what became of it."""

import msgspec

from memoryd_client.wire.edges import Edge
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.request import Request


class Showing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory was brought up in a session."""

    session: str
    turn: int
    at: str
    """ISO 8601, UTC."""
    kept: bool
    """Whether it was handed over, or could have been had the agent asked."""
    reason: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="originated"):
    """Where a memory comes from and what became of it."""

    memory: Memory
    edges: tuple[Edge, ...] = ()
    others: tuple[Memory, ...] = ()
    """The memories at the other ends of the edges."""
    history: tuple[HistoryEntry, ...] = ()
    """Newest first."""
    shown: tuple[Showing, ...] = ()
    """In the traces that are kept, newest first."""


class GetOrigin(Request[Origin], frozen=True, kw_only=True, tag="origin"):
    """Where a memory comes from, what it is to others, and when it was shown."""

    id: str
