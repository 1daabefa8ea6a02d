"""Conversations read by a model, in a real daemon: in batches and at once, whatever the service or a crash does."""

import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memoryd_client import Client, Memory
from memoryd_client.wire.memory import Source
from memoryd_client.wire.transcripts import Entry
from messages_api import MessagesApi, Received, Reply, error, garbage, message, refusal, truncated
from running import RunningDaemon, until

pytestmark = pytest.mark.slow
SAID = "We moved the staging database to Frankfurt in March 2026."
FOUND = "The staging database of the project is in Frankfurt since March 2026."
QUOTED = f'The user said: "{SAID}"'


def found(content: str) -> dict[str, object]:
    return {
        "content": content,
        "category": "fact",
        "trust": "user_stated",
        "messages": [0],
        "files": [],
        "importance": 3,
        "about_person": False,
    }


def answer(content: str = FOUND) -> Reply:
    return message(json.dumps({"memories": [found(content)]}), input_tokens=900, output_tokens=100)


def keyed(api: MessagesApi, **more: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "test-key",
        "MEMORYD_SIDECAR_BASE_URL": api.url,
        "MEMORYD_CAPTURE_BATCH_POLL_S": "0.05",
        "MEMORYD_CAPTURE_RETRY_MINUTES": "0",
        **more,
    }


def numbers(client: Client, component: str = "capture") -> dict[str, float]:
    return dict(client.status().components[component].numbers)


def extracted(client: Client) -> list[Memory]:
    return [one for one in client.list(limit=1000) if one.source is Source.EXTRACTED]


def looked_at(client: Client) -> list[Memory]:
    def done() -> bool:
        capture = client.status().components["capture"]
        return capture.state != "loading" and capture.numbers["sessions_waiting"] == 0

    until(done, "the conversations to be looked at")
    return extracted(client)


def talk(client: Client, *said: str) -> None:
    client.append([Entry(content=one, role="user") for one in said or (SAID,)])
    client.end_session()


def noted(daemon: RunningDaemon, detail: str) -> bool:
    with closing(sqlite3.connect(f"file:{daemon.paths.ledger}?mode=ro", uri=True)) as ledger:
        return ledger.execute("SELECT detail FROM progress WHERE job = 'extraction'").fetchall() == [(detail,)]


def readings(api: MessagesApi) -> list[Received]:
    """Return the plain calls that asked for memories."""
    return [one for one in api.requests if one.path == "/v1/messages" and "memories" in one.fields]


