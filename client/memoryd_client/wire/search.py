"""Memories are found by meaning and words."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Scope
from memoryd_client.wire.request import Request


class RelatedHit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A near statement that was found too, beneath the newest one."""

    id: str
    summary: str
    """As of a `Hit`."""
    reason: str
    """What it is to the newest one, in words: `earlier`, `contradicted by`, `related`."""
    timestamp: datetime


class Hit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One result of a search: enough to decide whether to read it."""

    id: str
    summary: str
    """The title, or the beginning of the content, in one line of at most 200 characters; of a long memory both, with
    the passage that was found."""
    score: float
    """Fused relevance, 0 to 1; comparable within one search."""
    timestamp: datetime
    """When it happened, or else when it was stored."""
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    vector_score: float = 0.0
    """Cosine similarity of query and memory, -1 to 1."""
    word_score: float = 0.0
    """BM25 over the best BM25 of this search, 0 to 1."""
    tags: tuple[str, ...] = ()
    offset: int = 0
    """Where in the content of a long memory the passage begins that was found, in characters: `read` goes there."""
    related: tuple[RelatedHit, ...] = ()
    """Older statements that are near to it, newest first: together they have one place."""


class Hits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="hits"):
    """Search results, best first."""

    hits: tuple[Hit, ...]
    note: str = ""
    """What was not searched yet, or not by meaning."""


class Search(Request[Hits], frozen=True, kw_only=True, omit_defaults=True, tag="search"):
    """Find memories by meaning and words."""

    needs_memory = True

    query: str
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10
    filters: Filters = Filters()
    everything: bool = False
    """Also what has nothing to do with the query, and each near statement in its own place."""
