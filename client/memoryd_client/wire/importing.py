"""Whole memories are brought in."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.edges import MAX_RECORDS, Edge
from memoryd_client.wire.memory import MAX_COUNT, Importance, Scope, Share, Source, State, new_memory_id
from memoryd_client.wire.moments import to_utc
from memoryd_client.wire.request import Request


class MemoryRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory from elsewhere, as whole as it is known; its content is enough. Its owner is always the caller."""

    id: str = msgspec.field(default_factory=new_memory_id)
    content: str
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    project: str | None = None
    """None: the caller's."""
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}
    importance: Importance = 3
    pinned: bool = False
    source: Source = Source.IMPORTED
    speaker: str = ""
    occurred_at: datetime | None = None
    session: str = ""
    source_messages: tuple[int, int] | None = None
    files: tuple[str, ...] = ()
    created_at: datetime | None = None
    """None: now."""
    updated_at: datetime | None = None
    """None: when it was created."""
    last_accessed_at: datetime | None = None
    access_count: Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)] = 0
    strength: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)] = 1
    sources: tuple[str, ...] = ()
    trust: Share | None = None
    """None: as if it were stored now."""
    state: State = State.ACTIVE
    superseded_by: str = ""
    agent: str = ""
    role: str = ""
    """Empty: as if it were stored now."""
    revision: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)] = 1
    purge_at: datetime | None = None
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "occurred_at", "created_at", "updated_at", "last_accessed_at", "purge_at", "expires_at")


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was not brought in."""

    id: str
    """Of an edge, the memory that it begins at."""
    reason: str


class Imported(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="imported"):
    """What became of an import."""

    added: tuple[str, ...] = ()
    """Memories that are new."""
    proposed: tuple[str, ...] = ()
    """Records that wait for the user's consent, or for a second session that says the same."""
    unchanged: tuple[str, ...] = ()
    """Records that were there already, by their own ids."""
    left_out: tuple[LeftOut, ...] = ()
    edges: int = 0
    """Edges that are new."""
    edges_unchanged: int = 0
    edges_left_out: tuple[LeftOut, ...] = ()
    """Also where only a record's `superseded_by` was left out."""


class Import(Request[Imported], frozen=True, kw_only=True, omit_defaults=True, tag="import"):
    """Bring in memories, and edges between memories that are there; answered when that is durable.

    Each record passes the gate that every memory passes. One that is there already, by its id or by what it says in the
    same place, stays as it is. What claims to come from a model or a rule has to read as such, and what is known about
    the user waits for their yes, also where a record says that it once had it.
    """

    needs_memory = True

    records: Annotated[tuple[MemoryRecord, ...], msgspec.Meta(max_length=MAX_RECORDS)] = ()
    edges: Annotated[tuple[Edge, ...], msgspec.Meta(max_length=MAX_RECORDS)] = ()
    restore: bool = False
    """The person says that this is an export of their own: it passed the gate once, and their yes is part of it. It
    comes back as it was, but for secrets. Refused from every agent but the command line."""