def test_a_session_that_ended_is_read_in_a_batch_at_half_the_price(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        talk(client)
        (one,) = looked_at(client)
        assert (one.content, one.trust, one.source_messages) == (FOUND, 0.8, (1, 1))
        assert one.metadata["extracted"] == "model"
        assert (len(api.submitted), readings(api)) == (1, [])
        assert numbers(client)["model_read_in_batches"] == 1
        spent = numbers(client, "sidecar")
        assert spent["tokens_today"] == 1000
        assert spent["usd_today"] == pytest.approx(0.00007)
        assert client.status().components["capture"].facts["read_by"] == "claude-haiku-5-5"


def test_kill_9_between_handing_in_and_fetching_pays_once(short_home: Path, models: Path) -> None:
    with MessagesApi(answer()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.end_batches(ended=False)
        with daemon.client("s1") as client:
            talk(client)
            # It was looked at once by its id, so that the id is on the disk.
            until(lambda: any("msgbatch_01" in one.path for one in api.requests), "the batch to be asked for")
        daemon.kill()
        api.end_batches()
        daemon.start()
        with daemon.client("s1") as client:
            assert [one.content for one in looked_at(client)] == [FOUND]
        assert len(api.submitted) == 1
        assert readings(api) == []


def test_a_long_conversation_is_read_in_parts_of_one_batch_each_with_its_own_messages(
    short_home: Path, models: Path
) -> None:
    with (
        MessagesApi(message(json.dumps({"memories": []}))) as api,
        RunningDaemon(short_home, models, **keyed(api, MEMORYD_CAPTURE_EXTRACT_TURNS="2")) as daemon,
        daemon.client("s1") as client,
    ):
        api.end_batches(ended=False)
        client.append([Entry(content=f"Fact number {n} is a fact.", role="user") for n in range(5)])
        client.end_session()
        until(lambda: bool(api.submitted or readings(api)), "something to be asked")
        api.end_batches()
        looked_at(client)
        shown = [str(one["params"]["messages"][0]["content"]) for batch in api.submitted for one in batch]
        shown += [one.prompt for one in readings(api)]
        for n in range(5):
            blocks = [one.split("<messages>")[1] for one in shown]
            assert sum(f"Fact number {n} is" in block for block in blocks) == 1


def test_where_batches_are_refused_a_plain_call_is_made(short_home: Path, models: Path) -> None:
    with MessagesApi(answer()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.refuse_batches(error(400, "invalid_request_error", "no batches here"))
        with daemon.client("s1") as client:
            talk(client)
            assert [one.content for one in looked_at(client)] == [FOUND]
            assert len(readings(api)) == 1


def test_a_batch_that_nobody_knows_any_more_is_read_by_plain_calls(short_home: Path, models: Path) -> None:
    with MessagesApi(answer()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.end_batches(ended=False)
        with daemon.client("s1") as client:
            talk(client)
            until(lambda: any("msgbatch_01" in one.path for one in api.requests), "the batch to be asked for")
            api.refuse_batches(error(404, "not_found_error", "no such batch"))
            assert [one.content for one in looked_at(client)] == [FOUND]
            assert len(readings(api)) == 1


def test_a_part_that_failed_in_a_batch_is_read_by_a_plain_call(short_home: Path, models: Path) -> None:
    with MessagesApi(answer()) as api, RunningDaemon(short_home, models, **keyed(api)) as daemon:
        api.queue(error(500, "api_error", "broken"))
        with daemon.client("s1") as client:
            talk(client)
            assert [one.content for one in looked_at(client)] == [FOUND]
            assert len(readings(api)) == 1


@pytest.mark.parametrize(
    "reply",
    [garbage(), refusal(), truncated(), error(529, "overloaded_error", "overloaded")],
    ids=["garbage", "refusal", "truncated", "overloaded"],
)
def test_nonsense_stores_nothing_is_tried_again_a_few_times_and_loses_nothing(
    short_home: Path, models: Path, reply: Reply
) -> None:
    # The model is asked for four attempts, however soon others would leave it alone.
    off = {"MEMORYD_CAPTURE_BATCHES": "false", "MEMORYD_SIDECAR_FAILURES_TO_OPEN": "10"}
    with (
        MessagesApi(reply) as api,
        RunningDaemon(short_home, models, **keyed(api, **off)) as daemon,
        daemon.client("s1") as client,
    ):
        talk(client)
        # After four attempts rules take what they can.
        assert [one.content for one in looked_at(client)] == [QUOTED]
        assert len(readings(api)) == 4
        health = client.status().components["capture"]
        assert health.state == "degraded"
        assert (health.numbers["model_failures"], health.numbers["model_given_up"]) == (4, 1)


def test_attempts_are_counted_across_crashes(short_home: Path, models: Path) -> None:
    settings = {"MEMORYD_CAPTURE_BATCHES": "false", "MEMORYD_CAPTURE_RETRY_MINUTES": "60"}
    with MessagesApi(refusal()) as api, RunningDaemon(short_home, models, **keyed(api, **settings)) as daemon:
        with daemon.client("s1") as client:
            talk(client)
        until(partial(noted, daemon, '{"attempts":1}'), "an attempt to be put down")
        daemon.kill()
        daemon.start()
        until(partial(noted, daemon, '{"attempts":2}'), "the next one")


@pytest.mark.parametrize("setting", ["MEMORYD_SIDECAR_DAILY_TOKENS", "MEMORYD_CAPTURE_DAILY_CALLS"])
def test_without_budget_nobody_is_asked_and_everything_waits(short_home: Path, models: Path, setting: str) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api, **{setting: "0"})) as daemon,
        daemon.client("s1") as client,
    ):
        talk(client)
        until(lambda: client.status().components["capture"].state == "degraded", "status to say so")
        assert (extracted(client), numbers(client)["sessions_waiting"], api.requests) == ([], 1, ())


def test_batches_that_are_out_are_held_against_the_budget_across_crashes(short_home: Path, models: Path) -> None:
    # Room for two parts of some 4,300 tokens, as they are estimated.
    budget = {"MEMORYD_SIDECAR_DAILY_TOKENS": "10000"}
    with MessagesApi(answer()) as api, RunningDaemon(short_home, models, **keyed(api, **budget)) as daemon:
        api.end_batches(ended=False)

        def told() -> bool:
            with daemon.client() as client:
                return "of them kept for what is under way" in client.status().components["capture"].message

        for session in ("s1", "s2", "s3", "s4"):
            with daemon.client(session) as client:
                talk(client)
        until(told, "no room for a third")
        assert [len(batch) for batch in api.submitted] == [1, 1]
        daemon.kill()
        daemon.start()
        until(told, "no room after a crash, either")
        assert len(api.submitted) == 2


def test_what_is_purged_while_a_batch_is_out_does_not_come_back_with_it(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        api.end_batches(ended=False)
        told = client.remember("Our neighbour Ana Krumbholz is ill.", source_session="s1")
        talk(client, told.content, SAID)
        until(lambda: numbers(client)["model_batches"], "the batch to be handed in")
        client.purge([told.id], transcripts=True)
        api.queue(answer("The user's neighbour Krumbholz suffers from an illness."))
        api.end_batches()
        assert [one.content for one in looked_at(client)] == [FOUND]
        (asked,) = readings(api)
        assert "Krumbholz" not in asked.prompt
        assert extracted(client)[0].source_messages == (2, 2)


def test_what_the_model_writes_badly_or_of_the_moment_is_refused_and_the_rest_is_kept(
    short_home: Path, models: Path
) -> None:
    poor = (
        "I did it.",
        "The user just asked about the weather in Ghent.",
        "The nightly build of the project is running.",
        "The user wondered whether Redis is faster.",
        "Fixed the flaky login test.",
    )
    given = [found(one) | {"messages": [turn]} for turn, one in enumerate((FOUND, *poor))]
    with (
        MessagesApi(message(json.dumps({"memories": given}))) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        talk(client, SAID, *(f"Turn {number} of this." for number in range(len(poor))))
        assert [one.content for one in looked_at(client)] == [FOUND]
        assert numbers(client)["extracted_refused"] == len(poor)


def test_what_is_known_nearby_is_shown_to_the_model(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        client.remember("The staging database runs PostgreSQL 17.")
        daemon.indexed(client)
        talk(client)
        looked_at(client)
        ((request,),) = api.submitted
        assert "PostgreSQL 17" in request["params"]["messages"][0]["content"]


def test_after_twelve_turns_the_model_is_asked_at_once(short_home: Path, models: Path) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        client.append([Entry(content=f"What is number {n}?", role="user") for n in range(12)])
        until(lambda: bool(extracted(client)), "the model's answer")
        assert (len(readings(api)), api.submitted) == (1, [])


def test_what_a_model_finds_is_joined_to_what_was_known_and_waits_where_it_is_about_a_person(
    short_home: Path, models: Path
) -> None:
    with (
        MessagesApi(answer()) as api,
        RunningDaemon(short_home, models, **keyed(api)) as daemon,
        daemon.client("s1") as client,
    ):
        known = client.remember("The tests against staging take twice as long since March.")
        daemon.indexed(client)
        home = found("The user lives in Graz.")
        joined = found(FOUND) | {
            "related": [{"id": known.id[4:14], "relation": "explains"}, {"id": "made-up", "relation": "causes"}]
        }
        api.always(message(json.dumps({"memories": [joined, home]}), input_tokens=900, output_tokens=100))
        talk(client)
        (one,) = [memory for memory in looked_at(client) if memory.active]
        edges = [edge for edge in client.edges([one.id]) if edge.relation != "related_to"]
        assert [(edge.from_id, edge.to_id, edge.relation) for edge in edges] == [(one.id, known.id, "explains")]
        assert f"{known.id[4:14]}: The tests against staging" in json.dumps(api.submitted)
        (asked,) = client.consents()
        assert (asked.field, asked.category, asked.proposed) == ("home", "fact", "The user lives in Graz.")
