"""Memory turned off and on again, as an agent and its user meet it."""

import pytest

from memoryd_client import Message, NewMemory, RequestFailed
from memoryd_client.client import Client
from running import RunningDaemon, until

FACT = "Session token expiry is computed in UTC, twelve hours after login."
ASKED = "Why does the session token expiry break at midnight?"
ELSEWHERE = "/projects/elsewhere"


def dropped(client: Client) -> float:
    return client.status().components["memory"].numbers["dropped"]


def refused(client: Client) -> None:
    """Everything that brings something in, or memory into a context, is refused with the way out."""
    attempts = (
        lambda: client.remember("A second fact."),
        lambda: client.remember_many([NewMemory(content="One."), NewMemory(content="Two.")]),
        lambda: client.search(ASKED),
        lambda: client.query(ASKED),
        lambda: client.recall([Message("user", ASKED)]),
        lambda: client.push_acknowledged([Message("user", ASKED)]),
        lambda: client.update(client.list()[0].id, content="Another text."),
    )
    for attempt in attempts:
        with pytest.raises(RequestFailed) as told:
            attempt()
        assert told.value.code == "refused"
        assert "memory is off" in told.value.message
        assert "memoryd on" in told.value.hint


def test_off_in_a_project_stops_everything_there_and_nothing_elsewhere_and_survives_a_restart(
    daemon: RunningDaemon,
) -> None:
    with daemon.client("s") as client, daemon.client("s2", project=ELSEWHERE) as other:
        kept = other.remember(FACT, scope="global")
        daemon.indexed(client)
        until(lambda: client.status().components["model"].state == "ok", "the model")
        trace = daemon.turn(client, ASKED)
        assert [one.id for one in trace.candidates if one.kept] == [kept.id], trace
        standing = client.switch(on=False)
        assert (standing.on, [place.project for place in standing.off]) == (False, ["/projects/demo"])
        assert client.take_pending(deadline_s=10) is None, "what was found before waits"
        refused(client)
        before = dropped(client)
        assert client.push_context([Message("user", "And when does the refresh token expire?")])
        until(lambda: dropped(client) > before, "the context to be dropped")
        assert [hit.id for hit in other.search(ASKED)] == [kept.id]
        loud = client.status()
        assert any("MEMORY IS OFF in /projects/demo" in warning for warning in loud.warnings)

    assert daemon.stop() == 0
    daemon.start()
    with daemon.client("s") as client:
        refused(client)
        # What is there stays its owner's to look at, to put away and to destroy.
        assert [one.id for one in client.list()] == [kept.id]
        assert client.read(kept.id).content == FACT
        assert client.forget(kept.id).state.value == "forgotten"
        client.restore(kept.id)
        assert client.history(kept.id)
        assert client.origin(kept.id).memory.id == kept.id

        assert client.switch(on=True).on
        assert [hit.id for hit in client.search(ASKED)] == [kept.id]
        pending = client.take_pending(deadline_s=10)
        assert pending is not None
        client.switch(on=False)
        client.purge([kept.id])
        assert client.list() == []


def test_off_in_a_folder_is_off_in_the_projects_below_it(served: RunningDaemon) -> None:
    with (
        served.client("s", project="/projects/secret/inner") as inner,
        served.client("s2", project="/projects/secretary") as beside,
        served.client("s3", project="/projects/secret") as outer,
    ):
        kept = inner.remember("The door of the inner project is green.")
        outer.switch(on=False)
        with pytest.raises(RequestFailed, match="memory is off"):
            inner.remember(FACT)
        there = beside.remember(FACT)
        # What is kept there is not changed from a project where memory is on, either.
        for change in (lambda: beside.update(kept.id, content="Another."), lambda: beside.relate(there.id, kept.id)):
            with pytest.raises(RequestFailed, match="memory is off"):
                change()
        assert not inner.switch(on=True).on
        outer.switch(on=True)
        inner.remember(FACT)


def test_off_everywhere_is_off_in_every_project_of_its_owner_only(served: RunningDaemon) -> None:
    with (
        served.client("s") as client,
        served.client("s2", project=ELSEWHERE) as other,
        served.client("s3", owner="them") as them,
        served.client("s4", project="") as nowhere,
    ):
        client.remember(FACT)
        other.switch(on=False)
        standing = client.switch(on=False, everywhere=True)
        assert [place.project for place in standing.off] == ["", ELSEWHERE]
        refused(client)
        with pytest.raises(RequestFailed):
            nowhere.remember("A fact.", scope="global")
        assert them.remember("Theirs goes on.").id
        assert them.status().warnings == ()
        with pytest.raises(RequestFailed, match="no project"):
            nowhere.switch(on=False)
        # On in the project does not help where everything is off, and the other way round.
        assert not client.switch(on=True).on
        assert client.switch(on=True, everywhere=True).on
        assert [place.project for place in other.switch(on=True, everywhere=True).off] == [ELSEWHERE]
        assert client.remember("It works again.").id
