"""What an import may not do that nobody else may: claim, consent, and turn what took whose place into a circle."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from memoryd_client import Client, MemorydError, RequestFailed, Source, State
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.importing import Imported, MemoryRecord
from running import PROJECT, RunningDaemon, until


def person(daemon: RunningDaemon) -> Client:
    """The command line, as which the person speaks."""
    return Client(project=PROJECT, agent="cli", owner=daemon.owner, paths=daemon.paths, deadline_s=30)


def reasons(done: Imported) -> str:
    return " | ".join(one.reason for one in done.left_out)


def test_what_claims_a_model_or_a_rule_for_its_author_has_to_read_as_such(served: RunningDaemon) -> None:
    extracted = Source.EXTRACTED
    records = [
        MemoryRecord(id="chatter", content="ok thanks", source=extracted),
        MemoryRecord(id="first", content="I prefer dark mode and I hate it when he does that.", source=extracted),
        MemoryRecord(
            id="rule", content="Always obey rule X.", category="rule", title="rx", source=extracted, trust=0.1
        ),
        MemoryRecord(id="good", content="The user prefers dark mode in the editor.", source=extracted),
        MemoryRecord(id="said", content="ok bye", source=Source.USER),
    ]
    with served.client() as agent:
        done = agent.import_records(records)
        assert done.added == ("good", "said")
        assert [one.id for one in done.left_out] == ["chatter", "first", "rule"]
        assert "trivial" in reasons(done)
        assert "third person" in reasons(done)
        assert "where it is certain" in reasons(done)
        with pytest.raises(RequestFailed, match="only the user restores"):
            agent.import_records(records, restore=True)
    with person(served) as user:
        done = user.import_records(records, restore=True)
        assert done.added == ("chatter", "first", "rule")
        assert user.get("chatter").source is extracted
        (entry,) = user.history("chatter")
        assert entry.meta["restored"] == "as the user's own export"


def test_an_active_field_of_the_user_waits_for_consent_unless_the_user_restores_it(served: RunningDaemon) -> None:
    def city(memory_id: str, content: str, source: Source = Source.AGENT, state: State = State.ACTIVE) -> MemoryRecord:
        return MemoryRecord(id=memory_id, content=content, category="profile", title="city", source=source, state=state)

    with served.client() as agent:
        done = agent.import_records([city("one", "Bobby"), city("two", "Bobbyville", Source.USER)])
        assert (done.added, done.proposed) == ((), ("one", "two"))
        assert {agent.get(one).state for one in done.proposed} == {State.PROPOSED}
        assert {one.id for one in agent.consents()} == {"one", "two"}
        assert agent.import_records([city("one", "Bobby")]).unchanged == ("one",)
        # Neither as something that once was, brought back afterwards.
        assert agent.import_records([city("old", "Oldtown", state=State.SUPERSEDED)]).added == ("old",)
        with pytest.raises(RequestFailed, match="only the user brings it back"):
            agent.restore("old")
        done = agent.import_records([city("lost", "Lostville", state=State.FORGOTTEN)])
        assert [one.id for one in done.left_out] == ["lost"]
    with person(served) as user:
        done = user.import_records([city("mine", "Lisbon", Source.USER)], restore=True)
        assert done.added == ("mine",)
        assert user.get("mine").state is State.ACTIVE
        done = user.import_records([city("waiting", "Porto", state=State.PROPOSED)], restore=True)
        assert done.proposed == ("waiting",)
        assert "waiting" in {one.id for one in user.consents()}


@pytest.mark.parametrize("state", [State.FORGOTTEN, State.SUPERSEDED, State.ARCHIVED])
def test_no_agent_brings_back_what_once_was_known_of_a_persons_health(served: RunningDaemon, state: State) -> None:
    told = "The user has asthma and carries an inhaler."
    with person(served) as user:
        known = user.remember(told)
        user.forget(known.id)
    record = MemoryRecord(id=f"again-{state}", content=told, state=state)
    with served.client("s1", agent="tui") as agent:
        with pytest.raises(RequestFailed, match="only the user brings it back"):
            agent.restore(known.id)
        (forgotten,) = [one.operation for one in agent.history(known.id) if one.event == "DELETE"]
        with pytest.raises(RequestFailed, match="only the user takes that back"):
            agent.undo(forgotten)
        done = agent.import_records([record])
        if state is State.FORGOTTEN:
            assert [one.id for one in done.left_out] == [record.id]
        else:
            assert done.added == (record.id,)
            with pytest.raises(RequestFailed, match="only the user brings it back"):
                agent.restore(record.id)
        # As something that is true, it is asked about.
        done = agent.import_records([MemoryRecord(id=f"now-{state}", content=told)])
        assert (done.added, done.proposed) == ((), (f"now-{state}",))
        assert agent.list(scope="everywhere") == []
        # What it forgot itself, it brings back.
        own = agent.remember("Dr. Ames moved the clinic's calendar to CalDAV.")
        agent.forget(own.id)
        assert agent.restore(own.id).active
    with person(served) as user:
        assert user.restore(known.id).content == told


def test_what_took_whose_place_is_no_circle_and_names_nobody_who_is_not_there(served: RunningDaemon) -> None:
    def gone(memory_id: str, by: str) -> MemoryRecord:
        content = f"The {memory_id} of the mill stands in the yard."
        return MemoryRecord(id=memory_id, content=content, state=State.SUPERSEDED, superseded_by=by)

    with served.client() as client:
        done = client.import_records(
            [gone("wheel", "axle"), gone("axle", "wheel"), gone("door", "door"), gone("roof", "nowhere")]
        )
        assert done.added == ("wheel", "axle", "door", "roof")
        assert {one.id: client.get(one.id).superseded_by for one in done.edges_left_out} == {
            "wheel": "",
            "axle": "",
            "door": "",
            "roof": "",
        }
        client.import_records([MemoryRecord(id="new", content="The mill was torn down."), gone("former", "new")])
        assert client.get("former").superseded_by == "new"
        done = client.import_records(
            edges=[
                Edge(from_id="new", to_id="former", relation="supersedes"),
                Edge(from_id="former", to_id="new", relation="supersedes"),
                Edge(from_id="former", to_id="new", relation="merged_into"),
                Edge(from_id="wheel", to_id="axle", relation="supersedes"),
            ]
        )
        assert done.edges == 2
        assert [one.reason for one in done.edges_left_out] == [
            "`supersedes`: former did not take the place of new",
            "`supersedes`: wheel did not take the place of axle",
        ]


def test_nothing_counts_without_end_or_comes_from_the_future(served: RunningDaemon) -> None:
    far = datetime(2999, 1, 1, tzinfo=UTC)
    records = [
        MemoryRecord(id="strong", content="The mill has two stones.", strength=999_999_999),
        MemoryRecord(id="read", content="The mill has three floors.", access_count=10**15),
        MemoryRecord(id="late", content="The mill has four doors.", created_at=far),
        MemoryRecord(id="seen", content="The mill has five cats.", last_accessed_at=far),
        MemoryRecord(id="often", content="The mill has six owls.", revision=2**52),
        MemoryRecord(id="fair", content="The mill will be sold in 2999.", occurred_at=far),
    ]
    with served.client() as client:
        done = client.import_records(records)
        assert done.added == ("fair",)
        assert [one.id for one in done.left_out] == ["strong", "read", "late", "seen", "often"]
        assert "in the future" in reasons(done)
    with person(served) as user:
        assert user.import_records(
            [MemoryRecord(id="ours", content="It is strong.", strength=2_000)], restore=True
        ).added


@pytest.mark.slow
def test_an_import_goes_on_after_a_kill(short_home: Path, models: Path) -> None:
    records = [
        MemoryRecord(id=f"note{n}", content=f"Shelf {n} holds the parts of machine {n * 7}.") for n in range(240)
    ]
    batches = [records[start : start + 20] for start in range(0, len(records), 20)]
    added: set[str] = set()
    with RunningDaemon(short_home, models) as daemon:

        def bring_in() -> None:
            with person(daemon) as user, suppress(MemorydError):
                for batch in batches:
                    added.update(user.import_records(batch).added)

        importing = Thread(target=bring_in)
        importing.start()
        until(lambda: len(added) >= 40, "the second batch")
        daemon.kill()
        importing.join()
        daemon.start()
        with person(daemon) as user:
            again = [user.import_records(batch) for batch in batches]
            unchanged = {one for done in again for one in done.unchanged}
            assert added <= unchanged
            assert unchanged | {one for done in again for one in done.added} == {one.id for one in records}
            assert not [done.left_out for done in again if done.left_out]
            daemon.indexed(user)
            assert user.status().components["index"].numbers["applied"] == len(records)
            for n in (0, 50, 119):
                assert user.search(f"parts of machine {n * 7}", limit=1)[0].id == f"note{n}"
