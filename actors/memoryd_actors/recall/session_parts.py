"""What every session works with."""

from collections.abc import Callable, Collection, Coroutine, Iterable

import msgspec

from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.handover import Handover
from memoryd_actors.recall.pipeline import Pipeline
from memoryd_client.wire.caller import Caller

PURGED_S = 600.0
"""How long a memory that was destroyed is kept out of what contexts bring: none is under way for longer."""


class SessionCounts(msgspec.Struct):
    """What all sessions together have done since the start."""

    accepted: int = 0
    decided: int = 0
    dropped_stale: int = 0
    dropped_late: int = 0
    crashed: int = 0
    """Contexts that met a bug."""
    turns: int = 0
    query_calls: int = 0
    query_turns: int = 0
    """Turns on which memory was asked for."""


class RecentlyPurged:
    """The memories that were destroyed a moment ago: a context that is under way would bring them once more."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._when: dict[str, float] = {}
        self.under_way = 0
        """How many purges have begun and not ended."""

    def add(self, ids: Iterable[str]) -> None:
        """Note that memories are about to be destroyed."""
        self._when.update(dict.fromkeys(ids, self._clock.monotonic()))

    def ids(self) -> Collection[str]:
        """Return those that a context may still bring."""
        if self._when:
            horizon = self._clock.monotonic() - PURGED_S
            self._when = {memory_id: when for memory_id, when in self._when.items() if when > horizon}
        return self._when.keys()


class SessionParts(msgspec.Struct, frozen=True, kw_only=True):
    """What every session works with."""

    pipeline: Pipeline
    handover: Handover
    ledger: Ledger
    clock: Clock
    publish: Publisher
    sequence: Callable[[], int]
    """Returns the number of the ledger's newest change, as far as it is known here."""
    drops: Callable[[Caller], bool]
    """Whether a caller's contexts are to be dropped: memory is off there."""
    shared: bool
    """Whether other daemons serve the same sessions from the same ledger: then it is asked each time."""
    counts: SessionCounts
    purged: RecentlyPurged
    on_crash: Callable[[str, Exception], None]
    start: Callable[[Callable[[], Coroutine[object, object, None]]], None]
    """Lets something run that outlives whoever began it."""
