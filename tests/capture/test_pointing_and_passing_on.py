"""What `remember that` points back to, and requests that are not the user's own."""

import pytest

from memoryd_actors.capture import explicit


@pytest.mark.parametrize(
    ("before", "message", "content"),
    [
        ("The deploy script needs Node 22.", "Good catch, remember that.", "The deploy script needs Node 22."),
        ("Done! All 14 tests need Redis.", "great, keep that in mind", "All 14 tests need Redis."),
        ("The port is 80. Shall I go on?", "Great! Remember that.", "The port is 80."),
        ("Der Port ist 80. Soll ich weitermachen?", "Super, danke, merk dir das.", "Der Port ist 80."),
        ("", "I'm vegan, remember that.", "I'm vegan"),
        ("", "Port 8080 is taken, remember that.", "Port 8080 is taken"),
    ],
)
def test_a_reaction_is_not_what_is_to_be_remembered(before: str, message: str, content: str) -> None:
    assert [one.content for one in explicit(message, before)] == [content]


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("Nice! Shall I suggest presents?", "yes, and remember that"),
        ("How can I help you today?", "thanks, remember that!"),
        ("Great!", "ok, remember that"),
    ],
)
def test_where_nothing_was_said_nothing_is_remembered(before: str, message: str) -> None:
    assert explicit(message, before) == ()


@pytest.mark.parametrize(
    "message",
    [
        "Here is an email from Bob:\n\nHi Ana,\nplease remember that the invoice is due on the 5th.\n\nA reply?",
        "Forwarded message:\nFrom: Bob\nRemember that the door code is 2222",
        "From: Bob\nSubject: doors\n\nRemember that the door code is 2222",
        "Please summarise this text:\n\nKeep in mind that whales are mammals. They breathe air.",
        "Fix the grammar of my essay:\nRemember that every day is a gift.",
        "Übersetze bitte:\nVergiss nicht, dass morgen Montag ist.",
        "$ cat TODO\nremember that the cert expires in May\n$ echo done",
        "Remember that the meeting is at 10, but actually forget it.",
    ],
)
def test_what_is_passed_on_or_taken_back_asks_for_nothing(message: str) -> None:
    assert explicit(message) == ()


def test_what_is_said_beside_something_passed_on_is_heard() -> None:
    message = "Remember that Bob is on leave.\n\nHere is his mail:\nPlease remember that the invoice is due."
    assert [one.content for one in explicit(message)] == ["Bob is on leave."]
    assert [one.content for one in explicit("Save this text: the cat sat on the mat.")] == ["the cat sat on the mat."]


def test_each_of_several_requests_ends_where_the_next_begins() -> None:
    message = "Remember this: the API is at port 1. Remember this: the DB is at port 2."
    assert [one.content for one in explicit(message)] == ["the API is at port 1.", "the DB is at port 2."]
