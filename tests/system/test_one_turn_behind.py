"""The core of it, end to end: push, and on the next turn take what is worth knowing."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryd_client import Message
from running import RunningDaemon

TOKENS = "Token expiry is computed in UTC, so the login test fails at midnight local time."


def remember(daemon: RunningDaemon, *contents: str) -> list[str]:
    with daemon.client("earlier") as client:
        ids = [client.remember(content).id for content in contents]
        daemon.indexed(client)
    return ids


def test_what_matters_comes_back_one_turn_later_and_only_once(served: RunningDaemon) -> None:
    (memory_id,) = remember(served, TOKENS)
    with served.client("now") as client:
        assert client.take_pending() is None
        trace = served.turn(client, "why does the login test fail at midnight?")
        assert trace.outcome == "1 pending"
        pending = client.take_pending()
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [memory_id]
        assert TOKENS in pending.text
        assert client.take_pending() is None
        again = served.turn(client, "so the login test fails at midnight, why exactly?")
        assert client.take_pending() is None
        assert [(one.id, one.reason) for one in again.candidates] == [(memory_id, "already shown on turn 1")]


def test_a_context_with_nothing_to_it_brings_nothing_up(served: RunningDaemon) -> None:
    remember(served, TOKENS, "The user prefers uv over pip for Python environments.")
    with served.client("now") as client:
        trace = served.turn(client, "what a lovely sunny afternoon for a walk by the lake")
        assert trace.outcome == "nothing relevant"
        assert all(not candidate.kept and candidate.reason for candidate in trace.candidates)
        assert client.take_pending() is None


def test_an_episode_that_came_to_nothing_does_not_stand_beside_an_answer_either(served: RunningDaemon) -> None:
    came_to = {"open": "# Episode: the login test\nOutcome: open\nThe user asked: why does the login test fail?"}
    came_to["it"] = "# Episode: the test of the login\nOutcome: the fixture freezes the clock now\nAsked at midnight."
    (memory_id,) = remember(served, TOKENS)
    with served.client("earlier") as client:
        for content in came_to.values():
            episode = client.remember(content, category="episode")
            client.relate(memory_id, episode.id, relation="was looked into in", strength=0.9)
        served.indexed(client)
    with served.client("now") as client:
        served.turn(client, "why does the login test fail at midnight?")
        pending = client.take_pending()
        assert pending is not None
        assert TOKENS in pending.text
        assert "freezes the clock" in pending.text
        assert "Outcome: open" not in pending.text


def test_a_session_is_not_told_what_it_stored_itself(served: RunningDaemon) -> None:
    with served.client("same") as client:
        client.remember(TOKENS)
        served.indexed(client)
        trace = served.turn(client, "why does the login test fail at midnight?")
        assert [one.reason for one in trace.candidates] == ["stored by this session itself"]
        assert client.take_pending() is None


def test_the_same_context_again_is_not_worked_on_again(served: RunningDaemon) -> None:
    remember(served, TOKENS)
    with served.client("now") as client:
        served.turn(client, "why does the login test fail at midnight?")
        trace = served.turn(client, "why does the login test fail at midnight?")
        assert trace.outcome == "same context as before"
        assert trace.turn == 1


def test_what_was_recalled_never_counts_as_newly_said(served: RunningDaemon) -> None:
    remember(served, TOKENS)
    with served.client("now") as client:
        served.turn(client, "why does the login test fail at midnight?")
        pending = client.take_pending()
        assert pending is not None
        trace = served.turn(client, f"{pending.text}\nand how is the weather?")
        assert trace.focus == "and how is the weather?"


def test_a_topic_change_lets_memories_come_back_later(served: RunningDaemon) -> None:
    (memory_id,) = remember(served, TOKENS)
    with served.client("now") as client:
        first = "why does the login test fail at midnight, is it the token expiry?"
        other = "which vegetables grow well in a shady garden with clay soil?"
        served.turn(client, first)
        assert client.take_pending() is not None
        changed = served.turn(client, first, other)
        assert changed.topic_changed
        assert changed.topic_similarity is not None
        assert changed.topic_similarity < 0.3
        served.turn(client, other, "back to the login test: does token expiry make it fail at midnight?")
        pending = client.take_pending()
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [memory_id]


@pytest.mark.slow
def test_everything_is_kept_across_kill_and_restart(daemon: RunningDaemon) -> None:
    (memory_id,) = remember(daemon, TOKENS)
    question = "why does the login test fail at midnight?"
    with daemon.client("now") as client:
        daemon.turn(client, question)
        daemon.kill()
        daemon.start()
        pending = client.take_pending(deadline_s=10)
        assert pending is not None
        assert [memory.id for memory in pending.memories] == [memory_id]
        daemon.kill()
        daemon.start()
        trace = daemon.turn(client, question, "and why does that login test fail only at midnight?")
        assert [one.reason for one in trace.candidates] == ["already shown on turn 1"]
        assert trace.turn == 2


def test_two_clients_of_one_session_never_take_the_same(served: RunningDaemon) -> None:
    remember(served, TOKENS)
    with served.client("shared") as one, served.client("shared") as two:
        for round_number in range(5):
            topic = f"gardening tip number {round_number} about tomatoes and soil acidity in spring"
            served.turn(one, topic, turn=100 * round_number + 50)
            served.turn(two, topic, f"{round_number}: why does the login test fail at midnight?")
            with ThreadPoolExecutor(2) as pool:
                taken = [future.result() for future in [pool.submit(one.take_pending), pool.submit(two.take_pending)]]
            assert sum(pending is not None for pending in taken) == 1


def test_a_forgotten_memory_is_not_handed_over_even_if_it_was_pending(served: RunningDaemon) -> None:
    (memory_id,) = remember(served, TOKENS)
    with served.client("now") as client:
        served.turn(client, "why does the login test fail at midnight?")
        client.forget(memory_id)
        assert client.take_pending() is None


def test_projects_and_owners_see_their_own_and_what_is_global(served: RunningDaemon) -> None:
    with served.client("a") as client:
        client.remember(TOKENS)
        client.remember("The login test of every project runs in the UTC time zone.", scope="global")
        served.indexed(client)
    question = "why does the login test fail at midnight?"
    with served.client("b", project="/projects/other") as other:
        assert [hit.summary[:14] for hit in other.search(question)] == ["The login test"]
    with served.client("c", owner="somebody else") as foreign:
        assert foreign.search(question) == []
        assert foreign.list() == []
        served.turn(foreign, question)
        assert foreign.take_pending() is None


def test_recall_answers_at_once_and_changes_nothing(served: RunningDaemon) -> None:
    (memory_id,) = remember(served, TOKENS)
    with served.client("now") as client:
        for _ in range(2):
            recalled = client.recall([Message("user", "why does the login test fail at midnight?")])
            assert recalled is not None
            assert [memory.id for memory in recalled.memories] == [memory_id]
        assert client.take_pending() is None


def test_a_secret_is_replaced_before_it_is_stored(daemon: RunningDaemon) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with daemon.client("now") as client:
        stored = client.remember(f"The deploy token is {secret} and lives in CI.")
        assert secret not in stored.content
        assert "lives in CI" in stored.content
        daemon.indexed(client)
    daemon.stop()
    for path in daemon.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path
