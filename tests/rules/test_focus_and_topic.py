"""What the user wants now, and what led to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.recall.focus import find_focus
from memoryd_actors.recall.topic import blended
from memoryd_client import Message


def unit(*values: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    vector = np.array(values, dtype=np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def test_the_focus_is_the_latest_user_message_and_the_window_what_came_before() -> None:
    focus = find_focus(
        [
            Message("user", "the database migration locks the table"),
            Message("assistant", "use a concurrent index"),
            Message("user", "why does the login test fail at midnight?"),
        ],
        "turn",
    )
    assert focus is not None
    assert focus.text == "why does the login test fail at midnight?"
    assert focus.window == ("use a concurrent index", "the database migration locks the table")


def test_a_very_short_request_stands_alone_with_what_led_to_it_beside_it() -> None:
    focus = find_focus(
        [Message("user", "migrate the users table"), Message("assistant", "now?"), Message("user", "yes, do that")],
        "turn",
    )
    assert focus is not None
    assert focus.text == "yes, do that"
    assert focus.window == ("now?", "migrate the users table")
    assert focus.words < 3


def test_an_error_puts_the_latest_message_in_focus_with_the_request_behind_it() -> None:
    focus = find_focus(
        [Message("user", "run the migration"), Message("assistant", "OperationalError: database is locked")], "error"
    )
    assert focus is not None
    assert focus.text == "OperationalError: database is locked\nrun the migration"


def test_nothing_said_has_no_focus() -> None:
    assert find_focus([], "turn") is None


def test_equal_contexts_have_equal_fingerprints_and_different_ones_do_not() -> None:
    one = find_focus([Message("user", "a question about tokens")], "turn")
    same = find_focus([Message("user", "a question about tokens")], "turn")
    other = find_focus([Message("user", "a question about dates")], "turn")
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.fingerprint == same.fingerprint != other.fingerprint


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(min_size=1, max_size=50)), max_size=8))
def test_focus_and_window_never_overlap(said: list[tuple[str, str]]) -> None:
    focus = find_focus([Message(role, text) for role, text in said], "turn")
    if focus is not None:
        assert not set(focus.text.split("\n")) & set(focus.window) or any("\n" in text for _, text in said)
        assert len(focus.window) <= 2


def test_only_a_short_request_is_searched_with_what_led_to_it() -> None:
    before = np.stack([unit(1, 0, 0)])
    assert blended(unit(0, 0, 1), before, words=20) == pytest.approx(unit(0, 0, 1))
    mixed = blended(unit(0, 0, 1), before, words=1)
    assert mixed[0] > 0.1
    assert float(np.linalg.norm(mixed)) == pytest.approx(1.0, abs=1e-5)
    assert blended(unit(0, 0, 1), -np.stack([unit(0, 0, 1)]), words=1) == pytest.approx(unit(0, 0, 1))


@pytest.mark.parametrize(
    ("earlier", "short", "full"),
    [("Die Migration sperrt die Tabelle", "ja, bitte", "Warum schlägt der Anmeldetest um Mitternacht fehl?")],
)
def test_a_german_request_is_known_for_one_that_says_nothing_itself(earlier: str, short: str, full: str) -> None:
    before = [Message("user", earlier), Message("assistant", "OK")]
    little = find_focus([*before, Message("user", short)], "turn")
    own = find_focus([*before, Message("user", full)], "turn")
    assert little is not None
    assert own is not None
    assert (little.text, little.words) == (short, 0)
    assert own.text == full
    assert own.window == ("OK", earlier)


CODE = "\n".join(f"def step_{n}(value: int) -> int:\n    return value + {n}" for n in range(200))


@pytest.mark.parametrize(
    "asked", ["Why does the pool run dry?", "Warum läuft der Pool leer?", "Pourquoi le pool est-il vide ?"]
)
def test_what_is_asked_about_much_code_comes_before_the_code(asked: str) -> None:
    focus = find_focus([Message("user", f"```python\n{CODE}\n```\n{asked}")], "turn")
    assert focus is not None
    assert focus.text.startswith(asked)
    assert len(focus.text) < len(CODE) / 2
