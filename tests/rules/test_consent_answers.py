"""A yes in the conversation answers what the agent asked on memory's behalf, and nothing else does."""

from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import pytest

from memoryd_actors.capture.consent_answers import asked_about, yes_or_no
from memoryd_actors.memory.render import question
from memoryd_client.tools.memories import confirmation
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.memory import Memory, Source, State

AT: Final = datetime(2026, 3, 1, tzinfo=UTC)
ASKED: Final = "The login test is mended. May I remember that you live in Lisbon?"
OF_MOTHER: Final = 'The user said: "My mother lives in Bruges and has dementia."'
MADE: Final[dict[str, Any]] = {
    "id": "m",
    "owner": "local",
    "category": "fact",
    "source": Source.AGENT,
    "created_at": AT,
    "updated_at": AT,
}


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
        ("-10 was the limit", None),
        ("+12 %", None),
        ("Yes, and now fix the login test that fails at midnight on the staging machine", None),
        ("Yes.\n\nBy the way the CI is red again.", True),
        ("No!\nThe build fails at midnight on the staging machine, as it did on Monday.", False),
        ("Yes.\n\nActually, forget that.", None),
        ("Yes.\nBut wait until Monday.", None),
        ("Yes?\n\nThe CI is red again.", None),
        ("fix the test", None),
        ("", None),
    ],
)
def test_a_short_message_is_a_yes_a_no_or_neither(said: str, answer: bool | None) -> None:
    assert yes_or_no(said, ASKED) is answer


@pytest.mark.parametrize(
    "said",
    [
        "yes I saw that the build failed",
        "sure, the parser is slow",
        "ok let's look at the tests",
        "Ok. Next, the migration.",
        "yes, save the file and run it",
        "okay store the artifact in S3",
        "ok good, then merge it",
        "Of course it fails, the port is taken",
        "yes please, run the tests",
        "Correct, 3 tests fail",
        "ok\nlet's look at the tests",
        "no, the test still fails",
        "no wait, the other branch",
        "No rush, finish the migration",
        "klar, der Parser ist langsam",
        "nein, der Server l\u00e4uft noch",
        "oui le test passe maintenant",
        "d'accord, lance les tests",
        "s\u00ed, ya vi el error",
    ],
)
def test_what_answers_something_else_is_neither(said: str) -> None:
    assert yes_or_no(said, ASKED) is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Yes, I live in Lisbon.", True),
        ("ok, thanks", True),
        ("You may remember that, yes", True),
        ("Sure, save it. And then let's look at the tests.", True),
        ("yes please. The build is red again by the way.", True),
        ("no, that's private", False),
        ("No, I don't live in Lisbon.", False),
        ("no, leave it out", False),
    ],
)
def test_an_answer_may_say_what_it_is_to_and_be_polite(said: str, answer: bool) -> None:
    assert yes_or_no(said, ASKED) is answer


def test_an_answer_that_names_one_of_several_is_none_to_all() -> None:
    both = "May I save that your city is Porto? And may I remember that you live in Ghent?"
    assert yes_or_no("Yes, Porto.", both) is None
    assert yes_or_no("Yes, both of these", both) is None
    assert yes_or_no("Yes, please", both) is True


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
        ("May I remember that your mother lives in Bruges and has dementia?", [OF_MOTHER]),
        ("Do you live in Lisbon?", []),
        ("I shall remember Lisbon. Shall I go on?", []),
        ("May I remember where you live?", []),
        ("Is it OK if I note down for later that your home is Ghent?", ["The user lives in Ghent."]),
        ("May I remember that you *don't* live in Ghent?", []),
        ("May I remember that you live in Ghent? Also: shall I push the branch?", []),
        ("Shall I push? May I remember that you live in Ghent?", ["The user lives in Ghent."]),
        (
            "May I remember that you live in Ghent? And keep that your city is Porto?",
            ["Porto", "The user lives in Ghent."],
        ),
    ],
)
def test_only_what_is_asked_about_in_all_its_words_is_answered(question: str, asked: list[str]) -> None:
    consents = [proposal("Lisbon"), proposal("Porto"), proposal("The user works for the bakery in Porto.")]
    consents += [proposal("The user's preferred name is Ana."), proposal("The user\u2019s home city is Porto.")]
    consents += [proposal("The user lives in Ghent."), proposal(OF_MOTHER)]
    assert [one.proposed for one in asked_about(question, consents)] == asked


