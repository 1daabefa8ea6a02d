"""What stands beside what was found, through a real daemon: pushed, asked for, explained, told once, purged."""

from pathlib import Path

from running import RunningDaemon, until

FOUND = "The Meridian observatory opens its dome at ten in the evening."
AGAINST = "Since the storm the big roof stays shut for good, quokkabanana."
ASKED = "When does the Meridian observatory open its dome?"


def test_a_contradiction_stands_beneath_what_was_found_and_is_told_once(served: RunningDaemon) -> None:
    with served.client("writer") as client:
        found = client.remember(FOUND, scope="global")
        against = client.remember(AGAINST, scope="global", category="decision")
        client.relate(against.id, found.id, relation="contradicts")
        served.indexed(client)
    with served.client("reader") as client:
        served.turn(client, ASKED)
        pending = client.take_pending()
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [found.id]
        assert [(one.id, one.relation) for one in pending.memories[0].related] == [(against.id, "contradicts")]
        (line,) = [line for line in pending.text.splitlines() if "quokkabanana" in line]
        assert line.startswith("  - contradicted by: [decision, ")
        # It counts as shown: asked for by name it does not come again.
        served.turn(client, "What about the storm, why does the big roof stay shut since?")
        again = client.take_pending()
        assert again is None or "quokkabanana" not in again.text
        shown = [one for one in client.origin(against.id).shown if one.session == "reader" and one.kept]
        assert [one.reason for one in shown] == [f"beside {found.id[:12]}: contradicted by"]


def test_what_an_agent_asks_for_itself_has_it_within_its_budget_and_its_filters(served: RunningDaemon) -> None:
    with served.client("writer") as client:
        found = client.remember(FOUND, scope="global")
        against = client.remember(AGAINST, scope="global", category="decision")
        client.relate(found.id, against.id, relation="contradicts")
        served.indexed(client)
        answer = client.query(ASKED, top_k=1)
        assert [one.id for one in answer.bullets] == [found.id]
        assert [(one.id, one.outgoing) for one in answer.bullets[0].related] == [(against.id, True)]
        assert answer.bullets[0].related[0].text == f"contradicted by [decision] {AGAINST}"
        tight = client.query(ASKED, top_k=1, budget_tokens=answer.tokens - 1)
        assert [one.related for one in tight.bullets] == [()]
        assert client.query(ASKED, top_k=1, category="fact").bullets[0].related == ()
        until(lambda: client.get(against.id).access_count == 1, "the access to be counted")


def test_it_is_gone_with_its_purge_also_where_it_waits_to_be_taken(daemon: RunningDaemon) -> None:
    with daemon.client("writer") as client:
        found = client.remember(FOUND, scope="global")
        against = client.remember(AGAINST, scope="global", category="decision")
        client.relate(against.id, found.id, relation="contradicts")
        daemon.indexed(client)
    with daemon.client("reader") as client:
        trace = daemon.turn(client, ASKED)
        assert against.id in {one.id for one in trace.candidates if one.kept}
        client.purge([against.id])
        home = [file for file in daemon.paths.home.rglob("*") if file.is_file()]
        assert [str(file) for file in home if b"quokkabanana" in file.read_bytes()] == []
        pending = client.take_pending()
        assert pending is not None
        assert [(memory.id, memory.related) for memory in pending.memories] == [(found.id, ())]


def test_what_belongs_to_another_project_stands_beside_nothing(served: RunningDaemon) -> None:
    with served.client("writer") as client:
        found = client.remember(FOUND, scope="global")
        inner = client.remember(AGAINST, scope="project")
        client.relate(inner.id, found.id, relation="contradicts")
        served.indexed(client)
    with served.client("elsewhere", project="/projects/other") as client:
        served.turn(client, ASKED)
        pending = client.take_pending()
        assert pending is not None
        assert [(memory.id, memory.related) for memory in pending.memories] == [(found.id, ())]


def test_no_more_of_a_category_stands_beside_than_it_may_have_in_one_context(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon, daemon.client("s1") as client:
        for pond, well in (("one", "nine"), ("two", "seven"), ("three", "five")):
            client.remember(f"Otter pond {pond} is fed from well {well}.", category="tiny")
        daemon.indexed(client)
        asked = "Which well is the otter pond fed from?"
        whole = client.query(asked, top_k=3).bullets
        assert len(whole) + sum(len(one.related) for one in whole) == 3
        daemon.paths.config.write_text("[categories.tiny]\nrag_length = 2\n", encoding="utf-8")
        daemon.stop()
        daemon.start()
        daemon.indexed(client)
        (bullet,) = client.query(asked, top_k=1).bullets
        assert len(bullet.related) == 1
        with daemon.client("s2") as other:  # in the first session it is known already
            daemon.turn(other, asked)
            pending = other.take_pending()
        assert pending is not None
        assert len(pending.memories) + sum(len(one.related) for one in pending.memories) == 2
