"""What was written, and taking it back."""

from typing import Annotated

import msgspec

from memoryd_client.wire.memories import Memories
from memoryd_client.wire.memory import MAX_COUNT
from memoryd_client.wire.request import Request


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One write."""

    sequence: int
    memory_id: str
    event: str
    """ADD, UPDATE, DELETE, MERGE, SUPERSEDE, LINK, UNLINK, TTL, RESTORE, UNDO, CONSENT or PURGE."""
    at: str
    """ISO 8601, UTC."""
    actor: str = ""
    """The agent or client that asked for it."""
    old: str = ""
    """The content before, where it changed."""
    new: str = ""
    meta: dict[str, str] = {}
    operation: int = 0
    """What was written together has one number, and is undone together."""


class History(msgspec.Struct, frozen=True, kw_only=True, tag="history"):
    """Writes, newest first."""

    entries: tuple[HistoryEntry, ...]


class GetHistory(Request[History], frozen=True, kw_only=True, omit_defaults=True, tag="history"):
    """The writes to one memory, or to all of the owner's, newest first."""

    id: str = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    before: Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)] = 0
    """Continue after the entry of this sequence number; 0: from the newest on."""


class Undo(Request[Memories], frozen=True, kw_only=True, tag="undo"):
    """Take back an operation, as the history numbers them; answered with the memories that changed back."""

    operation: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]
