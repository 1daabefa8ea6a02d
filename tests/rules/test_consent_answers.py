"""A yes in the conversation answers what the agent asked on memory's behalf, and nothing else does."""

import pytest

from memoryd_actors.capture.consent_answers import asked_about, yes_or_no
from memoryd_actors.memory.render import question
from memoryd_client.wire.consent import Consent


def proposal(proposed: str) -> Consent:
    return Consent(id=proposed, field="city", proposed=proposed, created_at="", expires_at="")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Yes", True),
        ("yes, please do.", True),
        ("Ja, gerne!", True),
        ("Sure, go ahead", True),
        ("No.", False),
        ("nein danke", False),
        ("No thanks, keep that to yourself", False),
        ("y", True),
        ("Of course!", True),
        ("That's right", True),
        ("go ahead, please", True),
        ("No problem", True),
        ("Stimmt.", True),
        ("n", False),
        ("Don't.", False),
        ("Please don't", False),
        ("I\u2019d rather you didn\u2019t.", False),
        ("Of course not", False),
        ("Bitte nicht", False),
        ("Auf keinen Fall!", False),
        ("Don't forget it", None),
        ("Don't push to main.", None),
        ("Right, but not the city", None),
        ("That's right, now fix the test", None),
        ("yes, but not the city", None),
        ("yes?", None),
        ("\U0001f44d", True),
        ("\U0001f44d\U0001f3fd", True),
        ("\u2705", True),
        ("\u2714\ufe0f", True),
        ("+1", True),
        ("OK \U0001f44d", True),
        ("\U0001f44e", False),
        ("No \U0001f44d", None),
        ("Yes, but first tell me what for.", None),
        ("Yes, first fix the test", None),
        ("Yes, later", None),
        ("Ja, aber erst die Tests", None),
        ("Ja, wenn der Test läuft", None),
        ("Yes, and now fix the login test that fails at midnight on the staging machine", None),
        ("fix the test", None),
        ("", None),
    ],
)
def test_a_short_message_is_a_yes_a_no_or_neither(said: str, answer: bool | None) -> None:
    assert yes_or_no(said) is answer


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Done. May I remember that you live in Lisbon?", ["Lisbon"]),
        ("Soll ich mir merken, dass du in Lisbon lebst?", ["Lisbon"]),
        ("Shall I save to your profile that your city is Porto, and that you work for Acme?", ["Porto"]),
        ("May I remember that your preferred name is Ana?", ["The user's preferred name is Ana."]),
        ("May I keep that your home city is Porto?", ["Porto", "The user\u2019s home city is Porto."]),
        ("**May I remember that you live in Lisbon?** \U0001f642", ["Lisbon"]),
        ("_Shall I remember that you live in Lisbon?_", ["Lisbon"]),
        ("May I remember that you live in \u201cLisbon\u201d?!", ["Lisbon"]),
        ("May I remember this: you live in Lisbon?", ["Lisbon"]),
        ("Do you live in Lisbon?", []),
        ("I shall remember Lisbon. Shall I go on?", []),
        ("May I remember where you live?", []),
    ],
)
def test_only_what_is_asked_about_in_all_its_words_is_answered(question: str, asked: list[str]) -> None:
    consents = [proposal("Lisbon"), proposal("Porto"), proposal("The user works for the bakery in Porto.")]
    consents += [proposal("The user's preferred name is Ana."), proposal("The user\u2019s home city is Porto.")]
    assert [one.proposed for one in asked_about(question, consents)] == asked


def test_the_question_has_no_full_stop_within() -> None:
    said = question([proposal("The user lives in Lisbon."), proposal("Porto")])
    assert 'city "The user lives in Lisbon"; city "Porto"? Their yes' in said
