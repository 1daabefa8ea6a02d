from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memoryd_actors.model.breaker import MAX_COOL_DOWN_FACTOR, Breaker, Permit


def fail(breaker: Breaker, now: float, *, lasting: bool = False) -> Breaker:
    breaker, permit = breaker.admit(now)
    assert permit is not None
    return breaker.failed(permit, now, lasting=lasting)


def test_it_opens_after_failures_in_a_row_only() -> None:
    breaker = fail(fail(Breaker(failures_to_open=3), 0), 1)
    breaker, permit = breaker.admit(2)
    assert permit is not None
    breaker = breaker.succeeded(permit)
    breaker = fail(fail(breaker, 3), 4)
    assert breaker.phase == "closed"
    assert fail(breaker, 5).phase == "open"


def test_a_lasting_failure_opens_it_at_once() -> None:
    assert fail(Breaker(failures_to_open=3), 0, lasting=True).phase == "open"


def test_after_the_cool_down_one_probe_goes() -> None:
    breaker = fail(Breaker(failures_to_open=1, cool_down_s=60), 100)
    assert breaker.admit(159.9)[1] is None
    assert breaker.rests_for(130) == 30
    breaker, probe = breaker.admit(160)
    assert probe is not None
    assert probe.probe
    assert breaker.admit(10_000)[1] is None
    assert breaker.succeeded(probe).phase == "closed"


def test_the_cool_down_doubles_up_to_sixteen_times_and_success_resets_it() -> None:
    breaker = fail(Breaker(failures_to_open=1, cool_down_s=10), 0)
    now, lengths = 0.0, []
    for _ in range(7):
        lengths.append(breaker.rests_for(now))
        now += breaker.rests_for(now)
        breaker = fail(breaker, now)
    assert lengths == [10, 20, 40, 80, 160, 160, 160]
    breaker, probe = breaker.admit(now + 160)
    assert probe is not None
    breaker = fail(breaker.succeeded(probe), now)
    assert breaker.rests_for(now) == 10


def test_calls_that_fail_together_count_as_one_opening() -> None:
    breaker = Breaker(failures_to_open=1, cool_down_s=10)
    permits = [breaker.admit(0)[1] for _ in range(5)]
    for permit in permits:
        assert permit is not None
        breaker = breaker.failed(permit, 4)
    assert breaker.rests_for(4) == 10


def test_a_late_success_from_before_does_not_close_it() -> None:
    breaker = Breaker(failures_to_open=1)
    _, early = breaker.admit(0)
    assert early is not None
    assert fail(breaker, 1).succeeded(early).phase == "open"


def test_an_abandoned_probe_frees_its_place() -> None:
    breaker, probe = fail(Breaker(failures_to_open=1, cool_down_s=10), 0).admit(10)
    assert probe is not None
    breaker, second = breaker.abandoned(probe, 11).admit(11)
    assert second is not None
    assert second.probe


@given(st.floats(0, 1e6), st.integers(1, 5))
def test_closed_it_admits_everybody(now: float, calls: int) -> None:
    assert all(Breaker().admit(now)[1] is not None for _ in range(calls))


class BreakerLife(RuleBasedStateMachine):
    """Calls begin and end in any order; time only goes forward."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.breaker = Breaker(failures_to_open=2, cool_down_s=10)
        self.out: list[Permit] = []

    @rule(seconds=st.floats(0, 50))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def begin(self) -> None:
        before = self.breaker
        self.breaker, permit = before.admit(self.now)
        if permit is None:
            assert before.phase == "half-open" or before.rests_for(self.now) > 0
        else:
            assert permit.probe == (before.phase == "open")
            self.out.append(permit)

    @precondition(lambda self: bool(self.out))
    @rule(which=st.integers(0, 20), how=st.sampled_from(["ok", "fail", "lasting", "gone"]))
    def end(self, which: int, how: str) -> None:
        permit = self.out.pop(which % len(self.out))
        before = self.breaker
        match how:
            case "ok":
                self.breaker = before.succeeded(permit)
            case "gone":
                self.breaker = before.abandoned(permit, self.now)
            case _:
                self.breaker = before.failed(permit, self.now, lasting=how == "lasting")
        if permit.generation != before.generation:
            assert self.breaker == before

    @invariant()
    def at_most_one_probe_of_this_generation_is_out(self) -> None:
        probes = [one for one in self.out if one.probe and one.generation == self.breaker.generation]
        assert len(probes) == (1 if self.breaker.phase == "half-open" else 0)

    @invariant()
    def it_never_rests_longer_than_the_longest_cool_down(self) -> None:
        assert self.breaker.rests_for(self.now) <= 10 * MAX_COOL_DOWN_FACTOR


TestBreakerLife: Any = BreakerLife.TestCase
TestBreakerLife.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
