"""Pairs of memories that are in doubt, in a real daemon: a model is asked where there is a key."""

import json
from pathlib import Path

import pytest

from memoryd_client import Memory, State
from memoryd_client.client import Client
from messages_api import MessagesApi, Reply, garbage, message, verdicts
from running import RunningDaemon, until

OLD = "The deploy job takes 20 minutes."
NEW = "The deploy job takes 40 minutes."


def said(relation: str, confidence: float = 0.95) -> Reply:
    one = {"index": 0, "relation": relation, "confidence": confidence, "reason": "as the model sees it"}
    return message(json.dumps({"pairs": [one]}), input_tokens=900, output_tokens=60)


def keyed(api: MessagesApi, **more: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "test-key",
        "MEMORYD_SIDECAR_BASE_URL": api.url,
        "MEMORYD_SIDECAR_DEADLINE_S": "60",
        **more,
    }


def numbers(client: Client, component: str = "consolidation") -> dict[str, float]:
    return dict(client.status().components[component].numbers)


def contradicting(client: Client) -> tuple[Memory, Memory]:
    return client.remember(OLD), client.remember(NEW)


def test_a_model_says_that_something_changed_and_the_older_memory_is_superseded(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(said("changes")) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        old, new = contradicting(client)
        until(lambda: client.get(old.id).state is State.SUPERSEDED, "the older one to be superseded")
        assert client.get(old.id).superseded_by == new.id
        assert client.get(new.id).active
        until(lambda: numbers(client)["doubts"] == 0, "the doubt to be settled")
        assert numbers(client)["superseded"] == 1
        (entry,) = [one for one in client.history(old.id) if one.event == "SUPERSEDE"]
        assert (entry.actor, entry.meta["reason"]) == ("memoryd", "as the model sees it")
        (request,) = api.requests
        assert OLD in request.prompt
        assert NEW in request.prompt
        # Both judges spend from one account.
        assert numbers(client, "sidecar")["tokens_today"] == 960


def test_what_a_model_said_is_taken_back_by_an_undo_and_not_said_again(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(said("changes")) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        old, _ = contradicting(client)
        until(lambda: client.get(old.id).state is State.SUPERSEDED, "the older one to be superseded")
        (entry,) = [one for one in client.history(old.id) if one.event == "SUPERSEDE"]
        client.undo(entry.operation)
        client.remember("Ana bakes bread on Mondays.")
        daemon.indexed(client)
        assert client.get(old.id).active
        assert len(api.requests) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [pytest.param(garbage(), id="garbage"), pytest.param(verdicts(), id="another answer")],
)
def test_of_nonsense_nothing_comes_and_the_doubt_stays(short_home: Path, models: Path, answer: Reply) -> None:
    with (
        MessagesApi(answer) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        old, new = contradicting(client)
        until(lambda: numbers(client, "sidecar")["tokens_today"] > 0, "the answer to be counted")
        assert client.get(old.id).active
        assert client.get(new.id).active
        assert numbers(client)["doubts"] == 1


@pytest.mark.slow
def test_a_model_that_is_unsure_leaves_both(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(said("changes", 0.3)) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        old, new = contradicting(client)
        until(lambda: numbers(client, "sidecar")["tokens_today"] > 0, "the answer to be counted")
        until(lambda: numbers(client)["doubts"] == 0, "the doubt to be settled")
        assert client.get(old.id).active
        assert client.get(new.id).active


@pytest.mark.slow
def test_without_budget_nobody_is_asked_and_the_doubt_stays(short_home: Path, models: Path) -> None:
    with MessagesApi(said("changes")) as api:
        settings = keyed(api, MEMORYD_SIDECAR_DAILY_TOKENS="1")
        with RunningDaemon(short_home, models, **settings) as daemon, daemon.client("s1") as client:
            old, _ = contradicting(client)
            until(lambda: numbers(client)["doubts"] == 1, "the doubt")
            client.remember("Ana bakes bread on Mondays.")
            daemon.indexed(client)
            assert client.get(old.id).active
            assert numbers(client)["doubts"] == 1
            assert api.requests == ()


def test_without_a_key_the_doubt_stays_and_status_counts_it(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon, daemon.client("s1") as client:
        contradicting(client)
        until(lambda: numbers(client)["doubts"] == 1, "the doubt")
        found = numbers(client)
        assert (found["doubts"], found["superseded"]) == (1, 0)
        assert found["relations"] >= 2
