"""The wire of changing what is remembered: corrections, links, and taking back."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from memoryd_client.memory import MAX_COUNT, Importance, Memory, Share


class Changes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an update changes; a field that is not set stays as it is."""

    content: str | UnsetType = UNSET
    category: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    importance: Importance | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    speaker: str | UnsetType = UNSET
    occurred_at: datetime | UnsetType | None = UNSET
    files: tuple[str, ...] | UnsetType = UNSET
    trust: Share | UnsetType = UNSET


class Update(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update"):
    """Change one memory; answered with it as it now stands."""

    id: str
    changes: Changes
    revision: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)] | None = None
    """Refused where the memory is at another revision; None: whatever it is at."""


class Relate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="relate"):
    """Say what one memory is to another; answered with the edges of the first. `supersedes` retires the second."""

    from_id: str
    to_id: str
    relation: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "related_to"
    strength: Share = 1.0


class Unrelate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="unrelate"):
    """Remove an edge; answered with those that are left of the first memory."""

    from_id: str
    to_id: str
    relation: Annotated[str, msgspec.Meta(min_length=1, max_length=60)] = "related_to"


class Undo(msgspec.Struct, frozen=True, kw_only=True, tag="undo"):
    """Take back an operation, as the history numbers them; answered with the memories that changed back."""

    operation: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]


class GetOrigin(msgspec.Struct, frozen=True, kw_only=True, tag="origin"):
    """Where a memory comes from, what it is to others, and when it was shown."""

    id: str


class Purge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="purge"):
    """Destroy memories for good, wherever they are kept, and what was merged into them. Nothing brings them back."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)]
    transcripts: bool = False
    """Also the words of the messages that the memories come from, and the episodes and summaries that tell it. Without
    it, the answer names them."""
    every_session: bool = False
    """With `transcripts`: also in all other sessions of the owner what says the same in the same words."""


class PlanPurge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="purge_plan"):
    """Which entries of transcripts a purge of these memories would take the words from. Nothing is changed."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)]
    every_session: bool = False


class TellingEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of a transcript that tells what a memory says."""

    session: str
    sequence: int
    """Its number in the transcript."""
    at: datetime
    kind: str = "message"
    role: str = ""
    name: str = ""
    reason: Literal["source", "words"] = "words"
    """source: the memory rests on it; words: it says the same in the same words."""
    excerpt: str = ""
    """Its beginning, 200 characters."""


class PurgePlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="purge_planned"):
    """What a purge would take out of transcripts."""

    ids: tuple[str, ...]
    """The memories, and those that were merged into them."""
    entries: tuple[TellingEntry, ...] = ()
    """By session, in the order in which they were said; the first 2,000."""
    more: int = 0
    """Entries beyond those."""
    retold: tuple[Memory, ...] = ()
    """Episodes and summaries that tell it, and go with it; the first 500."""
    sessions: int = 0
    """How many sessions were looked through."""
    unreadable: int = 0
    """Entries in them that cannot be read, because their lines are damaged: they may tell it, too."""
    replaced: tuple[str, ...] = ()
    """Memories that only these took the place of: they stay superseded, by nothing that is there, until restored."""
