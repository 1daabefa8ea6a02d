"""Pairs of memories that may say the same or contradict each other are shown and settled."""

from typing import Annotated, Literal

import msgspec

from memoryd_client.wire.memory import Memory
from memoryd_client.wire.request import Request

Verdict = Literal["same", "replaces", "contradicts", "both"]
"""What the first of two memories is to the second: the same, of which the first is kept; what takes its place; what
contradicts it, so that both stay and point at each other; or both are true."""


class WaitingPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two memories about which nobody has decided yet."""

    first: Memory
    """The newer one."""
    second: Memory
    similarity: float
    """Cosine."""
    reason: str = ""


class WaitingPairs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="waiting_pairs"):
    """Pairs that wait, the nearest first."""

    pairs: tuple[WaitingPair, ...]
    more: bool = False
    """Whether there are others."""


class ReviewPairs(Request[WaitingPairs], frozen=True, kw_only=True, omit_defaults=True, tag="review"):
    """Which pairs of the caller's memories wait for somebody to decide what they are to each other?"""

    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10
    contradicting: bool = False
    """Instead of what waits: pairs that are linked as contradicting each other, both active, the newest link first."""


class SettledPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="settled"):
    """What became of a pair."""

    first: Memory
    second: Memory
    operation: int = 0
    """By which it can be undone; 0 where nothing had to be written."""


class SettlePair(Request[SettledPair], frozen=True, kw_only=True, omit_defaults=True, tag="settle"):
    """Say what one memory is to another. It is done in one operation, and nobody is asked about the two again."""

    needs_memory = True

    first: str
    """An id, which may be shortened."""
    second: str
    verdict: Verdict


ReviewRequest = ReviewPairs | SettlePair
