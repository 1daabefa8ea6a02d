"""Unicode's normal forms: as the standard has them, in time in proportion to the text, whatever marks are in it."""

import unicodedata
from typing import Literal

import pytest
from benchmarks.hostile_texts import filled, growth

from memoryd_actors.texts.normal_form import MOST_MARKS, normalized

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
JOINER = "\u034f"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "Zoe\u0308 isst Cre\u0300me",
        "\ufb01ne \u2460 \uff21",
        "\ud55c\uad6d\uc5b4",
        "a" + "\u0323\u0307" * 15,
        "\U0001d15e\U0001d16d",
    ],
)
def test_a_text_as_people_write_it_is_normalized_as_the_standard_says(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str
) -> None:
    assert normalized(form, text) == unicodedata.normalize(form, text)


def test_of_more_marks_than_any_language_needs_each_thirty_are_put_in_order_by_themselves() -> None:
    read = normalized("NFD", "a" + "\u0307\u0323" * 40)
    pieces = read[1:].split(JOINER)
    assert [len(piece) for piece in pieces] == [MOST_MARKS, MOST_MARKS, 20]
    assert pieces[2] == "\u0323" * 10 + "\u0307" * 10


@pytest.mark.parametrize("unit", ["\u0323\u0307", "\u0f73", "\U0001d165\U0001d16d", "\uff9e", "e\u0301"])
def test_marks_upon_marks_take_time_in_proportion_to_the_text(unit: str) -> None:
    assert growth(lambda text: normalized("NFC", text), lambda size: filled(unit, size), 20_000, 80_000) < 9
