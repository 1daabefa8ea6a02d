"""Numbers and times in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison.canon import canon
from memoryd_actors.texts.dates import written
from memoryd_actors.texts.numbers import numeral


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("sixty-one users", "61"),
        ("two hundred and five users", "205"),
        ("three thousand four hundred users", "3400"),
        ("two thousand five hundred users", "2500"),
        ("2.5 million users", "2500000"),
        ("neunhundertfünfzig Nutzer", "950"),
        ("zweitausenddreihundertfünfundzwanzig Nutzer", "2325"),
    ],
)
def test_a_number_in_words_is_read_as_one_number(text: str, number: str) -> None:
    assert [one.text for one in canon(text).tokens if one.kind == "number"] == [number]


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
        ("at 3:00", "at 3:00"),
        ("17 pm", "17 pm"),
        ("$5 am", "$5 am"),
        ("1.6.2025", "2025-06-01"),
        ("on 20 May 2026", "on 2026-05-20"),
        ("on May 20th", "on --05-20"),
        ("am 1. Juni", "am --06-01"),
        ("in May 1990", "in May 1990"),
        ("you may 5 times", "you may 5 times"),
        ("version 1.60.2025", "version 1.60.2025"),
    ],
)
def test_only_a_time_that_is_certain_is_written_in_another_way(text: str, told: str) -> None:
    assert written(text) == told


@given(st.text(alphabet="0123456789:.,- hapmUhrMay€/", max_size=40))
def test_what_is_written_in_one_way_stays_as_it_is(text: str) -> None:
    once = written(text)
    assert written(once) == once


@given(
    st.text(max_size=60) | st.lists(st.sampled_from("five hundred thousand elf and 5 km Uhr und".split())).map(" ".join)
)
def test_numbers_in_words_are_read_from_any_text(text: str) -> None:
    assert canon(text) == canon(text)
