"""Memories are stored, listed, read, forgotten and restored."""

from typing import Annotated

import msgspec

from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, NewMemory
from memoryd_client.wire.request import Request

MAX_IMPORT_BATCH = 1_000
MOST_RELATED = 10


class Memories(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="memories"):
    """Memories with all their fields."""

    memories: tuple[Memory, ...]
    next: str = ""
    """Pass as `before` for the next page; empty at the end."""

    @property
    def only(self) -> Memory:
        """The one that was asked for."""
        (only,) = self.memories
        return only


class Remember(Request[Memories], frozen=True, kw_only=True, omit_defaults=True, tag="remember"):
    """Store memories; answered when they are durable. All of them or none."""

    needs_memory = True

    memories: Annotated[tuple[NewMemory, ...], msgspec.Meta(min_length=1, max_length=MAX_IMPORT_BATCH)]
    replaces: str = ""
    """The id of a memory whose place the only new one takes, in the same operation; it may be shortened. Where that was
    retired, it follows the new one in the answer."""
    related: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_RELATED)] = ()
    """Ids of memories that the only new one is something to; they may be shortened. The edges are made in the same
    operation, but for a memory that waits for the user's yes."""
    relation: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "related_to"
    """What it is to them."""
    by_model: bool = False
    """Whether a model chose the words: what is too short or too long, true for a moment only or about the model itself
    is refused then, with what to write instead. What a person types is taken."""


class List(Request[Memories], frozen=True, kw_only=True, omit_defaults=True, tag="list"):
    """List memories, newest first."""

    filters: Filters = Filters()
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    before: str = ""
    """Continue after this id."""
    passages: bool = True
    """Also those of documents, which are many; without them only where the filters name their category."""


class Get(Request[Memories], frozen=True, kw_only=True, tag="get"):
    """One memory with all its fields, whatever its state. `id` may be shortened."""

    id: str


class Forget(Request[Memories], frozen=True, kw_only=True, tag="forget"):
    """Soft-delete one memory."""

    id: str


class Restore(Request[Memories], frozen=True, kw_only=True, tag="restore"):
    """Undo a forget."""

    id: str


class MemoryPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Part of one memory's content. Offsets count characters."""

    id: str
    content: str
    offset: int = 0
    total: int
    next_offset: int | None = None
    """Where the next page begins; None at the end."""


class Page(msgspec.Struct, frozen=True, tag="page"):
    """Part of one memory."""

    page: MemoryPage


class Read(Request[Page], frozen=True, kw_only=True, omit_defaults=True, tag="read"):
    """A page of one memory's content."""

    id: str
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1000
