import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.searching.preferences import asks_for_advice, is_preference, is_rule


@pytest.mark.parametrize(
    "text",
    [
        "Always format dates as DD.MM.YYYY.",
        "Please never push to main.",
        "From now on, use tabs.",
        "- whenever I ask for code, add tests",
        "Bitte immer auf Deutsch antworten.",
    ],
)
def test_a_rule_begins_by_saying_that_it_holds_always(text: str) -> None:
    assert is_rule(text, "fact")


@pytest.mark.parametrize("text", ["She always sings.", "Nevertheless it works.", "Alwaysland is far.", ""])
def test_what_only_mentions_always_is_no_rule(text: str) -> None:
    assert not is_rule(text, "fact")


def test_a_category_says_it_too() -> None:
    assert is_rule("Run the linter first.", "procedure")
    assert is_preference("Dark mode.", "preference")
    assert not is_preference("Run the linter first.", "procedure")


@pytest.mark.parametrize("text", ["I prefer tea.", "I'd rather not, we really prefer tea", "Wir bevorzugen Tee."])
def test_a_preference_is_said_in_the_first_person(text: str) -> None:
    assert is_preference(text, "fact")
    assert not is_preference("They prefer tea.", "fact")


@pytest.mark.parametrize(
    "question",
    ["What would you suggest?", "How should I dress?", "Was soll ich anziehen?"],
)
def test_advice_is_asked_about_what_to_do(question: str) -> None:
    assert asks_for_advice(question)


@pytest.mark.parametrize("question", ["When did we meet?", "How many dogs do I have?", "Wann war das?", ""])
def test_what_was_is_no_matter_of_advice(question: str) -> None:
    assert not asks_for_advice(question)


@given(st.text(max_size=200))
def test_a_long_text_is_looked_at_only_at_its_beginning(text: str) -> None:
    filler = "x " * 600
    assert not is_preference(filler + "I prefer tea. " + text, "fact")
    assert not asks_for_advice(filler + "What do you suggest? " + text)
