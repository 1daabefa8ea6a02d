"""Finished runs become episodes, at a real daemon, killed while it tells them."""

import json
from pathlib import Path

import msgspec
import pytest

from memoryd_client import Client, Entry, Memory
from messages_api import MessagesApi, message
from running import RunningDaemon, until

RUN_ONE = [
    ("user", "Why does the nightly export of the ledger fail since Monday?"),
    ("assistant", "The disk of the export host is full, so the archive step stops."),
    ("user", "Let's move the archive to host beta, it has 2 terabytes."),
    ("assistant", "Done: the archive was moved to host beta and the export ran through."),
    ("user", "We decided to delete exports that are older than 90 days."),
    ("assistant", "The clean-up runs each Sunday now, and keeps 90 days."),
]
RUN_TWO = [
    ("user", "The login test fails at midnight, can you look at the token expiry?"),
    ("assistant", "Token expiry is computed in UTC, the test clock is local."),
    ("user", "Let's pin the test clock to UTC in conftest.py."),
    ("assistant", "The test clock was pinned to UTC and the test passed."),
    ("user", "We agreed to run the nightly build twice before the release on Friday."),
    ("assistant", "Both nightly builds were scheduled."),
]


def say(client: Client, said: list[tuple[str, str]], start: int = 0) -> None:
    client.append([Entry(id=f"e{start + n}", role=role, content=text) for n, (role, text) in enumerate(said)])


def episodes(client: Client) -> list[Memory]:
    return sorted(client.list(category="episode", limit=1000), key=lambda one: one.source_messages or (0, 0))


def told(client: Client, count: int) -> list[Memory]:
    return until(lambda: found if len(found := episodes(client)) == count else None, f"{count} episodes")


def untouched(memory: Memory) -> Memory:
    return msgspec.structs.replace(memory, access_count=0, last_accessed_at=None)


def test_each_run_that_is_ended_is_told_once_and_found_again(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client("s1") as client:
            say(client, RUN_ONE)
            client.end_session()
            (first,) = told(client, 1)
            assert first.content.startswith("# Episode: ")
            assert "Refs: session=s1, messages=1-6" in first.content
            assert "host beta" in first.content
            assert "not written by a model" in first.content
            assert '\nOutcome: The assistant said: "Done: the archive was moved to host beta' in first.content
            # At once, not when it is next looked whether somebody fell silent.
            until(lambda: not client.status().components["episodes"].numbers["open"], "status to say so", patience_s=20)
            assert first.metadata["path"].startswith(f"episodes/{first.occurred_at:%Y-%m-%d}/")
            say(client, RUN_TWO, 100)
            client.end_session()
            one, two = told(client, 2)
            assert untouched(one) == untouched(first)
            assert "messages=7-12" in two.content
            # Ended again, with nothing said since.
            client.end_session()
            say(client, RUN_ONE[:2], 200)
            client.end_session()
            until(lambda: client.status().components["episodes"].numbers["short"] == 1 or None, "the short run")
            assert len(episodes(client)) == 2
            daemon.indexed(client)
            hits = client.search("moving the archive of the nightly export to another host", limit=3)
            assert first.id in [hit.id for hit in hits]
        with daemon.client("s1", owner="them") as client:
            assert episodes(client) == []


def test_a_run_that_falls_silent_is_told_without_being_ended(short_home: Path, models: Path) -> None:
    idle = {"MEMORYD_EPISODES_IDLE_MINUTES": "0.02"}
    with RunningDaemon(short_home, models, **idle) as daemon, daemon.client("quiet") as client:
        say(client, RUN_ONE)
        (one,) = told(client, 1)
        assert one.source_messages == (1, 6)


@pytest.mark.slow
def test_after_kill_9_every_run_is_told_once(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon:
        for number in range(6):
            with daemon.client(f"s{number}") as client:
                say(client, RUN_ONE if number % 2 else RUN_TWO)
                client.end_session()
        for seen in (1, 3):
            with daemon.client("observer") as client:
                until(lambda seen=seen, client=client: len(episodes(client)) >= seen or None, "some episodes")  # type: ignore[misc]
            daemon.kill()
            daemon.start()
        with daemon.client("observer") as client:
            found = told(client, 6)
            assert {one.session for one in found} == {f"s{number}" for number in range(6)}
            until(lambda: client.status().components["episodes"].numbers["open"] == 0 or None, "the rest")
            assert len(client.list(category="episode", states=("active", "superseded", "archived"), limit=100)) == 6


@pytest.mark.slow
def test_where_memory_is_off_nothing_is_told_and_a_purged_session_has_no_episode(
    short_home: Path, models: Path
) -> None:
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client("s1") as client:
            say(client, RUN_ONE)
            client.switch(on=False)
            client.end_session()
            assert episodes(client) == []
        # It was not lost: with the next start, memory on again, the run is told.
        with daemon.client("s1") as client:
            client.switch(on=True)
        daemon.stop()
        daemon.start()
        with daemon.client("s1") as client:
            told(client, 1)
            client.purge_session("s1")
            assert episodes(client) == []


@pytest.mark.slow
def test_the_model_tells_a_run_where_there_is_a_key_and_is_not_believed_blindly(short_home: Path, models: Path) -> None:
    good = {
        "title": "Nightly export",
        "topic": "export of the ledger",
        "outcome": "The archive was moved to host beta.",
        "tags": ["export"],
        "points": ["The user moved the archive to host beta.", "It is what you want.", "The export runs."],
    }
    bad = good | {"points": ["You should run it.", "I think so."]}
    with MessagesApi(message(json.dumps(good))) as api:
        key = {"MEMORYD_SIDECAR_API_KEY": "sk-test", "MEMORYD_SIDECAR_BASE_URL": api.url}
        with RunningDaemon(short_home, models, **key) as daemon, daemon.client("s1") as client:
            say(client, RUN_ONE)
            client.end_session()
            (one,) = told(client, 1)
            assert one.title == "Nightly export"
            assert one.metadata["summarised_by"] == "claude-haiku-5-5"
            assert one.content.endswith("Summary:\n- The user moved the archive to host beta.")
            api.always(message(json.dumps(bad)))
            say(client, RUN_TWO, 100)
            client.end_session()
            quoted = told(client, 2)[1]
            assert quoted.metadata["summarised_by"] == "extracted"
            assert "You should run it" not in quoted.content
            numbers = client.status().components["summaries"].numbers
            assert (numbers["by_model"], numbers["quoted"]) == (1, 1)
