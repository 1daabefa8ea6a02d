"""What is shown once: the same words, and nothing that differs in what matters."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.searching.near_identical import DatedText, adds_nothing


def near_identical(one: DatedText, other: DatedText) -> bool:
    return adds_nothing(one, other) and adds_nothing(other, one)


DAY, NEXT_DAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers tabs over spaces.", "User prefers tabs over spaces"),
        ("Don\u2019t deploy on Fridays!", "do not deploy on Fridays"),
        ("The tests can't run in parallel.", "Tests cannot run in parallel"),
        ("There are three staging servers.", "There are 3 staging servers."),
        ("Use uv, not pip. It is faster.", "Use uv, not pip.\nIt is faster"),
        ("The token expiry is computed in UTC.", "Token expiry is computed in UTC"),
    ],
)
def test_the_same_in_the_same_words_is_near_identical(one: str, other: str) -> None:
    assert near_identical(DatedText(one), DatedText(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploy on Fridays.", "Do not deploy on Fridays."),
        ("The timeout is 30 s.", "The timeout is 31 s."),
        ("The ratio is 1.5.", "The ratio is 15."),
        ("Jon owns the studio.", "Gina owns the studio."),
        ("Postgres replaced MySQL.", "MySQL replaced Postgres."),
        ("A blue pot with a wooden ladle.", "A wooden pot with a blue ladle."),
        ("The parser is written in C.", "The parser is written in C++."),
        ("Delete branches with git branch -d.", "Delete branches with git branch -D."),
        ("Keep 5% of the logs.", "Keep 5 of the logs."),
        ("The offset is -5.", "The offset is 5."),
        ("The user uses tabs.", "The user used tabs."),
        ("The user uses tabs.", "The user uses tabs?"),
        ("We follow plan A.", "We follow a plan."),
        ("Alle Tests laufen.", "Keine Tests laufen."),
        ("x == y holds here", "x != y holds here"),
        ("Everyone may merge.", "Nobody may merge."),
        ("Test. Deploy.", "Deploy. Test."),
        ("We use Redis.", "We use Redis. No longer."),
        ("Deploys run on all days.", "Deploys run on all days. But not on Fridays."),
        ("if ok:\n    deploy\nlog", "if ok:\n    deploy\n    log"),
    ],
)
def test_what_differs_in_one_thing_that_matters_is_not(one: str, other: str) -> None:
    assert not near_identical(DatedText(one), DatedText(other))
    assert not adds_nothing(DatedText(one), DatedText(other))


def test_a_part_adds_nothing_to_the_whole_but_the_whole_does_to_the_part() -> None:
    part, whole = DatedText("Use uv, not pip."), DatedText("Use uv, not pip. The lock file is checked in.")
    assert adds_nothing(part, whole)
    assert not adds_nothing(whole, part)


def test_who_speaks_matters_where_a_text_speaks_of_me() -> None:
    assert not near_identical(DatedText("I like tea.", "Ana"), DatedText("I like tea.", "Bob"))
    assert near_identical(DatedText("I like tea.", "Ana"), DatedText("I like the tea", "ana"))
    assert near_identical(DatedText("Ana likes tea.", "Ana"), DatedText("Ana likes tea.", "Bob"))


def test_the_day_matters_where_a_text_speaks_of_today() -> None:
    assert not near_identical(DatedText("Deployed today.", moment=DAY), DatedText("Deployed today.", moment=NEXT_DAY))
    assert near_identical(
        DatedText("Deploys need two reviews.", moment=DAY), DatedText("Deploys need 2 reviews", moment=NEXT_DAY)
    )


def test_what_follows_a_long_beginning_counts_to_the_letter() -> None:
    beginning = "the same sentence again and again. " * 100
    assert near_identical(DatedText(beginning + "Use tabs."), DatedText(beginning + "Use tabs."))
    assert not near_identical(DatedText(beginning + "Use tabs."), DatedText(beginning + "Use blanks."))


def test_signs_alone_are_the_same_only_where_they_are_equal() -> None:
    assert adds_nothing(DatedText("..."), DatedText("..."))
    assert not adds_nothing(DatedText("..."), DatedText("Anything at all."))


@given(st.text(max_size=300))
def test_every_text_adds_nothing_to_itself(text: str) -> None:
    assert near_identical(DatedText(text), DatedText(text))


@given(st.text(max_size=200), st.text(max_size=200))
def test_near_identical_is_the_same_both_ways(one: str, other: str) -> None:
    assert near_identical(DatedText(one), DatedText(other)) == near_identical(DatedText(other), DatedText(one))


WORDS = st.lists(st.sampled_from(["deployment", "timeout", "30", "not", "Postgres", "never", "the"]), min_size=1)


@given(WORDS, st.integers(0, 99))
def test_another_number_is_never_near_identical(words: list[str], number: int) -> None:
    text = " ".join(words)
    assert not near_identical(DatedText(f"{text} {number}"), DatedText(f"{text} {number + 1}"))


@given(WORDS)
def test_a_denial_is_never_near_identical(words: list[str]) -> None:
    text = " ".join(words)
    assert not near_identical(DatedText(f"{text} works"), DatedText(f"{text} not works"))
