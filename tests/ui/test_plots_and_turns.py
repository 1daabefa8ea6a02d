"""What the screens are made of, without a screen."""

from datetime import date
from itertools import permutations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_cli.base.decisions import decisions
from memoryd_cli.ui.plots import by_day, columns, shares
from memoryd_cli.ui.turns import TurnFilter, TurnLog, Written
from memoryd_client.wire.traces import SAME_CONTEXT, CandidateTrace, Trace


def trace(session: str, turn: int, at: str, focus: str = "") -> Trace:
    return Trace(session=session, turn=turn, at=at, trigger="turn", focus=focus, outcome="nothing relevant")


def test_a_column_is_as_high_as_its_value_and_zero_is_a_dot() -> None:
    assert columns([0, 1, 2, 4], 2) == ["   █", "·▄██"]
    assert columns([0.001, 1000], 1) == ["▁█"]
    assert columns([], 1) == [""]


@given(st.lists(st.integers(0, 10_000), max_size=6), st.integers(1, 20_000))
def test_a_bar_fills_its_width_whatever_it_is_made_of(sizes: list[int], whole: int) -> None:
    parts = [(str(place), size) for place, size in enumerate(sizes)]
    pieces = shares(parts, whole, 60)
    assert sum(len(piece) for _, piece in pieces) == 60
    assert [name for name, _ in pieces] == [*(name for name, _ in parts), "free"]


def test_days_without_a_count_are_zero() -> None:
    assert by_day({"2026-03-02": 3.0, "2026-02-01": 9.0}, date(2026, 3, 3), 3) == [0.0, 3.0, 0.0]


def test_a_later_context_of_a_turn_takes_the_place_of_the_one_before() -> None:
    log = TurnLog()
    log.decided(trace("s1", 1, "2026-03-01T12:00:02", "later"))
    log.decided(trace("s1", 1, "2026-03-01T12:00:01", "sooner"))
    (turn,) = log
    assert turn.said == "later"


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_what_is_asked_again_keeps_what_was_brought_up(order: tuple[int, ...]) -> None:
    kept = CandidateTrace(id="mem_1", summary="one", vector_score=1, word_score=1, score=1, kept=True, reason="")
    decided = msgspec.structs.replace(trace("s1", 1, "2026-03-01T12:00:00"), outcome="1 pending", candidates=(kept,))
    again = [msgspec.structs.replace(trace("s1", 1, f"2026-03-01T12:00:0{at}"), outcome=SAME_CONTEXT) for at in (1, 2)]
    log = TurnLog()
    for place in order:
        log.decided([decided, *again][place])
    (turn,) = log
    assert turn.trace is not None
    assert (turn.kept, turn.trace.outcome) == ([kept], "1 pending; asked again: same context as before")
    (told,) = decisions([*again[::-1], decided])
    assert told == turn.trace


def test_what_is_written_stands_with_the_latest_turn_of_its_session_or_alone() -> None:
    log = TurnLog()
    log.decided(trace("s1", 1, "2026-03-01T12:00:00"))
    log.decided(trace("s1", 2, "2026-03-01T12:01:00"))
    log.wrote(Written("ADD", "mem_1", "theirs", session="s1"), "2026-03-01T12:02:00")
    log.wrote(Written("ADD", "mem_2", "nobody's", agent="cli"), "2026-03-01T12:02:00")
    first, second, alone = log
    assert (first.written, [one.text for one in second.written]) == ([], ["theirs"])
    assert (alone.session, alone.agent, [one.text for one in alone.written]) == ("", "cli", ["nobody's"])
    assert [turn.key for turn in log if TurnFilter(agent="cli").passes(turn)] == [alone.key]


def test_old_turns_give_way() -> None:
    log = TurnLog(most=3)
    for number in range(10):
        log.decided(trace("s1", number, f"2026-03-01T12:00:0{number}"))
    assert [turn.number for turn in log] == [7, 8, 9]
