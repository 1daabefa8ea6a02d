"""When a conversation is due, and how it is cut."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.extraction import InputMessage
from memoryd_actors.extraction.due import Waiting, due
from memoryd_actors.extraction.window import WINDOW_CHARACTERS, windows

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
IDLE = timedelta(minutes=30)


def reason(**given: object) -> tuple[str, int] | None:
    waiting = Waiting(last=20, quiet_since=NOW, known=True)
    for name, value in given.items():
        assert hasattr(waiting, name)
        setattr(waiting, name, value)
    return due(waiting, NOW, turns=12, idle=IDLE)


def test_a_session_that_goes_on_is_not_due() -> None:
    assert reason(turns=11) is None


def test_it_is_due_when_ended_when_silent_and_after_twelve_turns() -> None:
    assert reason(ended=20) == ("ended", 20)
    assert reason(quiet_since=NOW - IDLE) == ("idle", 20)
    assert reason(turns=12) == ("turns", 20)


def test_an_end_that_was_looked_at_does_not_count_again() -> None:
    assert reason(ended=15, done=15) is None


def test_a_change_of_topic_closes_what_was_before_it_once_there_is_enough() -> None:
    assert reason(topic=True, turns=4, latest=19) == ("topic", 18)
    assert reason(topic=True, turns=3, latest=19) is None
    assert reason(topic=True, turns=4, latest=19, done=18) is None


def test_what_has_to_wait_waits_and_nothing_new_is_nothing_due() -> None:
    assert reason(ended=20, not_before=NOW + timedelta(seconds=1)) is None
    assert reason(ended=20, not_before=NOW) == ("ended", 20)
    assert reason(quiet_since=NOW - IDLE, done=20) is None


MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.integers(1, 9_000)), max_size=60)


@given(MESSAGES, st.integers(1, 12))
def test_parts_hold_every_message_once_and_none_is_too_long(said: list[tuple[str, int]], turns: int) -> None:
    messages = [
        InputMessage(number, "user" if role == "user" else "assistant", "", "x" * size, NOW)
        for number, (role, size) in enumerate(said, 1)
    ]
    parts = windows(messages, turns=turns)
    assert [one for part in parts for one in part] == messages
    for part in parts:
        assert sum(one.role == "user" for one in part) <= turns
        assert sum(min(len(one.text), 4_000) for one in part) <= WINDOW_CHARACTERS
