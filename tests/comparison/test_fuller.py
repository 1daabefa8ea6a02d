"""What follows from what another text says needs no memory of its own; the fuller of the two stays."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison import Statement, action, compare, merge_content
from memoryd_actors.comparison.fuller import fuller
from memoryd_actors.comparison.opposites import EXCLUDED, UNDONE
from memoryd_actors.comparison.voice import third

FULLER = [
    # what is the one is not the other
    ("The news is bad.", "The news is not good."),
    ("The news is good.", "The news isn't bad."),
    ("He's wrong, I think.", "He's not right, I think."),
    ("I'm innocent, sir.", "I'm not guilty, sir."),
    ("It is a good sign.", "It is not a bad sign."),
    ("But that's trivial.", "But that's not important."),
    ("It is easy for me.", "It is not difficult for me."),
    ("The two keys are different.", "The two keys are not the same."),
    ("Something's wrong.", "Something's not right."),
    ("You're unafraid, aren't you?", "You're not afraid, are you?"),
    # what is done instead
    ("The user dislikes onions.", "The user doesn't like onions."),
    ("The user hates onions.", "The user does not like onions."),
    ("The tests failed.", "The tests did not pass."),
    ("The user lacks a licence.", "The user does not have a licence."),
    ("It looks bad.", "It does not look good."),
    # how much
    ("I love jazz.", "I like jazz."),
    ("The user loves hiking.", "The user enjoys hiking."),
    ("The user hates onions.", "The user dislikes onions."),
    ("The user is severely allergic to nuts.", "The user is allergic to nuts."),
    ("The user strongly prefers tabs.", "The user prefers tabs."),
    ("The user works as a nurse.", "The user is a nurse."),
    # kinds
    ("A boy is reading a book.", "A child is reading a book."),
    ("The dog is sleeping.", "The animal is sleeping."),
    ("The user is driving a truck.", "The user is driving a vehicle."),
    ("Two girls are singing.", "Two kids are singing."),
    ("A woman is frying fish.", "Someone is cooking fish."),
    ("The boy is in a bus.", "The boy is in a vehicle."),
    ("The user is feeding dogs.", "The user is feeding animals."),
    # how, and what like
    ("The user is walking slowly.", "The user is walking."),
    ("The user is carefully opening a box.", "The user is opening a box."),
    ("The user is riding a red bike.", "The user is riding a bike."),
    ("A young man is painting a tall white wall.", "A man is painting a wall."),
]
SAME = [
    ("A man is peeling an onion.", "An onion is being peeled by a man."),
    ("A boy is riding a bike in a race.", "A bike is being ridden by a boy in a race."),
    ("The cat is hungrily drinking the milk.", "The milk is being hungrily drunk by the cat."),
    ("The user is quickly running home.", "The user is running quickly home."),
    ("There is a dog barking.", "A dog is barking."),
    ("The black and white dog is barking.", "The dog, which is black and white, is barking."),
    ("A man is playing an electric guitar.", "A man is playing a guitar which is electric."),
    ("One man is waiting.", "A man is waiting."),
    ("A lady is standing next to the car.", "A woman is standing beside the car."),
    ("The user is sitting and is reading.", "The user is sitting and reading."),
    ("A little boy is singing.", "A young boy is singing."),
    ("I am on the train to Rome.", "I'm on a train to Rome."),
]
SAID = [
    ("The user is able to swim.", "The user can swim."),
    ("The user is unable to swim.", "The user can't swim."),
    ("The user does not have any pets.", "The user has no pets."),
    ("The user doesn't smoke anymore.", "The user no longer smokes."),
    ("Blue is the user's favourite colour.", "The user's favorite color is blue."),
    ("Ann is the owner of the repo.", "The repo's owner is Ann."),
    ("The name of the dog is Rex.", "The dog's name is Rex."),
    ("The user prefers tabs over spaces.", "The user prefers tabs to spaces."),
    ("The user resides in Oslo.", "The user lives in Oslo."),
    ("The backup runs every day.", "The backup runs daily."),
]
NEITHER = [
    ("The user is not rich.", "The user is not poor."),
    ("A boy is reading.", "A girl is reading."),
    ("A child is slowly walking.", "A boy is walking."),
    ("The boy is reading a book.", "A child is reading a red book."),
    ("A small elephant is sleeping.", "A small animal is sleeping."),
]
"""Each says what the other does not; none has all of it."""


@pytest.mark.parametrize(("full", "plain"), FULLER)
def test_what_follows_from_the_other_is_one_memory_that_says_it_all(full: str, plain: str) -> None:
    for new, old in ((full, plain), (plain, full)):
        found = compare(Statement(new), Statement(old), 0.9)
        assert action(found) == "merge", found
        assert merge_content(old, new) == full


@pytest.mark.parametrize(("one", "other"), [*SAME, *SAID])
def test_what_is_told_in_another_way_is_one_memory_in_the_older_words(one: str, other: str) -> None:
    for new, old in ((one, other), (other, one)):
        found = compare(Statement(new), Statement(old), 0.9)
        assert action(found) == "merge", found
        assert merge_content(old, new) == old


@pytest.mark.parametrize(("one", "other"), NEITHER)
def test_where_each_says_what_the_other_does_not_both_stay(one: str, other: str) -> None:
    assert not fuller(one, other)
    assert not fuller(other, one)


def test_another_speaker_or_day_is_never_made_up_for() -> None:
    new, old = "I am walking slowly.", "I am walking."
    assert compare(Statement(new, speaker="Ann"), Statement(old, speaker="Bo"), 1.0).relation != "same"
    assert compare(Statement(new, speaker="Ann"), Statement(old, speaker="Ann"), 1.0).relation == "same"


DENIED = st.sampled_from(sorted(EXCLUDED))
SUBJECTS = st.sampled_from(["The server", "My sister", "It", "The plan of the team", "Ann"])


@given(SUBJECTS, DENIED)
def test_what_is_so_and_what_is_not_so_are_never_one(subject: str, word: str) -> None:
    assert not fuller(f"{subject} is {word}.", f"{subject} is not {word}.")
    assert not fuller(f"{subject} is not {word}.", f"{subject} is {word}.")


@given(SUBJECTS, DENIED, st.data())
def test_two_that_exclude_each_other_are_never_one(subject: str, word: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(EXCLUDED[word])))
    for told in (f"{subject} is {{}}.", f"{subject} is not {{}}."):
        assert not fuller(told.format(word), told.format(other))


@given(SUBJECTS, st.sampled_from(sorted(UNDONE)), st.data())
def test_who_does_a_thing_and_who_does_not_are_never_one(subject: str, verb: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(UNDONE[verb])))
    done, denied, instead = (f"{subject} {each} it." for each in (third(verb), f"does not {verb}", third(other)))
    assert not fuller(done, denied)
    assert not fuller(done, instead)
    assert not fuller(denied, f"{subject} does not {other} it.")


WRAPPED: list[Callable[[str], str]] = [
    lambda text: f"Nobody believes that {text}",
    lambda text: f"If {text}, wait",
    lambda text: f"Only when {text} it is quiet",
    lambda text: f"It is not true that {text}",
    lambda text: f"Ann doubts that {text}",
]


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize(("full", "plain"), FULLER)
def test_behind_a_doubt_a_denial_or_a_condition_nothing_follows(
    full: str, plain: str, wrapped: Callable[[str], str]
) -> None:
    one, other = (wrapped(text[0].lower() + text[1:].rstrip(".?")) for text in (full, plain))
    assert not fuller(one, other)


TEXTS = st.sampled_from([text for pair in (*FULLER, *SAME, *SAID, *NEITHER) for text in pair])


@given(TEXTS, TEXTS)
def test_which_is_fuller_does_not_depend_on_the_order(one: str, other: str) -> None:
    turned = {"new": "old", "old": "new", "either": "either", "": ""}
    assert fuller(one, other) == turned[fuller(other, one)]
