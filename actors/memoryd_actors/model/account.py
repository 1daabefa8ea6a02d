"""The sidecar's account: what was spent today, what is reserved, and the repository in which it survives a restart."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Protocol

from msgspec.structs import replace

from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.budget import Limits, Spending, Usage, left, objection, spent, today
from memoryd_actors.ports.clock import Clock
from memoryd_client.wire.spending import DaySpending

_NOTHING = Usage()
_HELD_FOR = timedelta(days=1)
"""After the day on which it was handed in: no batch is worked on for longer than 24 hours."""


class SpendingRepository(Protocol):
    """Where spending survives a restart; the ledger is one."""

    async def spending(self, day: str) -> Spending:
        """Return what was spent that day."""
        ...

    async def spend(self, spending: Spending) -> None:
        """Add to that day's spending."""
        ...


class SpendingHistory(Protocol):
    """What was spent on other days."""

    async def by_day(self, *, days: int) -> list[DaySpending]:
        """Return what was spent in the last days, the newest first, without days on which nothing was."""
        ...


class Account:
    """Counts at once and writes later: a call waits for no disk, and a full one forgets nothing that was spent.

    Reservations keep sessions that ask together from overdrawing together.
    """

    def __init__(self, repository: SpendingRepository, clock: Clock, limits: Limits) -> None:
        self._repository = repository
        self._clock = clock
        self._limits = limits
        self._today = Spending(day="")
        self._in_flight = _NOTHING
        self._held: dict[str, tuple[str, Usage]] = {}
        """What batches will cost that were handed in and not fetched yet, each since a day."""
        self._unsaved: list[Spending] = []

    @property
    def spent(self) -> Spending:
        """What was spent today."""
        day = self._day()
        return self._today if self._today.day == day else Spending(day=day)

    @property
    def left(self) -> tuple[int, float]:
        """Tokens and dollars left today."""
        return left(self.spent, self._limits)

    @property
    def day_is_over(self) -> bool:
        """Whether a new day began since the account was last opened or used."""
        return self._day() != self._today.day

    def objection(self, planned: Usage) -> str:
        """Return why a call of that size may not be made now, in words; empty where it may."""
        return objection(self._today, planned, self._limits, in_flight=self._in_flight + self._waiting())

    @contextmanager
    def reserved(self, planned: Usage) -> Generator[None]:
        """Keep that much for a call under way."""
        self._in_flight += planned
        try:
            yield
        finally:
            self._in_flight -= planned

    def hold(self, batch: str, planned: Usage) -> None:
        """Keep that much for a batch that was handed in, until `free`, or until it cannot be worked on any more."""
        self._held[batch] = (self._day(), planned)

    def free(self, batch: str) -> None:
        """Keep nothing more for a batch: what it cost is known, or it costs nothing."""
        self._held.pop(batch, None)

    def _waiting(self) -> Usage:
        today_is = date.fromisoformat(self._day())
        late = [name for name, (day, _) in self._held.items() if today_is - date.fromisoformat(day) > _HELD_FOR]
        for name in late:
            del self._held[name]
        return sum((planned for _, planned in self._held.values()), _NOTHING)

    def charge(self, usage: Usage) -> None:
        """Count one call."""
        if usage == _NOTHING:
            return
        self._today = spent(self._today, usage)
        if self._unsaved and self._unsaved[-1].day == self._today.day:
            self._unsaved[-1] = spent(self._unsaved[-1], usage)
        else:
            self._unsaved.append(spent(Spending(day=self._today.day), usage))

    async def turn_day(self) -> None:
        """Begin today's page, from the repository. Several calls may do so at once; the first to come back counts.

        Raises:
            Refused: the repository cannot be read.
        """
        day = self._day()
        if day == self._today.day:
            return
        known = await self._repository.spending(day)
        if day > self._today.day:
            self._today = replace(known, day=day)

    async def save(self) -> None:
        """Write what is not yet in the repository, each entry once; an entry that may not have arrived is kept."""
        while self._unsaved:
            entry = self._unsaved.pop()
            try:
                await self._repository.spend(entry)
            except Refused:
                # It still counts here, and is written with the next call.
                self._unsaved.append(entry)
                return
            except BaseException:
                self._unsaved.append(entry)
                raise

    def _day(self) -> str:
        return today(self._clock.now(), known=self._today.day)
