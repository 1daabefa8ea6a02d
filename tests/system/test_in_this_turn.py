"""One request pushes a context, waits for what it brings up and takes it; what was stored before it is considered."""

from pathlib import Path

import pytest

from memoryd_client import AsyncClient, Message, RequestFailed
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.pending import Turn
from running import PROJECT, RunningDaemon, until

TOKENS = "Token expiry is computed in UTC, so the login test fails at midnight local time."
ASKED = Message("user", "why does the login test fail at midnight, is it the token expiry?")
PATIENT_S = 30.0
SUBJECTS = (
    "aquarium bakery carpentry dentist espresso fencing garage harbour ironing juggling kayak lantern marmalade nursery"
    " orchard pottery quarry roller saxophone tannery umbrella vineyard walnut xylophone yoghurt zeppelin"
).split()


def test_memory_comes_in_the_same_turn_and_only_once(served: RunningDaemon) -> None:
    with served.client("earlier") as earlier, served.client("now") as client:
        memory_id = earlier.remember(TOKENS).id
        pending = client.turn([ASKED], wait_s=PATIENT_S)
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [memory_id]
        assert client.take_pending(deadline_s=PATIENT_S) is None
        assert client.turn([ASKED, Message("assistant", TOKENS), ASKED], wait_s=PATIENT_S) is None


async def test_a_turn_is_the_asynchronous_clients_first_call_and_belongs_to_its_project(
    served: RunningDaemon, tmp_path: Path
) -> None:
    project = str(tmp_path)
    with served.client("earlier", project=project) as earlier:
        memory_id = earlier.remember(TOKENS, scope="project").id
    client = AsyncClient(session="now", project=project, owner=served.owner, paths=served.paths, deadline_s=PATIENT_S)
    try:
        pending = await client.turn([ASKED], wait_s=PATIENT_S)
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [memory_id]
    finally:
        await client.close()


def test_what_is_not_decided_in_time_comes_with_the_next_take(served: RunningDaemon) -> None:
    with served.client("earlier") as earlier, served.client("now") as client:
        memory_id = earlier.remember(TOKENS).id
        pending = client.turn([ASKED], wait_s=0.0, deadline_s=PATIENT_S) or until(
            lambda: client.take_pending(deadline_s=PATIENT_S), "the context to be decided"
        )
        assert [memory.id for memory in pending.memories] == [memory_id]


def test_a_turn_that_is_asked_twice_is_answered_twice_alike_and_counted_once(served: RunningDaemon) -> None:
    with served.client("earlier") as earlier, served.client("now") as client:
        earlier.remember(TOKENS)
        caller = Caller(owner=served.owner, session="now", project=PROJECT)
        update = ContextUpdate(caller=caller, messages=(ASKED,), client="one", sequence=1)
        request = Turn(update=update, take_id="the same", wait_s=PATIENT_S)
        first = client.call(request)
        assert first.pending is not None
        assert client.call(request) == first
        assert [trace.turn for trace in client.why(9)] == [1]


def test_nobody_takes_a_turn_for_another(served: RunningDaemon) -> None:
    with served.client("now") as client, pytest.raises(RequestFailed, match="belongs to whoever pushes it"):
        client.call(Turn(update=ContextUpdate(caller=Caller(owner="another"), messages=(ASKED,)), take_id="t"))


def test_a_host_that_cleared_its_context_is_told_again_what_stands_in_it(served: RunningDaemon) -> None:
    with served.client("earlier") as earlier, served.client("now") as client:
        rule = earlier.remember("Never push to main.", category="rule")
        fact = earlier.remember(TOKENS)
        for _ in range(2):
            pending = client.turn([ASKED], wait_s=PATIENT_S)
            assert pending is not None
            assert [memory.id for memory in pending.always] == [rule.id]
            assert [memory.id for memory in pending.memories] == [fact.id]
            assert client.take_pending(deadline_s=PATIENT_S) is None
            client.cleared()


def test_a_session_hears_what_others_do_to_its_rules_and_not_what_it_does_itself(served: RunningDaemon) -> None:
    with served.client("elsewhere") as another, served.client("now") as client:
        assert client.take_pending(deadline_s=PATIENT_S) is None
        rule = client.remember("Never run the tests with xdist.", category="rule")
        client.update(rule.id, content="Run the tests with two processes.")
        assert client.take_pending(deadline_s=PATIENT_S) is None
        another.forget(rule.id)
        pending = client.take_pending(deadline_s=PATIENT_S)
        assert pending is not None
        assert pending.changes[1:] == ("- ✗deleted: [rule] Run the tests with two processes.",)


@pytest.mark.slow
def test_what_was_stored_just_before_is_considered_also_right_after_a_restart(daemon: RunningDaemon) -> None:
    def missed() -> list[str]:
        missing: list[str] = []
        with daemon.client("earlier") as earlier:
            for subject in SUBJECTS:
                stored = earlier.remember(f"The {subject} is closed on the second Tuesday of the month.")
                with daemon.client(subject + str(daemon.process and daemon.process.pid)) as client:
                    said = f"on which Tuesday of the month is the {subject} closed?"
                    client.turn([Message("user", said)], wait_s=PATIENT_S, deadline_s=PATIENT_S)
                    if stored.id not in {one.id for one in client.why(1)[0].candidates}:
                        missing.append(subject)
        return missing

    assert missed() == []
    with daemon.client("earlier") as earlier:
        last = earlier.remember("The ferry to the island takes no bicycles before nine.")
    daemon.kill()
    daemon.start()
    with daemon.client("after") as client:
        said = Message("user", "does the ferry to the island take bicycles before nine?")
        client.turn([said], wait_s=PATIENT_S, deadline_s=PATIENT_S)
        assert last.id in {one.id for one in client.why(1)[0].candidates}
