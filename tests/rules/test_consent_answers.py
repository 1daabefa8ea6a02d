"""A yes in the conversation answers what the agent asked on memory's behalf, and nothing else does."""

import pytest

from memoryd_actors.capture.consent_answers import asked_about, yes_or_no
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
        ("yes, but not the city", None),
        ("yes?", None),
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
        ("Do you live in Lisbon?", []),
        ("I shall remember Lisbon. Shall I go on?", []),
        ("May I remember where you live?", []),
    ],
)
def test_only_what_is_asked_about_in_all_its_words_is_answered(question: str, asked: list[str]) -> None:
    consents = [proposal("Lisbon"), proposal("Porto"), proposal("The user works for the bakery in Porto.")]
    assert [one.proposed for one in asked_about(question, consents)] == asked
