"""The real clock."""

from datetime import UTC, datetime
from time import monotonic


class SystemClock:
    """Wall clock and monotonic clock of this machine."""

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since some start; never goes backwards."""
        return monotonic()
