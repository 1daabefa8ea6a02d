"""Questions that ask what a word means, and nothing else; texts that say it; and what the local judge makes of both."""

import pytest

from cases import case
from memoryd_actors.judging.local_judge import LocalJudge
from memoryd_actors.texts.meanings import asked_meaning, says_meaning


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("what is an API key?", "API key"),
        ("so what's a partial index again?", "partial index"),
        ("could you explain what an idempotency key is?", "idempotency key"),
        ("what does upsert mean, please", "upsert"),
        ("hey what does CRDT stand for?", "CRDT"),
        ("The build is green.\nok what is a tarball", "tarball"),
        ("was ist ein API-Key?", "API-Key"),
        ("Was heißt denn Kabotage?", "Kabotage"),
        ("erklär mir mal, was ein Quorum ist", "Quorum"),
        ("wofür steht SLA?", "SLA"),
    ],
)
def test_a_question_asks_for_a_meaning_alone(message: str, word: str) -> None:
    assert asked_meaning(message) == word


@pytest.mark.parametrize(
    "message",
    [
        "what is the API key?",
        "what is our rate limit?",
        "what is posthorn?",
        "what is a good restaurant?",
        "what is a partial index good for",
        "what is an API key? ours expired",
        "what is an SLA that we promised to Moser?",
        "what does that mean?",
        "what does Anna eat?",
        "was heißt das?",
        "was ist ein gutes Geschenk?",
        "was heißt der Kunde aus Graz?",
        "what is a " + "very " * 40 + "long word?",
    ],
)
def test_a_question_asks_for_more_than_a_meaning(message: str) -> None:
    assert asked_meaning(message) == ""


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("A depot is a yard where trucks are parked.", "depot", True),
        ("ADRs are what we call decision records.", "ADR", True),
        ("TMS (the transport management system) is our planner.", "TMS", True),
        ("We agreed: idempotency key = the id of the order.", "idempotency key", True),
        ("API-Key heißt bei uns der Token des Kunden.", "API key", True),
        ("Rotate the API keys every 90 days.", "API key", False),
        ("The SLO of billing is 99.9 %.", "SLO", False),
        ("Docker images are built on the CI only.", "docker image", False),
        ("Der Webhook von Stripe ist auf Port 80.", "Webhook", False),
    ],
)
def test_a_text_says_what_a_word_means_or_only_names_it(text: str, word: str, expected: bool) -> None:
    assert says_meaning(text, word) is expected


async def test_who_asks_what_a_word_means_is_told_that_and_no_rule_that_has_the_word() -> None:
    rule, meaning = "Rotate the API keys every 90 days.", "An API key is a token that a customer's script sends."
    for asked, kept in (("what is an API key?", [False, True]), ("where are the API keys?", [True, True])):
        judgement = await LocalJudge().judge(case(rule, meaning, focus=asked, cosine=0.6))
        assert [one.relevant for one in judgement.verdicts] == kept
    judgement = await LocalJudge().judge(case(rule, focus="what is an API key?", cosine=0.6))
    assert "does not say what API key is" in judgement.verdicts[0].reason
