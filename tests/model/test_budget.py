from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from cases import case
from memoryd_actors.judging.question import about
from memoryd_actors.memory.budget import Limits, Prices, Spending, Usage, left, objection, spent, today
from memoryd_actors.model.account import Account
from sidecar_world import Purse, Watch, used

# Quarters of dollars, so that sums are exact.
usages = st.builds(Usage, st.integers(1, 10**6), st.integers(0, 10**6), st.integers(1, 40).map(lambda n: n / 4))
moments = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))


def test_the_day_is_the_utc_date() -> None:
    at = datetime(2026, 11, 21, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert today(at) == "2026-11-20"


@given(st.lists(moments, min_size=1))
def test_a_clock_going_back_never_begins_a_new_day(times: list[datetime]) -> None:
    day = ""
    for at in times:
        following = today(at, known=day)
        assert following >= day
        day = following
    assert day == max(at.date().isoformat() for at in times)


@given(st.lists(usages, max_size=6), usages)
def test_what_is_allowed_stays_within_both_limits(calls: list[Usage], planned: Usage) -> None:
    limits = Limits(daily_tokens=3_000_000, daily_usd=12.0)
    so_far = Spending(day="2026-11-20")
    for call in calls:
        so_far = spent(so_far, call)
    assert so_far.calls == len(calls)
    fits = (
        so_far.input_tokens + so_far.output_tokens + planned.tokens <= limits.daily_tokens
        and so_far.cost_usd + planned.cost_usd <= limits.daily_usd
    )
    assert (objection(so_far, planned, limits) == "") is fits
    tokens, dollars = left(so_far, limits)
    assert tokens >= 0
    assert dollars >= 0


def test_the_objection_names_the_limit_that_is_reached() -> None:
    so_far = Spending(day="2026-11-20", input_tokens=900, output_tokens=50, cost_usd=0.4)
    assert "1,000 tokens" in objection(so_far, Usage(100, 0, 0.0), Limits(daily_tokens=1000))
    assert "$0.50" in objection(so_far, Usage(1, 0, 0.2), Limits())
    assert objection(so_far, Usage(1, 0, 0.05), Limits()) == ""


def test_calls_in_flight_are_counted_before_they_are_answered() -> None:
    so_far, call = Spending(day="2026-11-20"), Usage(400, 100, 0.0)
    limits = Limits(daily_tokens=1000)
    assert objection(so_far, call, limits, in_flight=call) == ""
    assert objection(so_far, call, limits, in_flight=call + call) != ""


def test_a_limit_of_zero_allows_nothing() -> None:
    assert objection(Spending(day="2026-11-20"), Usage(1, 0, 0.0), Limits(daily_tokens=0))
    assert objection(Spending(day="2026-11-20"), Usage(1, 0, 0.001), Limits(daily_usd=0.0))


def test_prices_are_per_million() -> None:
    usage = Prices(input_usd_per_million=0.1, output_usd_per_million=0.5).usage(1_000_000, 2_000_000)
    assert usage.cost_usd == 1.1


@given(st.integers(1, 12))
def test_more_candidates_are_estimated_higher(count: int) -> None:
    def size(number: int) -> int:
        return used(about(case(*["some memory"] * number), deadline_s=1.0))

    assert size(count + 1) > size(count)


def test_what_a_batch_will_cost_is_kept_until_it_is_fetched_or_lost() -> None:
    watch = Watch()
    account = Account(Purse(), watch, Limits(daily_tokens=1000))
    call = Usage(400, 100, 0.0)
    account.hold("one", call)
    assert account.objection(call) == ""
    account.hold("two", call)
    assert "1,000 of them kept" in account.objection(call)
    account.free("one")
    assert account.objection(call) == ""
    account.hold("one", call)
    watch.forward(24 * 3600)
    assert account.objection(call)
    watch.forward(24 * 3600)
    assert account.objection(call) == ""
