"""Time, as the system is told it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time, as a port, so that rules can be tested without waiting."""

    def now(self) -> datetime:
        """Return the wall-clock time, in UTC and aware of it. May go backwards."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go backwards, from an arbitrary start."""
        ...
