"""No text makes redaction work more than its length warrants, counted in calls; steps within an expression count not.

Those are bounded by the expressions' own limits, and `test_hostile_texts` stops them where they are not.
"""

import sys
from types import FrameType

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd_actors.redaction import redact
from memoryd_actors.redaction.redactor import MOST_ROUNDS

from .hostile import UNITS
from .samples import MIXED, drawn

SIZE = 2_000
MOST_CALLS = 60 * SIZE
"""Prose has one call for four characters, the densest text of announcements 11 for one, what a search for the slowest
text found 37; the rest is for texts that take all rounds."""

ANNOUNCING = (
    "password=", "password: ", "密码是", "key ", "token=", "my password is ", " as my password", "secret", "bearer ",
    "creds ", "://a:b@", "-p ", "curl -u ", "Secret", "kind:", "是", "abc", "éapi_key", "hunter2", "://", "\n", " ",
    '"',
)  # fmt: skip
pieces = st.lists(st.one_of(st.sampled_from(ANNOUNCING), st.sampled_from(UNITS)), min_size=1, max_size=6)


def calls(text: str) -> int:
    """Return how many functions are called, Python's own among them, while a text is redacted."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        redact(text)
    finally:
        sys.setprofile(before)
    return count


def repeated(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


@settings(max_examples=60, deadline=None)
@given(pieces.map("".join))
def test_no_repeated_text_takes_more_calls_than_its_length_warrants(unit: str) -> None:
    assert calls(repeated(unit, SIZE)) < MOST_CALLS


@settings(max_examples=40, deadline=None)
@given(pieces.map("".join))
def test_twice_the_text_takes_hardly_more_than_twice_the_calls(unit: str) -> None:
    half, whole = calls(repeated(unit, SIZE)), calls(repeated(unit, 2 * SIZE))
    # Where a text takes more rounds for being longer, it takes at most all of them.
    assert whole < 2.5 * half or whole < 2 * MOST_CALLS


def test_secrets_that_uncover_one_another_are_all_replaced_in_a_few_rounds() -> None:
    text = repeated("密码是api_key://abc", SIZE)
    redacted = redact(text)
    assert "api_key" not in redacted.text
    assert redact(redacted.text).text == redacted.text
    assert calls(text) < MOST_CALLS


def test_a_text_made_to_change_in_every_round_ends_where_the_last_round_finds_it_changing() -> None:
    nested = "".join('password="' + "'" * number for number in range(MOST_ROUNDS * 4)) + "x y9"
    once = redact(nested).text
    assert redact(once).text == once


def test_the_password_of_a_wifi_is_found_behind_a_latin_word() -> None:
    assert redact("我家的wifi密码是hunter" + "2x9").text == "我家的wifi密码是[redacted:password]"


def test_a_crowded_list_of_passwords_is_replaced_as_one() -> None:
    redacted = redact(f"Before. {'password=hunter2 ' * 100}And after.")
    assert redacted.text == "Before. password=[redacted:password] And after."
    assert redact(redacted.text).text == redacted.text


def test_a_long_list_of_variables_keeps_their_names() -> None:
    names = [f"SERVICE_{number}_PASSWORD" for number in range(100)]
    text = "".join(f"{name}=hunter{number}x\n" for number, name in enumerate(names))
    assert redact(text).text == "".join(f"{name}=[redacted:password]\n" for name in names)


def test_a_long_token_behind_many_names_in_a_run_without_blanks_is_replaced_to_its_end() -> None:
    token = drawn(MIXED, 300)
    text = "".join(f"api_key:/é.{number}" for number in range(100))
    assert redact(f"{text},token={token} end").text == f"{text},token=[redacted:token] end"
