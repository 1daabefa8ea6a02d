"""Which backups are kept: the newest few, and fewer and fewer the further back. Pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

import msgspec


class Retention(msgspec.Struct, frozen=True):
    """How many backups are kept. Days and weeks are those that have backups, in UTC, and one backup stands for each."""

    newest: int = 3
    """At least one."""
    days: int = 7
    weeks: int = 4


def kept(taken: Iterable[datetime], retention: Retention) -> frozenset[datetime]:
    """Return those of the times whose backups are kept; at most the sum of the three numbers.

    Only backups count, never the clock: one that runs ahead or is turned back deletes nothing by itself.
    """
    newest_first = sorted(set(taken), reverse=True)
    days: dict[date, datetime] = {}
    weeks: dict[tuple[int, int], datetime] = {}
    for moment in newest_first:
        day = moment.astimezone(UTC).date()
        # The newest of each: it stands for its day, and what was dropped beside it is in it.
        days.setdefault(day, moment)
        weeks.setdefault(day.isocalendar()[:2], moment)
    return frozenset(
        newest_first[: max(retention.newest, 1)]
        + list(days.values())[: retention.days]
        + list(weeks.values())[: retention.weeks]
    )
