from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memoryd.ledger import Retention
from memoryd.ledger.retention import kept
from memoryd_actors.upkeep.curator import backup_wait_s

_MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
_TAKEN = st.lists(_MOMENTS, max_size=60, unique=True)
_RETENTIONS = st.builds(Retention, st.integers(1, 5), st.integers(0, 9), st.integers(0, 6))
_NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
_DAY_S = 86400.0


@given(_TAKEN, _RETENTIONS)
def test_the_newest_are_always_kept_and_never_more_than_asked_for(taken: list[datetime], retention: Retention) -> None:
    lasting = kept(taken, retention)
    assert lasting <= set(taken)
    assert set(sorted(taken)[-retention.newest :]) <= lasting
    assert len(lasting) <= retention.newest + retention.days + retention.weeks


@given(_TAKEN, _RETENTIONS)
def test_thinning_twice_deletes_nothing_more(taken: list[datetime], retention: Retention) -> None:
    once = kept(taken, retention)
    assert kept(once, retention) == once


@given(_TAKEN, _RETENTIONS)
def test_the_last_backup_of_each_recent_day_and_week_is_kept(taken: list[datetime], retention: Retention) -> None:
    lasting = kept(taken, retention)
    for count, last in (
        (retention.days, {f"{at:%Y-%m-%d}": at for at in sorted(taken)}),
        (retention.weeks, {f"{at:%G-%V}": at for at in sorted(taken)}),
    ):
        recent = sorted(last.values())[max(0, len(last) - count) :]
        assert set(recent) <= lasting


@given(st.integers(1, 30), st.integers(0, 6))
def test_a_hundred_backups_in_a_row_leave_the_days_before_alone(in_a_row: int, weekday: int) -> None:
    today = datetime(2026, 6, 15, 12, tzinfo=UTC) + timedelta(days=weekday)
    there: frozenset[datetime] = frozenset()
    for day in range(60, 0, -1):
        there = kept({*there, today - timedelta(days=day)}, Retention())
    before = sorted(there)
    for minute in range(in_a_row):
        there = kept({*there, today + timedelta(minutes=minute)}, Retention())
    # One day and at most one week move on; of four weeks three are whole on Sunday, and two on Monday.
    assert len(set(before[:-3]) - there) <= 2
    assert min(there) <= today - timedelta(days=15)


@given(_TAKEN)
def test_right_after_a_backup_none_is_due_and_the_wait_is_bounded(taken: list[datetime]) -> None:
    assert 0 <= backup_wait_s(taken, _NOW, _DAY_S) <= _DAY_S
    assert backup_wait_s([*taken, _NOW], _NOW, _DAY_S) == _DAY_S


def test_a_backup_is_due_when_the_newest_has_its_age() -> None:
    assert backup_wait_s([], _NOW, _DAY_S) == 0
    assert backup_wait_s([_NOW - timedelta(hours=23), _NOW - timedelta(days=9)], _NOW, _DAY_S) == 3600
    assert backup_wait_s([_NOW - timedelta(hours=24)], _NOW, _DAY_S) == 0


@given(st.floats(0.1, 10 * 365), st.integers(2, 20))
def test_a_clock_that_was_turned_back_causes_one_backup_at_most(days_back: float, starts: int) -> None:
    taken = [_NOW - timedelta(hours=1)]
    made = 0
    for start in range(starts):
        now = _NOW - timedelta(days=days_back) + timedelta(minutes=start)
        if backup_wait_s(taken, now, _DAY_S) == 0:
            taken.append(now)
            made += 1
    assert made <= 1
    assert made == 1 or days_back < 2
