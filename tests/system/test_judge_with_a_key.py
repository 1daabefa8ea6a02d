"""The judge with a key, in a real daemon: it looks things up, and is told what is in hand."""

from pathlib import Path

from memoryd_client import Message, NewMemory
from memoryd_client.client import Client
from memoryd_client.wire.traces import Trace
from messages_api import MessagesApi, asking, lookup, verdict, verdicts
from running import RunningDaemon, until


def turn(client: Client, said: str, number: int) -> Trace:
    client.push_acknowledged([Message("user", said)], turn=number)
    return until(lambda: next((one for one in client.why(1) if one.turn == number), None), f"turn {number}")


def test_a_look_up_reaches_the_memories_around_a_candidate(short_home: Path, models: Path) -> None:
    with MessagesApi(verdicts()) as api:
        settings = {"ANTHROPIC_API_KEY": "test-key", "MEMORYD_SIDECAR_BASE_URL": api.url}
        with RunningDaemon(short_home, models, MEMORYD_SIDECAR_DEADLINE_S="60", **settings) as daemon:
            with daemon.client("earlier") as client:
                client.remember_many(
                    [
                        NewMemory(content=text, source_session="monday", source_messages=(at, at), speaker="Anna")
                        for at, text in enumerate(["Midnight in UTC, mind you.", "The tokens expire at midnight."])
                    ]
                )
                daemon.indexed(client)
            with daemon.client("now") as client:
                api.queue(asking(lookup("source", 0)), verdicts(verdict(0)))
                trace = turn(client, "when do the tokens expire?", 1)
                assert trace.judge == "claude-haiku-5-5 (after 1 look-up)"
                assert "Midnight in UTC, mind you." in api.requests[1].prompt.split("<looked_up>")[1]
                pending = client.take_pending()
                assert pending is not None
                assert "The tokens expire at midnight." in pending.text
                numbers = client.status().components["sidecar"].numbers
                assert (numbers["calls"], numbers["lookups"], numbers["second_looks"]) == (2, 1, 1)


def test_the_judge_is_told_of_the_files_in_hand(short_home: Path, models: Path) -> None:
    with MessagesApi(verdicts()) as api:
        settings = {"ANTHROPIC_API_KEY": "test-key", "MEMORYD_SIDECAR_BASE_URL": api.url}
        started = RunningDaemon(short_home, models, MEMORYD_SIDECAR_DEADLINE_S="60", **settings)
        with started as daemon, daemon.client("earlier") as earlier, daemon.client("now") as client:
            earlier.remember("The tokens expire at midnight.")
            daemon.indexed(earlier)
            api.queue(verdicts(verdict(0)))
            question = Message("user", "when do the tokens expire?")
            pending = client.turn([question], files=["auth/tokens.py"], wait_s=60, deadline_s=120)
            assert pending is not None
            assert '["auth/tokens.py"]' in api.requests[0].prompt.split("<files>")[1]
