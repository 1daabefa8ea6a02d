"""Numbers and times in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison.canon import canon
from memoryd_actors.comparison.clock import on_the_clock
from memoryd_actors.comparison.numerals import numeral
from memoryd_actors.comparison.tokens import read


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("sixty-one users", "61"),
        ("two hundred and five users", "205"),
        ("three thousand four hundred users", "3400"),
        ("zweitausenddreihundertfünfundzwanzig Nutzer", "2325"),
        ("soixante-dix utilisateurs", "70"),
        ("quatre-vingts utilisateurs", "80"),
        ("vingt et un utilisateurs", "21"),
        ("deux mille cinq cents utilisateurs", "2500"),
        ("ciento veinte usuarios", "120"),
        ("mil quinientos usuarios", "1500"),
        ("cuarenta y dos usuarios", "42"),
    ],
)
def test_a_number_in_words_is_read_as_one_number(text: str, number: str) -> None:
    assert read(text).numbers == (number,)
    assert [one.text for one in canon(text).lexemes if one.kind == "number"] == [number]


@pytest.mark.parametrize(
    "word", ["jahrhundert", "gesundheit", "tausendfüßler", "up-to-date", "one-way", "rundum", "und"]
)
def test_a_word_that_only_holds_a_number_is_none(word: str) -> None:
    assert numeral(word) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("at 3 pm.", "at 15:00."),
        ("at 12:30 a.m. sharp", "at 00:30 sharp"),
        ("at midnight, UTC", "at 00:00 UTC"),
        ("at noon, we eat", "at 12:00, we eat"),
        ("um 9 Uhr 15", "um 09:15"),
        ("à 8h", "à 08:00"),
        ("8 h de sommeil", "8 h de sommeil"),
        ("at 3:00", "at 3:00"),
        ("17 pm", "17 pm"),
        ("$5 am", "$5 am"),
        ("1.6.2025", "2025-06-01"),
        ("version 1.60.2025", "version 1.60.2025"),
    ],
)
def test_only_a_time_that_is_certain_is_written_in_another_way(text: str, told: str) -> None:
    assert on_the_clock(text) == told


@given(st.text(alphabet="0123456789:.,- hapmUhrà€/", max_size=40))
def test_what_is_on_the_clock_stays_there(text: str) -> None:
    once = on_the_clock(text)
    assert on_the_clock(once) == once


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from("five hundred neuf cents mil y and 5 km Uhr und".split())).map(" ".join)
)
def test_numbers_in_words_are_read_from_any_text(text: str) -> None:
    assert read(text).numbers == read(text).numbers
    canon(text)
