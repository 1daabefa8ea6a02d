"""What is worth knowing on this turn, and taking it."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.context import ContextUpdate, Message
from memoryd_client.wire.request import Done, Request


class ShownMemory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory as an agent sees it, with why."""

    id: str
    content: str
    score: float
    reason: str
    category: str = "fact"
    trust: float = 0.5
    date: datetime
    provenance: str = ""
    """Where it comes from, in words: who, which session."""


class RelatedMemory(ShownMemory, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that was not asked for, beside one that was; its score is the strength of the edge between them."""

    relation: str = "related_to"
    """As of an `Edge`."""
    outgoing: bool = False
    """Whether the edge begins at the memory that it is shown beside."""


class SurfacedMemory(ShownMemory, frozen=True, kw_only=True, omit_defaults=True):
    """A memory handed to the agent."""

    related: tuple[RelatedMemory, ...] = ()
    """What contradicts it or is near to it, and was not shown before."""


class PendingMemory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is worth knowing on this turn, found while the previous one ran."""

    text: str
    """Ready to append to the prompt; fenced as data."""
    memories: tuple[SurfacedMemory, ...]
    changes: tuple[str, ...] = ()
    """The change header: what was added, updated or removed since this session last took."""
    turn: int
    """The turn whose context brought these up."""
    always: tuple[SurfacedMemory, ...] = ()
    """Rules, preferences, corrections and profile: with a session's first take, and when they changed."""
    consents: tuple[str, ...] = ()
    """Ids of proposed changes to what is known about the user, which the text asks about: each once in a session."""


class Taken(msgspec.Struct, frozen=True, omit_defaults=True, tag="taken"):
    """What was pending, or nothing."""

    pending: PendingMemory | None = None


class Take(Request[Taken], frozen=True, kw_only=True, tag="take"):
    """Hand over what is pending. The same `take_id` again gets the same answer again: a lost reply loses nothing."""

    take_id: str


class Turn(Request[Taken], frozen=True, kw_only=True, omit_defaults=True, tag="turn"):
    """Take a context in, wait a little for what it brings up, and hand over what is pending then.

    What is not decided by then comes with the next take.
    """

    update: ContextUpdate
    take_id: str
    """As of a `Take`."""
    wait_s: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.15


class Cleared(Request[Done], frozen=True, tag="cleared"):
    """The host has compacted or cleared the session's context: what was handed over does not stand there any more."""


class Recall(Request[Taken], frozen=True, kw_only=True, omit_defaults=True, tag="recall"):
    """Judge memories against a context now and wait for the answer; changes no session state.

    Without messages, the context last pushed by the caller's session.
    """

    needs_memory = True

    messages: tuple[Message, ...] = ()
