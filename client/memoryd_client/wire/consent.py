"""The wire of consent: changes to what is known about the user, which wait for a yes."""

from typing import Annotated

import msgspec

from memoryd_client.wire.memories import Memories
from memoryd_client.wire.request import Request


class DecideConsent(Request[Memories], frozen=True, kw_only=True, tag="consent"):
    """The user's yes or no to one proposal; answered with the memory as it now stands. `id` may be shortened."""

    id: str
    approve: bool


class Consent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A proposed change to what is known about the user."""

    id: str
    """The id of the memory that becomes active with a yes."""
    field: str
    proposed: str
    """What it would say."""
    current: str = ""
    """What the field says now; empty where it says nothing, or where it gathers values."""
    needs: int = 0
    """Sessions that have to agree for it to apply by itself; 0: only a yes does."""
    signals: int = 1
    """Sessions that proposed it."""
    reason: str = ""
    category: str = "profile"
    scope: str = "project"
    project: str = ""
    proposed_by: str = ""
    """The agent that proposed it first."""
    created_at: str
    """ISO 8601, UTC."""
    expires_at: str
    """When it lapses without an answer."""


class Consents(msgspec.Struct, frozen=True, kw_only=True, tag="consented"):
    """What waits for a yes, newest first."""

    consents: tuple[Consent, ...]


class ListConsents(Request[Consents], frozen=True, kw_only=True, omit_defaults=True, tag="consents"):
    """What waits, in the caller's project and everywhere; newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
