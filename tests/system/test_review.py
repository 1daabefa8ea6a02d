"""Pairs of memories that wait are shown, and settled as somebody says, in a real daemon."""

import pytest

from memoryd_client import Memory, RequestFailed, State
from memoryd_client.client import Client
from memoryd_client.tools import Tools
from memoryd_client.wire.review import Verdict
from running import RunningDaemon, until

OLD = "The deploy job takes 20 minutes."
NEW = "The deploy job takes 40 minutes."


def waiting(client: Client) -> tuple[Memory, Memory]:
    """Store two memories that contradict each other, and return them, the newer first, once they wait."""
    old, new = client.remember(OLD), client.remember(NEW)
    (pair,) = until(lambda: client.review().pairs, "the pair to wait")
    assert (pair.first.id, pair.second.id) == (new.id, old.id)
    assert pair.similarity > 0.8
    return new, old


def edges(client: Client, memory: Memory) -> list[str]:
    return [edge.relation for edge in client.edges([memory.id])]


@pytest.mark.parametrize(
    ("verdict", "state", "relations"),
    [
        ("same", State.SUPERSEDED, ["merged_into"]),
        ("replaces", State.SUPERSEDED, ["supersedes"]),
        ("contradicts", State.ACTIVE, ["contradicts"]),
        ("both", State.ACTIVE, []),
    ],
)
def test_a_pair_is_settled_once_and_taken_back_by_an_undo(
    served: RunningDaemon, verdict: Verdict, state: State, relations: list[str]
) -> None:
    with served.client("s1") as client:
        new, old = waiting(client)
        before = edges(client, old)
        done = client.settle(new.id[:12], old.id, verdict)
        assert (done.first.id, done.first.state) == (new.id, State.ACTIVE)
        assert (done.second.id, done.second.state) == (old.id, state)
        assert set(relations) <= set(edges(client, old))
        assert not client.review().pairs
        if done.operation:
            client.undo(done.operation)
            assert client.get(old.id).state is State.ACTIVE
            assert set(edges(client, old)) == set(before)
        assert not client.review().pairs  # taken back, and not asked again


def test_an_agent_is_shown_what_waits_in_its_own_project_and_a_person_all(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        waiting(client)
    for agent, shown in (("other", 0), ("cli", 1)):
        with Client(project="/elsewhere", agent=agent, owner=served.owner, paths=served.paths) as client:
            assert len(client.review().pairs) == shown


def test_what_is_no_pair_of_active_memories_is_refused(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        new, old = waiting(client)
        with pytest.raises(RequestFailed, match="one memory"):
            client.settle(new.id, new.id, "same")
        client.forget(old.id)
        assert not client.review().pairs
        with pytest.raises(RequestFailed, match="forgotten"):
            client.settle(new.id, old.id, "same")
        with pytest.raises(ValueError, match="verdict"):
            client.settle(new.id, old.id, "alike")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - wrong on purpose


def test_any_two_memories_can_be_settled_before_anybody_doubts(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        one = client.remember("Ada drinks tea in the morning.")
        other = client.remember("The ferry to Aran sails at nine.")
        done = client.settle(one.id, other.id, "replaces")
        assert done.second.superseded_by == one.id
        assert done.operation


def test_an_agent_settles_a_pair_with_its_tool(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        tools = Tools(client)
        assert tools.call("memory_review") == "No pair waits."
        new, old = waiting(client)
        listed = tools.call("memory_review")
        assert listed.startswith(f"1. {new.id[:12]} [fact")
        assert f"\n   {old.id[:12]} [fact" in listed
        settled = {"first": new.id[:12], "second": old.id[:12], "verdict": "replaces"}
        assert "takes it back" in tools.call("memory_review", settled)
        assert client.get(old.id).superseded_by == new.id


def test_what_contradicts_is_listed_until_one_of_the_two_gives_way(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        new, old = waiting(client)
        client.settle(new.id, old.id, "contradicts")
        (pair,) = client.review(contradicting=True).pairs
        assert (pair.first.id, pair.second.id) == (new.id, old.id)
        client.settle(new.id, old.id, "replaces")
        assert not client.review(contradicting=True).pairs
