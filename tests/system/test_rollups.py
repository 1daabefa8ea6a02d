"""Episodes become the summary of their project, in a real daemon."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd_client import Client, Memory, State
from memoryd_client.wire.consolidation import Consolidation
from running import PROJECT, RunningDaemon, until

SETTINGS = {"MEMORYD_CONSOLIDATION_HOURS": "0", "MEMORYD_CONSOLIDATION_ROLLUP_DAYS": "0"}
TOLD = (
    ("Moving the deploy job", ("The deploy job moved to Frankfurt.", "The machine in Dublin was switched off.")),
    ("Mending the login test", ("The login test failed at midnight.", "Token expiry is computed in UTC now.")),
    ("Choosing the database", ("PostgreSQL was chosen over MySQL.", "The decision is final until autumn.")),
)


def episode(client: Client, title: str, points: tuple[str, ...]) -> Memory:
    lines = "\n".join(f"- {point}" for point in points)
    content = f"# Episode: {title}\nDate: 2026-02-20\nOutcome: done\n\nSummary:\n{lines}"
    return client.remember(content, category="episode", title=title)


def consolidated(client: Client) -> Consolidation:
    number = client.consolidate().number

    def found() -> Consolidation | None:
        return next((one for one in client.consolidations() if one.number == number and one.finished_at), None)

    return until(found, "the run to finish")


def summaries(client: Client, state: State = State.ACTIVE) -> list[Memory]:
    return client.list(category="project_summary", states=(state,))


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    with RunningDaemon(short_home, models, **SETTINGS) as running:
        yield running


def test_a_projects_episodes_become_one_summary_that_grows_with_history_and_provenance(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client:
        first = [episode(client, *one) for one in TOLD[:2]]
        (planned,) = client.consolidation_plan().rollups
        assert (planned.project, planned.episodes, planned.updates) == (PROJECT, 2, "")
        assert planned.path == "projects/demo/summary.md"
        assert summaries(client) == []

        assert consolidated(client).counts["rollups"] == 1
        (summary,) = summaries(client)
        assert "- 2026-" in summary.content
        for point in (*TOLD[0][1], *TOLD[1][1]):
            assert point in summary.content
        assert summary.metadata["path"] == planned.path
        assert {edge.to_id for edge in client.origin(summary.id).edges} == {one.id for one in first}

        # Nothing new: nothing is written.
        assert "rollups" not in consolidated(client).counts
        third = episode(client, *TOLD[2])
        assert client.consolidation_plan().rollups[0].updates == summary.id
        assert consolidated(client).counts["rollups"] == 1
        (again,) = summaries(client)
        assert again.id == summary.id
        assert "PostgreSQL was chosen over MySQL." in again.content
        assert "The deploy job moved to Frankfurt." in again.content
        assert third.id in {edge.to_id for edge in client.origin(summary.id).edges}
        # The episodes stay, and the summary as it was is an undo away.
        assert all(client.get(one.id).active for one in (*first, third))
        (entry,) = [one for one in client.history(summary.id) if one.event == "UPDATE"]
        client.undo(entry.operation)
        assert client.get(summary.id).content == summary.content


def test_a_summary_that_the_user_forgot_stays_away_and_projects_and_owners_do_not_mix(daemon: RunningDaemon) -> None:
    with daemon.client("s1") as client, daemon.client("s1", owner="them") as theirs:
        for one in TOLD[:2]:
            episode(client, *one)
        episode(theirs, *TOLD[2])
        episode(theirs, "Another", ("The vault was opened.",))
        with daemon.client("s2", project="/projects/elsewhere") as elsewhere:
            episode(elsewhere, "Elsewhere", ("The garden was watered.",))
            episode(elsewhere, "Elsewhere again", ("The garden was dug.",))
            assert consolidated(client).counts["rollups"] == 2
            (other,) = summaries(elsewhere)
        (summary,) = summaries(client)
        assert "garden" in other.content
        assert "garden" not in summary.content
        assert "vault" not in summary.content
        assert summaries(theirs) == []
        client.forget(summary.id)
        episode(client, *TOLD[2])
        assert client.consolidation_plan().rollups == ()
        assert "rollups" not in consolidated(client).counts
        assert summaries(client) == []
