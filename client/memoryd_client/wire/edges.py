"""What memories are to each other."""

from typing import Annotated

import msgspec

from memoryd_client.wire.memory import Share
from memoryd_client.wire.request import Request


class Edge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one memory is to another."""

    from_id: str
    to_id: str
    relation: str = "related_to"
    """related_to, supersedes, contradicts, merged_into, or whatever a user calls it."""
    strength: float = 1.0
    """0 to 1; of neighbours the cosine."""
    at: str = ""
    """Since when; ISO 8601, UTC."""


class Edges(msgspec.Struct, frozen=True, kw_only=True, tag="edges"):
    """What memories are to each other, strongest first."""

    edges: tuple[Edge, ...]


class Relate(Request[Edges], frozen=True, kw_only=True, omit_defaults=True, tag="relate"):
    """Say what one memory is to another; answered with the edges of the first. `supersedes` retires the second."""

    needs_memory = True

    from_id: str
    to_id: str
    relation: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "related_to"
    strength: Share = 1.0


class Unrelate(Request[Edges], frozen=True, kw_only=True, omit_defaults=True, tag="unrelate"):
    """Remove an edge; answered with those that are left of the first memory."""

    from_id: str
    to_id: str
    relation: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "related_to"


MAX_RECORDS = 1_000


class GetEdges(Request[Edges], frozen=True, kw_only=True, tag="get_edges"):
    """The edges that begin or end at memories of the caller's; ids must be whole."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=MAX_RECORDS)]
