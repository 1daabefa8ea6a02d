"""What is no candidate for a request, and why."""

from datetime import UTC, datetime

import pytest

from memoryd_actors.recall.precedence import objection
from memoryd_client import Memory, Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ASKED = "When do the API tokens of the shop expire?"
EPISODE = """# Episode: {title}
Date: 2026-03-01
Topic: tokens
Outcome: {outcome}
Refs: session=s1, messages=1-2
Tags: []

Summary:
- {point}"""


def memory(content: str, *, category: str = "fact", source: Source = Source.AGENT) -> Memory:
    return Memory(
        id="mem_0", owner="local", content=content, category=category, source=source, created_at=NOW, updated_at=NOW
    )


def episode(outcome: str, point: str = f'The user asked: "{ASKED}"') -> Memory:
    return memory(EPISODE.format(title=ASKED, outcome=outcome, point=point), category="episode")


@pytest.mark.parametrize(
    "outcome",
    ["open", "The assistant did not know when the tokens expire.", 'The assistant said: "I have no record of that."'],
)
def test_an_episode_that_came_to_nothing_answers_no_question(outcome: str) -> None:
    assert objection(episode(outcome), ASKED) == "an episode without an outcome answers no question"


def test_an_episode_that_came_to_something_else_does_not_answer_it() -> None:
    why = "the same was asked in that conversation, which came to something else"
    assert objection(episode('The assistant said: "Done: the linter was updated."'), ASKED) == why


def test_an_episode_that_came_to_something_may_answer_it() -> None:
    assert objection(episode('The assistant said: "The API tokens of the shop were renewed for 90 days."'), ASKED) == ""


def test_what_is_told_to_be_done_again_does_not_bring_up_the_days_on_which_it_was_done() -> None:
    deployed = episode('The assistant said: "Done: deployed the shop to staging."', "The user had the shop deployed.")
    assert objection(deployed, "deploy the shop") == "the same was asked for in that conversation"
    assert objection(deployed, "write the release notes of the shop") == ""


@pytest.mark.parametrize(
    ("content", "source", "why"),
    [
        ("When do the API tokens of the shop expire?", Source.EXTRACTED, "only asks"),
        ("The user asked when the tokens expire. Do they expire at all?", Source.EXTRACTED, ""),
        ("When do the API tokens expire?", Source.USER, ""),
        ('The user said: "When do the tokens expire"', Source.EXTRACTED, "only asks"),
        ('The user said: "the API tokens of the shop"', Source.EXTRACTED, "was said just now"),
        ('The user said on 2026-03-01: "the API tokens of the shop"', Source.EXTRACTED, "was said just now"),
        ('The user said: "The tokens of the shop expire on Monday"', Source.EXTRACTED, ""),
        (
            "The assistant does not know when the tokens expire.",
            Source.EXTRACTED,
            "only says that somebody did not know",
        ),
        ("Customers do not know their token.", Source.USER, ""),
        ("The API tokens of the shop expire after 90 days.", Source.EXTRACTED, ""),
    ],
)
def test_a_quoted_question_and_an_uninformed_answer_are_no_candidates(content: str, source: Source, why: str) -> None:
    assert objection(memory(content, source=source), ASKED) == why


def test_what_was_said_just_now_is_not_said_back() -> None:
    said = "The build is red again. Can you look at the linter first?"
    assert objection(memory("The build is red again.", source=Source.EXTRACTED), said) == "was said just now"
    assert objection(memory("The build is red since Monday.", source=Source.EXTRACTED), said) == ""
    asked = "Which of the rules does it break?"
    assert objection(memory("The build is red again.", source=Source.EXTRACTED), asked, [said]) == "was said just now"
    assert objection(memory("The build is red again.", source=Source.EXTRACTED), asked) == ""