@pytest.mark.parametrize(
    "proposed",
    [
        "The user lives in Lisbon.",
        'The user is called "Ana". She lives in Porto.',
        "The user does not smoke.",
        "The user lives near the river, in a yellow house with nine rooms, two gardens, an orchard, bees and a pond "
        "with carps, and teaches physics, chemistry and Latin at the grammar school of Siegburg.",
    ],
)
def test_the_question_that_is_suggested_is_understood(proposed: str) -> None:
    asks, memory = proposal(proposed), Memory(content=proposed, state=State.PROPOSED, **MADE)
    for said in (question([asks, proposal("Porto")]), confirmation(memory, memory.id)):
        words = said[said.index("May I") : said.rindex("?") + 1]
        assert asks in asked_about(words, [asks])


def test_each_proposal_is_a_question_of_its_own() -> None:
    home = msgspec.structs.replace(proposal("The user lives in Lisbon."), field="home", category="fact")
    said = question([home, proposal("Porto")])
    asks = 'May I remember: "The user lives in Lisbon"? May I remember about you: city "Porto"? Their yes'
    assert asks in said


def test_a_whole_sentence_is_asked_about_without_the_name_of_its_field() -> None:
    name = msgspec.structs.replace(proposal("The user's preferred name is Mimi."), field="preferred name")
    assert 'May I remember about you: "The user\'s preferred name is Mimi"?' in question([name])
    assert 'May I remember about you: preferred name "Mimi"?' in question(
        [msgspec.structs.replace(name, proposed="Mimi")]
    )


def test_what_the_user_said_no_to_is_not_said_to_be_known() -> None:
    refused = Memory(content="The user suffers from migraines.", state=State.FORGOTTEN, **MADE)
    for new_id in ("m", "n"):
        said = confirmation(refused, new_id)
        assert "no to this" in said
        assert "Known already" not in said
    assert "Known already" in confirmation(msgspec.structs.replace(refused, state=State.ACTIVE), "n")


@pytest.mark.parametrize(
    ("question", "proposed", "answer", "decided"),
    [
        (
            "Darf ich mir merken, dass du bei Bosch arbeitest?",
            "Der Nutzer arbeitet bei Bosch.",
            "Das stimmt, ja.",
            True,
        ),
        ("Ist es gut, wenn ich mir merke, dass du in Basel lebst?", "Basel", "Lieber nicht.", False),
        ("Puis-je retenir que tu habites à Lyon ?", "L'utilisateur habite à Lyon.", "Oui, bien sûr.", True),
        ("Puis-je enregistrer dans votre profil que vous habitez à Lyon ?", "Lyon", "D\u2019accord.", True),
        (
            "Puis-je retenir que tu travailles chez Airbus ?",
            "L\u2019utilisateur travaille chez Airbus.",
            "Non merci.",
            False,
        ),
        ("Puis-je retenir que tu habites à Lyon ?", "Lyon", "Je préfère pas.", False),
        ("Puis-je retenir que tu habites à Lyon ?", "Lyon", "Oui, mais plus tard.", None),
        ("¿Puedo recordar que vives en Vigo?", "El usuario vive en Vigo.", "Sí, claro.", True),
        ("¿Puedo guardar que trabajas en Renfe?", "El usuario trabaja en Renfe.", "De acuerdo.", True),
        ("¿Puedo recordar que vives en Vigo?", "Vigo", "Claro que no.", False),
        ("¿Puedo recordar que vives en Vigo?", "Vigo", "Sí, pero no mi dirección.", None),
    ],
)
def test_a_question_and_its_answer_are_understood_in_other_languages(
    question: str, proposed: str, answer: str, decided: bool | None
) -> None:
    asks = proposal(proposed)
    assert asked_about(question, [asks, proposal("Porto")]) == [asks]
    assert yes_or_no(answer, question) is decided


@pytest.mark.parametrize(
    ("question", "proposed"),
    [
        ("Tu habites à Lyon ?", "L'utilisateur habite à Lyon."),
        ("Puis-je retenir que tu n'habites pas à Lyon ?", "L'utilisateur habite à Lyon."),
        ("¿Puedo recordar que vives en Vigo? ¿Hago el push?", "El usuario vive en Vigo."),
        ("Puis-je retenir que tu habites à Porto ?", "L'utilisateur habite à Port-Louis."),
    ],
)
def test_another_question_is_not_taken_for_it_in_other_languages(question: str, proposed: str) -> None:
    assert asked_about(question, [proposal(proposed)]) == []
