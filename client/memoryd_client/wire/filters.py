"""Which memories a search, a query or a listing asks for."""

from datetime import datetime
from typing import Literal

import msgspec

from memoryd_client.wire.memory import Importance
from memoryd_client.wire.moments import to_utc


class Filters(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which memories come into question. Empty means all; the owner is always the caller's.

    The daemon applies all of them in its index and its ledger, so what does not pass is never read.
    """

    categories: tuple[str, ...] = ()
    scope: Literal["all", "project", "global", "everywhere"] = "all"
    """all: this project's and the global ones; everywhere: those of every project as well."""
    states: tuple[str, ...] = ("active",)
    tags: tuple[str, ...] = ()
    """A memory must have all of them."""
    pinned: bool | None = None
    agent: str = ""
    """Stored by this agent."""
    session: str = ""
    """From this session."""
    speaker: str = ""
    """Said by this person, or whoever it was."""
    role: str = ""
    """In this voice: user, assistant, system or tool."""
    importance_min: Importance | None = None
    importance_max: Importance | None = None
    updated_after: datetime | None = None
    """Last written then or later; without a zone: UTC."""
    updated_before: datetime | None = None
    """Last written before that moment."""

    def __post_init__(self) -> None:
        """Bring its moments into UTC."""
        to_utc(self, "updated_after", "updated_before")
