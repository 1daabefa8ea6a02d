"""Memories are destroyed for good."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from memoryd_client.wire.memory import Memory
from memoryd_client.wire.request import Done, Request


class Purge(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="purge"):
    """Destroy memories for good, wherever they are kept, and what was merged into them. Nothing brings them back."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)]
    transcripts: bool = False
    """Also the words of the messages that the memories come from, and episodes, summaries and what was extracted that
    tell it in the same words. Without it, the answer names them."""
    every_session: bool = False
    """With `transcripts`: also in all other sessions of the owner what says the same in the same words."""


class TellingEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of a transcript that tells what a memory says."""

    session: str
    sequence: int
    """Its number in the transcript; 0: a prompt that waits for its answer, and is in none yet."""
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
    """Memories that were made of transcripts and tell it, and go with it; the first 500."""
    resting: tuple[Memory, ...] = ()
    """What else rests on these entries, and tells it in other words or something else: it stays until it is purged
    itself; the first 500."""
    sessions: int = 0
    """How many sessions were looked through."""
    unreadable: int = 0
    """Entries in them that cannot be read, because their lines are damaged: they may tell it, too."""
    replaced: tuple[str, ...] = ()
    """Memories that only these took the place of: they stay superseded, by nothing that is there, until restored."""
    leaves: str = ""
    """What no purge reaches, in words."""


class PlanPurge(Request[PurgePlan], frozen=True, kw_only=True, omit_defaults=True, tag="purge_plan"):
    """Which entries of transcripts a purge of these memories would take the words from. Nothing is changed."""

    ids: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)]
    every_session: bool = False
