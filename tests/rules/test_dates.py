from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.searching.dates import Month, months


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ann do in May 2023?", [Month(5, 2023)]),
        ("Where was she on 3 July, 2022?", [Month(7, 2022)]),
        ("Who came on August 14?", [Month(8, None)]),
        ("What happened between January and March 2024?", [Month(1, None), Month(3, 2024)]),
        ("Was haben wir im März beschlossen?", [Month(3, None)]),
        ("What may go wrong when they march on?", []),
        ("How long did it take?", []),
        ("mayor, marching, Juliet, decembers", []),
    ],
)
def test_months_are_found_in_questions(question: str, expected: list[Month]) -> None:
    assert months(question) == expected


@given(st.text())
def test_any_text_can_be_asked_for_months(question: str) -> None:
    assert all(1 <= month.month <= 12 for month in months(question))


def test_a_month_without_a_year_is_that_of_any_year() -> None:
    may = datetime(2023, 5, 8, tzinfo=UTC)
    assert Month(5, None).has(may)
    assert Month(5, 2023).has(may)
    assert not Month(5, 2022).has(may)
    assert not Month(6, None).has(may)
