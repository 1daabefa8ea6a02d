"""What can have one value only, and what can have many, in four languages."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison import Statement, action, compare
from memoryd_actors.comparison.moves import left_behind
from memoryd_actors.comparison.slots import exclusive

NEAR = 0.8
"""Sentences in which one word differs are as near as this, or nearer."""

ONE_OF_TWO = [
    ("Marta lives in Ghent.", "Marta lives in Bruges."),
    ("The wiki is hosted on Hetzner.", "The wiki is hosted on Linode."),
    ("Our mascot is a hedgehog.", "Our mascot is a badger."),
    ("My aunt's cat is called Momo.", "My aunt's cat is called Pixel."),
    ("I prefer the upper bunk on night trains.", "I prefer the lower bunk on night trains."),
    ("The fence is green.", "The fence is white."),
    ("Kim is the captain.", "Lou is the captain."),
    ("The captain is Kim.", "Lou is the captain."),
    ("Erik is divorced.", "Erik is widowed."),
    ("Ole wohnt in Kiel.", "Ole wohnt in Husum."),
    ("Mein Fahrrad ist ein Gazelle.", "Mein Fahrrad ist ein Batavus."),
    ("Das Tor ist grün.", "Das Tor ist weiß."),
    ("Léo habite à Nantes.", "Léo habite à Brest."),
    ("Le portail est vert.", "Le portail est blanc."),
    ("Inés vive en Cádiz.", "Inés vive en Huelva."),
    ("La verja es verde.", "La verja es blanca."),
    ("Mi jefe es el señor Paz.", "Mi jefe es el señor Rey."),
    ("Kim is the youngest of three cousins.", "Kim is the oldest of three cousins."),
]
BOTH_CAN_BE = [
    ("Marta likes Ghent.", "Marta likes Bruges."),
    ("Marta has a hedgehog.", "Marta has a badger."),
    ("The wiki mentions Hetzner.", "The wiki mentions Linode."),
    ("Marta lives in Ghent.", "Pieter lives in Bruges."),
    ("One of my cats is called Momo.", "One of my cats is called Pixel."),
    ("Kim is my cousin.", "Lou is my cousin."),
    ("Kim is the user's cousin.", "Lou is the user's cousin."),
    ("I live in New York City.", "I live in NYC."),
    ("The user is a father.", "The user is a pilot."),
    ("The fence is green.", "The fence is wobbly."),
    ("Ole mag Kiel.", "Ole mag Husum."),
    ("Léo aime Nantes.", "Léo aime Brest."),
    ("A Inés le gusta Cádiz.", "A Inés le gusta Huelva."),
]
LEFT = [
    ("I moved from Ghent to Bruges in May.", "The user lives in Ghent."),
    ("The wiki was migrated from Hetzner to Linode.", "The wiki runs on Hetzner."),
    ("Ich bin von Kiel nach Husum gezogen.", "Ich wohne in Kiel."),
    ("J'ai déménagé de Nantes à Brest.", "L'utilisateur habite à Nantes."),
    ("Me mudé de Cádiz a Huelva.", "El usuario vive en Cádiz."),
]
TWO_THINGS = [
    ("The first shift starts at six and is short.", "The second shift starts at two and is long."),
    ("Ward 3 has 12 beds.", "Ward 4 has 15 beds."),
    ("In 2019 the budget was 5 million.", "In 2020 the budget was 7 million."),
    ("Am Montag hat der Laden bis acht offen.", "Am Samstag hat der Laden bis zwei offen."),
]
STAYED = [
    ("I moved from Ghent to Bruges in May.", "The user lives in Bruges."),
    ("I moved from Ghent to Bruges in May.", "My sister lives in Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user likes Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user lived in Ghent."),
    ("I moved from Ghent to Bruges in May.", "The user does not live in Ghent."),
    ("The wiki was migrated from Hetzner to Linode.", "The mail server runs on Hetzner."),
]


@pytest.mark.parametrize(("one", "other"), [*ONE_OF_TWO, *LEFT])
def test_of_two_values_of_which_there_can_be_one_both_are_kept_and_linked(one: str, other: str) -> None:
    for new, old in permutations((one, other)):
        found = compare(Statement(new), Statement(old), NEAR)
        assert action(found) in {"contradict", "supersede"}, found
        assert found.guarded


@pytest.mark.parametrize(("one", "other"), [*BOTH_CAN_BE, *STAYED])
def test_what_can_be_beside_the_other_is_no_contradiction(one: str, other: str) -> None:
    for new, old in permutations((one, other)):
        # As far apart as sentences are in which the words differ in kind.
        assert not exclusive(new, old, 0.55)
        assert not left_behind(new, old)
        assert action(compare(Statement(new), Statement(old), 0.55)) in {"keep", "queue"}


@pytest.mark.parametrize(("one", "other"), TWO_THINGS)
def test_another_value_of_the_next_one_is_no_contradiction(one: str, other: str) -> None:
    for new, old in permutations((one, other)):
        assert action(compare(Statement(new), Statement(old), 0.9)) in {"keep", "queue"}


def test_a_number_of_one_thing_still_contradicts_another() -> None:
    for other in ("The ward has 15 beds.", "The ward has 15 beds and 3 nurses."):
        assert action(compare(Statement("The ward has 12 beds."), Statement(other), 0.9)) == "contradict"


def test_spanish_articles_deny_nothing_and_spanish_negators_do() -> None:
    cats, pollen = "El usuario es alérgico a los gatos.", "El usuario es alérgico al polen."
    assert action(compare(Statement(cats), Statement(pollen), 0.8)) == "keep"
    never, meat = "El usuario nunca come carne.", "El usuario come carne."
    assert compare(Statement(never), Statement(meat), 0.8).relation == "contradicts"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Marta lives in Ghent.", "Marta lives in Belgium."),
        ("Inés vive en Cádiz.", "Inés vive en España."),
        ("Das Haus ist alt.", "Das Haus ist schön."),
        ("Ole hat eine Lampe gekauft.", "Ole hat einen Stuhl gekauft."),
        ("Ole ist gegen Nüsse allergisch.", "Ole ist gegen Katzen allergisch."),
        ("Ole loves pottery.", "Inés loves pottery."),
        ("Léo veut visiter l'Islande.", "Léo veut visiter le Pérou."),
        ("La casa es grande.", "La casa es antigua."),
        ("Ma sœur est drôle.", "Ma sœur est grande."),
        ("The talk was attended by Kim.", "The talk was attended by Lou."),
        ("The newsletter is sent to Kim.", "The newsletter is sent to Lou."),
        ("The report is due on Friday.", "The report is due to Kim."),
        ("My parents were in Ghent.", "My parents were in Bruges."),
    ],
)
def test_not_even_the_nearest_sentences_exclude_each_other_where_both_can_be(one: str, other: str) -> None:
    assert not exclusive(one, other, 0.95)
    assert not exclusive(other, one, 0.95)
    assert compare(Statement(one), Statement(other), 0.9).relation == "resembles"


def test_two_adjectives_exclude_each_other_only_where_they_are_of_one_kind() -> None:
    assert exclusive("The log level is info.", "The log level is debug.", 0.78)
    assert not exclusive("The dog is brown.", "The dog is playful.", 0.56)


PIECES = st.sampled_from(
    "Marta I the user my 's cat lives live in is a prefers moved from Ghent Bruges to now not green white ist von nach "
    "gezogen habite à est vive en es Me mudé de , . 5 May".split()
)
TEXTS = st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=60)


@given(TEXTS, TEXTS, st.floats(-1, 1))
def test_whether_two_values_exclude_each_other_does_not_hang_on_which_came_first(
    one: str, other: str, cosine: float
) -> None:
    assert bool(exclusive(one, other, cosine)) == bool(exclusive(other, one, cosine))
    assert left_behind(one, other) == left_behind(other, one)
    assert not exclusive(one, one, cosine)
