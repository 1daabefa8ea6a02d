"""What was done in a session and by whom, row by row: one daemon, two agents."""

import pytest

from memoryd_client import Client, RequestFailed
from memoryd_client.wire.event_counts import DoneEvent
from running import RunningDaemon

FERRY = "The ferry to Aran sails at nine from Rossaveel harbour."


def done_in(client: Client, session: str) -> list[tuple[str, str, str, str]]:
    return [(one.op, one.status, one.agent, one.memory) for one in reversed(client.done(session=session, limit=200))]


def row(client: Client, op: str, memory: str) -> DoneEvent:
    return next(one for one in client.done(memory=memory) if one.op == op)


def test_a_change_is_told_in_the_session_in_which_it_was_made_and_by_whom(served: RunningDaemon) -> None:
    with (
        served.client("hs", agent="helper") as helper,
        served.client("ps", agent="planner") as planner,
        served.client("", agent="cli") as person,
    ):
        first = helper.remember(FERRY).id
        second = helper.remember("The office in Galway has two floors.").id
        fourth = helper.remember("The bakery in Galway is closed on Mondays.").id
        third = person.remember("My landlord is called Brendan.").id
        proposed = helper.remember("Ana Molina", category="profile", title="name").id
        planner.update(first, content="The ferry to Aran sails at ten from Rossaveel harbour.")
        planner.forget(second)
        planner.restore(second)
        planner.relate(first, second, relation="near")
        planner.unrelate(first, second, relation="near")
        with pytest.raises(RequestFailed):
            planner.forget(proposed)
        planner.undo(planner.history(second, limit=1)[0].operation)
        person.reject(proposed)
        planner.purge([fourth])
        assert {one[:3] for one in done_in(planner, "hs")} == {("create", "ok", "helper"), ("consent", "ok", "helper")}
        told = done_in(planner, "ps")
        assert {one[2] for one in told} == {"planner"}
        assert {"update", "delete", "restore", "link", "unlink", "undo", "purge"} <= {one[0] for one in told}
        assert ("delete", "error", "planner", "") in told
        assert row(person, "consent", proposed).agent == "cli"
        assert row(person, "create", third).session == ""
        assert {one.op for one in planner.done(agent="planner")} >= {"update", "purge"}


def test_a_write_that_was_compared_says_how_near_the_nearest_was(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        first = client.remember(FERRY)
        served.indexed(client)
        second = client.remember("Tickets for the ferry to Aran are sold at Rossaveel harbour.")
        same = client.remember("the ferry to Aran sails at nine from Rossaveel harbour")
        assert same.id == first.id
        near = row(client, "create", second.id).similarity
        merged = row(client, "merge", first.id).similarity
        assert near is not None
        assert merged is not None
        assert 0.5 < near < merged <= 1.001
        assert row(client, "create", first.id).similarity is None
