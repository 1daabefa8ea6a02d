"""What is recalled of a memory, in words."""

from datetime import UTC, datetime

import pytest

from memoryd_actors.memory.described import LEFT_OUT, told_shortly
from memoryd_client import Memory

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("category", ["episode", "session_summary", "project_summary"])
def test_what_a_conversation_went_over_is_told_by_the_points_nearest_to_the_request(category: str) -> None:
    points = "\n".join(f"- The harbour wall has a {word} gate." for word in ("green", "brass", "broken", "narrow"))
    memory = Memory(
        id="mem_a",
        owner="local",
        content=f"# Project: harbour\nEpisodes: 2\n\nSummary:\n{points}",
        category=category,
        title="projects/harbour/summary.md",
        metadata={"path": "projects/harbour/summary.md"},
        created_at=NOW,
        updated_at=NOW,
    )
    told = told_shortly(memory, "where is the broken gate?")
    assert "broken" in told
    assert "narrow" not in told
    assert told.endswith(LEFT_OUT)
