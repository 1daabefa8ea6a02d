"""No contradiction is the same, whatever stands around it, in whichever order, for whoever asks."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memoryd_actors.admission.gate import content_hash
from memoryd_actors.comparison import Comparison, Statement, action, compare, vetoed
from memoryd_actors.searching.near_identical import DatedText, adds_nothing

from .contradictions import PAIRS
from .hostile import HOSTILE_PAIRS

IDS = [f"{kind}: {one}" for kind, one, _ in PAIRS]
AROUND = (
    "{}",
    "We agreed on this in the long meeting with everybody last week: {}",
    "{} The whole team in the office was told about it by the project lead.",
    "As of this morning the note of the support team says the following, word by word: {} Nothing else is known.",
)
OTHER_WORDS = {
    "Test, then deploy.",
    "Elle habite à Lyon.",
    "Kahve sever.",
    "The page is being scraped by Ann.",
    "That is out of the question.",
    "Il parle anglais et russe.",
    "We are going to migrate.",
    "Either key works.",
}
"""What a model may know to be the same, as far as the rules can tell."""
GUARDED = [pair for pair in PAIRS if pair[0] != "added" and pair[1] not in OTHER_WORDS]


@pytest.mark.parametrize(("kind", "one", "other"), [*PAIRS, *HOSTILE_PAIRS])
def test_a_contradiction_is_never_merged(kind: str, one: str, other: str) -> None:
    assert kind
    for around in AROUND:
        for new, old in ((one, other), (other, one)):
            found = compare(Statement(around.format(new)), Statement(around.format(old)), 1.0)
            assert found.relation != "same", found


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS, ids=IDS)
def test_a_contradiction_is_never_hidden_nor_taken_for_what_is_there(kind: str, one: str, other: str) -> None:
    assert kind
    assert content_hash(one) != content_hash(other)
    assert not adds_nothing(DatedText(one), DatedText(other))
    assert not adds_nothing(DatedText(other), DatedText(one))


@pytest.mark.parametrize(("kind", "one", "other"), GUARDED)
def test_no_model_calls_another_value_or_symbol_the_same(kind: str, one: str, other: str) -> None:
    assert kind
    for new, old in ((one, other), (other, one)):
        local = compare(Statement(new), Statement(old), 1.0)
        assert action(vetoed(Comparison("same", 1.0, "a model"), local)) != "merge", local


def test_a_comma_in_a_number_is_not_the_same_in_every_language() -> None:
    for text, same in (("Der Tank hat {} Liter.", False), ("The tank has {} litres.", True)):
        one, other = (Statement(text.format(litres)) for litres in ("1,500", "1500"))
        assert (compare(one, other, 1.0).relation == "same") is same


WORDS = "the server and a cache of our team runs slowly on Linux while Ann reads logs in Rome".split()
MARKED = """5% €5 5kW -5 +5 v1.2 3.10 0x1F C++ C# B x userId API_URL a/b.py >= != && ✅ ❌ #2 @ops ½ 9pm""".split()
PLAIN = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)
VALUES = st.one_of(
    st.integers(-999, 9_999).map(str),
    st.sampled_from(MARKED),
    st.from_regex(r"[A-Z][a-z]{2,6}[A-Z0-9_][A-Za-z0-9]{0,3}", fullmatch=True),
    st.text(st.characters(categories=["So", "Sc", "Sm"]), min_size=1, max_size=2),
)


@given(PLAIN, VALUES, st.data())
def test_a_value_that_only_one_side_has_is_never_the_same(words: list[str], value: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words)))
    without, having = " ".join(words), " ".join((*words[:at], value, *words[at:]))
    for new, old in ((having, without), (without, having)):
        assert compare(Statement(new), Statement(old), 1.0).relation != "same"
    assert not adds_nothing(DatedText(having), DatedText(without))


@given(PLAIN, VALUES, VALUES, st.data())
def test_a_value_in_the_place_of_another_is_never_the_same(
    words: list[str], one: str, other: str, data: st.DataObject
) -> None:
    assume(one.strip("+") != other.strip("+"))
    at = data.draw(st.integers(0, len(words)))
    new, old = (" ".join((*words[:at], value, *words[at:])) for value in (one, other))
    assert compare(Statement(new), Statement(old), 1.0).relation != "same"
    assert not adds_nothing(DatedText(new), DatedText(old))


@given(PLAIN, VALUES, VALUES, st.data())
def test_values_that_changed_places_are_never_the_same(
    words: list[str], one: str, other: str, data: st.DataObject
) -> None:
    assume(one.strip("+") != other.strip("+"))
    at = data.draw(st.integers(0, len(words)))
    new, old = (
        " ".join((*words[:at], a, "in", "March", "was", *words[at:], b)) for a, b in ((one, other), (other, one))
    )
    assert compare(Statement(new), Statement(old), 1.0).relation != "same"
