"""Memories are corrected."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from memoryd_client.wire.memories import Memories
from memoryd_client.wire.memory import MAX_COUNT, Importance, Share
from memoryd_client.wire.moments import to_utc
from memoryd_client.wire.request import Request


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
    expires_at: datetime | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "occurred_at", "expires_at")


class Update(Request[Memories], frozen=True, kw_only=True, omit_defaults=True, tag="update"):
    """Change one memory; answered with it as it now stands."""

    needs_memory = True

    id: str
    changes: Changes
    revision: Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)] | None = None
    """Refused where the memory is at another revision; None: whatever it is at."""
