"""When an owner's memories are consolidated: by what the ledger says, not by how long the daemon runs. Pure."""

from datetime import datetime, timedelta

import msgspec

PAIRS = "pairs"
AGEING = "ageing"
ROLLUPS = "rollups"
UPKEEP = "upkeep"
STAGES = (PAIRS, AGEING, ROLLUPS, UPKEEP)
"""In this order; what a stage has done stays done when the daemon goes down in the next."""


class ConsolidationRun(msgspec.Struct, frozen=True):
    """One consolidation of one owner's memories, as far as it is."""

    number: int
    owner: str
    started_at: datetime
    asked: bool = False
    """Whether somebody asked for it."""
    finished_at: datetime | None = None
    stage: str = ""
    """The last that is done."""
    starts: int = 0
    """How often it was begun or taken up again."""
    counts: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    problem: str = ""
    """Why it does not get on."""

    @property
    def left(self) -> tuple[str, ...]:
        """The stages that are to be done."""
        done = STAGES.index(self.stage) + 1 if self.stage in STAGES else 0
        return STAGES[done:]


def is_due(last: ConsolidationRun | None, now: datetime, hours: float) -> bool:
    """Return whether a run is to begin, or one that was broken off to be taken up, whoever asked for it.

    A run in the future, where the clock was turned back, counts as any other: it keeps none from being done for ever,
    nor does every look begin one.
    """
    if last is not None and last.finished_at is None:
        return True
    if not hours:
        return False
    return last is None or abs(now - last.started_at) >= timedelta(hours=hours)
