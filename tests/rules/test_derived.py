"""Whether one text tells what another says."""

from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.purging.derived import IN_A_ROW, PhraseMatcher

VOCABULARY = ("the", "a", "brontomerus", "exhibit", "opens", "on", "floor", "nineteen")
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12)


def test_four_words_in_a_row_tell_it_and_three_do_not() -> None:
    telling = PhraseMatcher(["The exhibit opens on floor nineteen."])
    assert telling.within("Say that the EXHIBIT opens, on floor 3.")
    assert not telling.within("The exhibit opens tomorrow. We meet on floor nineteen.")


def test_a_short_text_is_told_whole_and_nothing_by_nothing() -> None:
    assert PhraseMatcher(["Brontomerus"]).within("the brontomerus!")
    assert not PhraseMatcher(["tall Brontomerus"]).within("the brontomerus")
    assert not PhraseMatcher(["", "…"])
    assert not PhraseMatcher([""]).within("")


def test_that_the_user_said_something_tells_nothing_of_what_they_said() -> None:
    telling = PhraseMatcher(['The user said: "We opened the exhibit on floor nineteen."'])
    assert telling.within('The user said: "Nobody opened the exhibit on Monday."')
    assert not telling.within('The user said: "We sold the elevator."')


@given(WORDS, WORDS, WORDS)
def test_whatever_stands_around_it_a_text_is_found(before: list[str], text: list[str], after: list[str]) -> None:
    assert PhraseMatcher([" ".join(text)]).within(" ".join((*before, *text, *after)))


@given(WORDS, WORDS)
def test_it_is_so_as_the_definition_says(one: list[str], other: list[str]) -> None:
    length = min(IN_A_ROW, len(one))
    runs = {tuple(one[at : at + length]) for at in range(len(one) - length + 1)}
    told = any(tuple(other[at : at + length]) in runs for at in range(len(other) - length + 1))
    assert PhraseMatcher([" ".join(one)]).within(" ".join(other)) == told
