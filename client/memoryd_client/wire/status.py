"""Is the daemon there, and how is it?"""

import msgspec

from memoryd_client.wire.request import PROTOCOL_VERSION, Request


class Pong(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="pong"):
    """The daemon serves."""

    pid: int
    version: str
    ready: bool
    v: int = PROTOCOL_VERSION


class Ping(Request[Pong], frozen=True, tag="ping"):
    """Is anybody there, and ready?"""


class ComponentStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One part of the daemon: a state in one word, a sentence where something is wrong, and its numbers."""

    state: str
    """ok, loading, idle, degraded, failed, off."""
    message: str = ""
    hint: str = ""
    numbers: dict[str, float] = {}
    facts: dict[str, str] = {}


class Status(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="status"):
    """The daemon's health."""

    pid: int
    version: str
    home: str
    live: bool
    ready: bool
    busy: bool
    uptime_s: float
    rss_bytes: int
    components: dict[str, ComponentStatus]
    """model, index, ledger, sidecar, sessions, keeper, capture, transcripts, sockets; memory: whether it is off."""
    warnings: tuple[str, ...] = ()


class GetStatus(Request[Status], frozen=True, tag="status"):
    """How is the daemon?"""
