"""Insights: a model's guesses about a person, at most once in a day, in a real daemon."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd_client import Client, Memory
from memoryd_client.wire.transcripts import Entry
from messages_api import MessagesApi, Received, Reply, message, truncated
from running import RunningDaemon, until

LONG = (
    "I would rather see the failing test first, then a small change, and I get impatient when three things change at"
    " once. Last week I lost a day to that. Please keep the steps small from here on, so that I can follow them."
)
INSIGHT = "The user trusts small steps more than explanations."


def insights(*summaries: str) -> Reply:
    given = [{"summary": one, "tags": ["trust", "style"], "importance": 5} for one in summaries]
    return message(json.dumps({"insights": given, "memories": []}), input_tokens=500, output_tokens=60)


def keyed(api: MessagesApi, **more: str) -> dict[str, str]:
    key = {"ANTHROPIC_API_KEY": "test-key", "MEMORYD_SIDECAR_BASE_URL": api.url, "MEMORYD_CAPTURE_BATCHES": "false"}
    return {**key, "MEMORYD_CAPTURE_RETRY_MINUTES": "0", **more}


def asked(api: MessagesApi) -> list[Received]:
    return [one for one in api.requests if one.path == "/v1/messages" and "insights" in one.fields]


def talk(daemon: RunningDaemon, session: str, *said: str, role: str = "user") -> None:
    with daemon.client(session) as client:
        client.append([Entry(content=one, role=role) for one in said])
        client.end_session()

        def done() -> bool:
            capture = client.status().components["capture"]
            return capture.state != "loading" and capture.numbers["sessions_waiting"] == 0

        until(done, "the conversation to be looked at")


def found(client: Client) -> list[Memory]:
    return client.list(category="relationship_dynamic")


@pytest.mark.slow
def test_an_insight_is_made_once_a_day_and_weighs_little_across_restarts(short_home: Path, models: Path) -> None:
    with MessagesApi(insights(INSIGHT)) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        talk(daemon, "s1", LONG)
        with daemon.client("s1") as client:
            (one,) = found(client)
            assert (one.content, one.importance, one.session, one.pinned) == (INSIGHT, 2, "s1", False)
            assert set(one.tags) == {"trust", "style", "insight"}
            assert one.trust < 0.5
        talk(daemon, "s2", LONG + " Again.")
        daemon.kill()
        daemon.start()
        talk(daemon, "s3", LONG + " And again.")
        assert len(asked(api)) == 1
        assert asked(api)[0].body["max_tokens"] == 220
        daemon.kill()
        # A day later.
        with closing(sqlite3.connect(daemon.paths.ledger)) as ledger, ledger:
            ledger.execute("UPDATE progress SET at = at - 86400000001 WHERE job = 'insight'")
        daemon.start()
        talk(daemon, "s4", LONG + " One day later.")
        assert len(asked(api)) == 2


@pytest.mark.slow
def test_of_more_than_three_three_are_kept_and_none_that_speaks_of_the_agent_as_you(
    short_home: Path, models: Path
) -> None:
    given = [INSIGHT, "I think the user trusts me.", "The user is patient with tests.", "The user reads every diff."]
    with MessagesApi(insights(*given)) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        talk(daemon, "s1", LONG)
        with daemon.client("s1") as client:
            assert {one.content for one in found(client)} == {INSIGHT, "The user is patient with tests."}


@pytest.mark.slow
def test_the_day_counts_also_where_there_was_nothing_to_see(short_home: Path, models: Path) -> None:
    with MessagesApi(insights()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        talk(daemon, "s1", LONG)
        talk(daemon, "s2", LONG)
        with daemon.client("s1") as client:
            assert found(client) == []
        assert len(asked(api)) == 1


@pytest.mark.slow
def test_nobody_guesses_from_a_few_words_or_from_what_an_assistant_said(short_home: Path, models: Path) -> None:
    with MessagesApi(insights(INSIGHT)) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        talk(daemon, "s1", "Rename the variable.")
        talk(daemon, "s2", LONG, role="assistant")
        assert asked(api) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [pytest.param(truncated(), id="truncated"), pytest.param(message("prose"), id="prose")],
)
def test_an_answer_without_use_brings_nothing_and_harms_nothing(short_home: Path, models: Path, reply: Reply) -> None:
    with MessagesApi(insights()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.queue(insights(), reply)
        talk(daemon, "s1", LONG)
        with daemon.client("s1") as client:
            until(lambda: client.status().components["capture"].numbers["insight_failures"] == 1, "the failure")
            assert found(client) == []


@pytest.mark.slow
def test_turned_off_or_without_a_key_there_are_none(short_home: Path, models: Path) -> None:
    with MessagesApi(insights(INSIGHT)) as api:
        with RunningDaemon(short_home, models, **keyed(api, MEMORYD_CAPTURE_INSIGHTS="false")) as daemon:
            talk(daemon, "s1", LONG)
            assert asked(api) == []
        with RunningDaemon(short_home, models) as daemon:
            talk(daemon, "s2", LONG)
            with daemon.client("s2") as client:
                assert found(client) == []
