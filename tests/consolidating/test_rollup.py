"""When a project's episodes are gathered, and how its summary reads."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.consolidating.rollup import path_of, points_of, told_before, why_not, written
from memoryd_actors.memory.paths import plain
from memoryd_client import Memory, State

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EPISODE = """# Episode: Moving the deploy job
Date: 2026-02-20
Topic: deploy
Outcome: it runs in Frankfurt
Tags: ["deploy"]

Summary:
- The deploy job moved to Frankfurt.
- The old machine was switched off.
"""


def memory(content: str = EPISODE, *, days: float = 0, state: State = State.ACTIVE) -> Memory:
    at = NOON - timedelta(days=days)
    return Memory(id=f"mem_{days}", owner="local", content=content, created_at=at, updated_at=at, state=state)


def test_episodes_are_gathered_a_week_after_the_first_of_them_and_then_week_by_week() -> None:
    new = [memory(days=7), memory(days=1)]
    assert not why_not(None, new, NOON, 7)
    assert why_not(None, new, NOON - timedelta(hours=1), 7)
    assert why_not(memory(days=6), new, NOON, 7)
    assert not why_not(memory(days=7), new, NOON, 7)
    assert not why_not(memory(days=7), new[1:], NOON, 7)


def test_without_new_episodes_nothing_is_written_nor_of_a_single_first_one() -> None:
    assert why_not(memory(days=30), [], NOON, 7)
    assert why_not(None, [memory(days=30)], NOON, 7)


def test_a_summary_that_was_forgotten_is_not_written_again_and_an_archived_one_is() -> None:
    new = [memory(days=1)]
    assert why_not(memory(days=30, state=State.FORGOTTEN), new, NOON, 7)
    assert not why_not(memory(days=30, state=State.ARCHIVED), new, NOON, 7)


def test_what_somebody_asks_for_is_gathered_before_it_is_due_and_else_there_is_a_reason() -> None:
    new = [memory(days=1)]
    assert why_not(memory(days=2), new, NOON, 7) == "it is due 2026-03-06"
    assert not why_not(memory(days=2), new, NOON, 7, forced=True)
    assert not why_not(None, new, NOON, 7, forced=True)
    assert why_not(memory(days=2), [], NOON, 7, forced=True) == "there are no new episodes since 2026-02-27"
    forgotten = memory(days=30, state=State.FORGOTTEN)
    assert "`memoryd restore mem_30`" in why_not(forgotten, new, NOON, 7, forced=True)


def test_the_points_of_an_episode_carry_its_date_and_nothing_of_its_head() -> None:
    assert points_of(memory()).splitlines() == [
        "- 2026-03-01: The deploy job moved to Frankfurt.",
        "- 2026-03-01: The old machine was switched off.",
    ]


def test_of_an_episode_that_is_quoted_and_says_so_the_points_are_told_all_the_same() -> None:
    quoted = EPISODE.replace("Summary:", "Summary (quoted from the conversation, not written by a model):")
    assert points_of(memory(quoted)) == points_of(memory())


def test_of_an_episode_in_plain_prose_each_sentence_is_a_point() -> None:
    assert points_of(memory("The tests were mended. Nothing else was done.")).splitlines() == [
        "- 2026-03-01: The tests were mended.",
        "- 2026-03-01: Nothing else was done.",
    ]


def test_a_summary_says_again_what_it_was_given() -> None:
    content = written("memoryd", "By hand:\n- one\n- two", 3, "2026-01-01", "2026-02-01")
    assert content.splitlines()[:2] == ["# Project: memoryd", "Episodes: 3 episodes, 2026-01-01 to 2026-02-01"]
    assert told_before(memory(content)) == "- one\n- two"
    assert told_before(None) == ""


@pytest.mark.parametrize("project", ["/", ""])
def test_a_project_without_a_name_has_a_path_all_the_same(project: str) -> None:
    assert path_of(project) == "projects/unnamed/summary.md"


@given(st.text(max_size=100))
def test_whatever_a_project_is_called_its_summary_can_be_read_as_a_file(name: str) -> None:
    path = path_of(f"/home/ann/{name}")
    assert plain(path) == path


def test_a_project_keeps_what_of_its_name_may_stand_in_a_path() -> None:
    assert path_of("/home/ann/My Project (1) \u00e4") == "projects/My Project -1- \u00e4/summary.md"
    assert path_of("/home/ada/.dotfiles") == "projects/dotfiles/summary.md"
