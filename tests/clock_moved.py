"""`python tests/clock_moved.py`: the daemon, on a clock that is off by the days which the file CLOCK_MOVED names."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memoryd.__main__ import main
from memoryd.clock import SystemClock


class MovedClock(SystemClock):
    """The wall clock of somebody whose battery was empty, or who set it wrong."""

    def now(self) -> datetime:
        """Return the time, in UTC, as far off as the file says now."""
        return datetime.now(UTC) + timedelta(days=float(Path(os.environ["CLOCK_MOVED"]).read_text(encoding="ascii")))


if __name__ == "__main__":
    SystemClock.now = MovedClock.now  # type: ignore[method-assign, assignment]
    sys.exit(main())
