"""`memoryd events` and the counts in `memoryd status`, of a real daemon."""

import msgspec

from memoryd_client import Status
from memoryd_client.wire.event_counts import DoneEvent, EventCount

from .memoryd_command import Command


def test_what_was_done_is_counted_by_day_and_in_the_status(served: Command) -> None:
    served.ok("add", "Session token expiry is computed in UTC.")
    served.ok("forget", served.ok("add", "The cafeteria opens at eight.").strip())
    counts = msgspec.json.decode(served.ok("events", "--since", "2d", "--json"), type=list[EventCount])
    assert {(one.node, one.op, one.status): one.count for one in counts} == {
        ("keeper", "create", "ok"): 2,
        ("keeper", "delete", "ok"): 1,
    }
    assert "create" in served.ok("events")
    status = msgspec.json.decode(served.ok("status", "--json"), type=Status)
    numbers = status.components["events"].numbers
    # The daemon is shared: others have stored, too.
    assert numbers["keeper.create.ok"] >= 2
    assert numbers["keeper.create.ok.7d"] >= numbers["keeper.create.ok"]


def test_each_thing_that_was_done_is_found_by_what_it_was_and_by_its_memory(served: Command) -> None:
    kept = served.ok("add", "The observatory closes at nine.", "--category", "place").strip()
    served.ok("forget", kept)
    listed = served.ok("events", "--rows", "--memory", kept, "--json")
    rows = msgspec.json.decode(listed, type=list[DoneEvent])
    assert [(one.node, one.op, one.status, one.category) for one in rows] == [
        ("keeper", "delete", "ok", "place"),
        ("keeper", "create", "ok", "place"),
    ]
    (only,) = msgspec.json.decode(
        served.ok("events", "--rows", "--memory", kept, "--op", "create", "--json"), type=list[DoneEvent]
    )
    assert only == rows[1]
    assert "place" in served.ok("events", "--rows", "--category", "place")
    assert served.ok("events", "--rows", "--category", "nowhere") == ""


def test_what_clients_searched_for_is_not_told_but_that_they_did_and_how_similar_the_best_was(served: Command) -> None:
    served.ok("add", "The observatory closes at nine.")
    served.wait_for_the_model()
    served.ok("search", "when does the observatory close?")
    served.ok("query", "observatory", "--session", "s7")
    served.ok("knowledge", "search", "observatory")
    listed = served.ok("events", "--rows", "--node", "client", "--json")
    rows = msgspec.json.decode(listed, type=list[DoneEvent])
    assert [(one.op, one.status, one.session) for one in rows] == [
        ("knowledge_search", "ok", ""),
        ("query", "ok", "s7"),
        ("search", "ok", ""),
    ]
    nothing, query, search = rows
    assert nothing.similarity is None
    assert (search.similarity or 0) > (query.similarity or 0) > 0
    assert all(one.duration_ms for one in rows)
    assert "observatory" not in listed
    assert len(served.ok("events", "--rows", "--op", "query", "--in", "s7").splitlines()) == 2


def test_a_time_that_is_none_is_refused_with_what_to_write(served: Command) -> None:
    refused = served("events", "--since", "yesterday")
    assert refused.returncode == 1
    assert "7d" in refused.stderr
