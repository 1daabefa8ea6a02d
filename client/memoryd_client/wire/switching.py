"""The wire of turning memory off and on again."""

import msgspec

from memoryd_client.wire.request import Request


class SwitchedOff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Memory is off in a place."""

    project: str = ""
    """Empty: everywhere."""
    since: str
    """ISO 8601, UTC."""
    actor: str = ""
    """The agent or client that turned it off."""


class Switched(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="switched"):
    """How the switches of the caller's owner stand."""

    on: bool
    """Whether memory works for the caller where it is: neither everywhere nor its project is off."""
    off: tuple[SwitchedOff, ...] = ()
    """Everywhere first, then the projects by name."""


class Switch(Request[Switched], frozen=True, kw_only=True, omit_defaults=True, tag="switch"):
    """Turn memory on or off for the caller's project, or everywhere for its owner."""

    on: bool
    everywhere: bool = False
