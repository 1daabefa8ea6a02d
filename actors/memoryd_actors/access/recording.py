"""Puts down that a client searched, or wrote what is refused: in which session, how long it took. Never what."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final, Literal

import msgspec

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.events import EventStatus, Happened
from memoryd_actors.memory.signature import signed
from memoryd_actors.ports.clock import Clock
from memoryd_client.wire.caller import Caller

NODE: Final = "client"


class SearchOutcome(msgspec.Struct):
    """What came of a search, filled in by whoever searches."""

    similarity: float | None = None
    """Cosine of the best that was found; None where nothing was, or it was not searched by meaning."""

    def note(self, cosines: Iterable[float]) -> None:
        """Note the cosines of what was found; 0 is that of what was not compared by meaning."""
        self.similarity = max(filter(None, cosines), default=None)


class ClientRecorder:
    """Records searches, and writes that are refused before the keeper hears of them, as operational events."""

    def __init__(self, record: Callable[[Sequence[Happened]], None], clock: Clock) -> None:
        """Prepare; `record` never waits."""
        self._record = record
        self._clock = clock

    @contextmanager
    def recorded(self, op: Literal["search", "query", "knowledge_search"], caller: Caller) -> Generator[SearchOutcome]:
        """Record the search that the block makes; one that is refused, or ends too late, as an error."""
        began, outcome = self._clock.monotonic(), SearchOutcome()
        status: EventStatus = "error"
        try:
            yield outcome
            status = "ok"
        finally:
            happened = Happened(
                owner=caller.owner,
                node=NODE,
                op=op,
                status=status,
                thread=caller.session,
                agent=signed(caller),
                sim=outcome.similarity,
                duration_ms=round(1000 * (self._clock.monotonic() - began), 3),
            )
            self._record([happened])

    @contextmanager
    def refusals(self, op: Literal["create", "update"], caller: Caller) -> Generator[None]:
        """Record a refusal of the block as an error: what it lets through, the keeper records."""
        try:
            yield
        except Refused:
            happened = Happened(
                owner=caller.owner, node=NODE, op=op, status="error", thread=caller.session, agent=signed(caller)
            )
            self._record([happened])
            raise
