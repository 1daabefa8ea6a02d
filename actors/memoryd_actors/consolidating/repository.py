"""What the daily consolidation writes down: the part of the ledger that it needs beside what is common to all."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from memoryd_actors.consolidating.fingerprints import Check
from memoryd_actors.consolidating.pool import Pool
from memoryd_actors.consolidating.schedule import ConsolidationRun
from memoryd_client.wire.memory import Memory


class CandidatePair(msgspec.Struct, frozen=True):
    """Two memories that may be the same or contradict each other, and nobody has decided yet."""

    number: int
    owner: str
    older: str
    newer: str
    similarity: float
    """Cosine."""
    reason: str


class Used(msgspec.Struct, frozen=True):
    """What was done for an owner on one day (UTC)."""

    pairs: int = 0
    tokens: int = 0


class ConsolidationRepository(Protocol):
    """Where runs and comparisons are written down; the ledger is one."""

    async def purges(self, owner: str) -> int:
        """Return the number of an owner's newest purge: for `UnlessPurged`, read before the memories themselves."""
        ...

    async def owners(self) -> list[str]:
        """Return everybody who has a memory in any state, in order."""
        ...

    async def pool(self, owner: str, *, since: datetime, without: Sequence[str], most: int) -> Pool:
        """Return active memories stored or changed since, but those of some categories, in the order of their ids.

        Of each place at most so many.
        """
        ...

    async def episodes(self, owner: str) -> list[Memory]:
        """Return active episodes of projects that are in no summary, the oldest of each project first."""
        ...

    async def checks(self, owner: str, *, since: datetime) -> list[Check]:
        """Return which pairs were compared since."""
        ...

    async def owners_with_open_pairs(self) -> list[str]:
        """Return everybody who has a pair that nobody has decided about, in order."""
        ...

    async def open_pairs(self, owner: str, *, skip: int, limit: int) -> list[CandidatePair]:
        """Return an owner's pairs that nobody has decided about, the nearest first, without as many as are skipped."""
        ...

    async def contradictions(self, owner: str, *, skip: int, limit: int) -> list[CandidatePair]:
        """Return an owner's pairs that are linked as contradicting each other, the newest link first."""
        ...

    async def queued(self, owner: str) -> frozenset[tuple[str, str]]:
        """Return the pairs that were ever in doubt, decided or not, the smaller id first."""
        ...

    async def used(self, owner: str, day: str) -> Used:
        """Return what was done for an owner on a day."""
        ...

    async def use(self, owner: str, day: str, used: Used) -> None:
        """Add to what was done for an owner on a day."""
        ...

    async def ask_run(self, owner: str) -> ConsolidationRun:
        """Return the owner's run that is not finished, or else a new one, as one that somebody asked for."""
        ...

    async def asked_runs(self) -> list[str]:
        """Return the owners whose run somebody asked for, and is not finished, in the order in which they began."""
        ...

    async def begin_run(self, owner: str) -> ConsolidationRun:
        """Return the owner's run that is not finished, taken up once more, or else a new one."""
        ...

    async def mark_run(self, number: int, *, stage: str = "", problem: str = "", finished: bool = False) -> None:
        """Put down how far a run is; an empty stage leaves it where it was."""
        ...

    async def runs(self, owner: str, *, limit: int) -> list[ConsolidationRun]:
        """Return the owner's runs, newest first."""
        ...

    async def prune(self, owner: str, *, checks_before: datetime, keep_runs: int) -> int:
        """Delete an owner's comparisons and days before, and all but the newest runs; return how many rows."""
        ...
