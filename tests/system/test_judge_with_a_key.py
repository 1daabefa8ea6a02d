"""The judge with a key, in a real daemon: it looks things up, and is told what is in hand."""

from pathlib import Path

import pytest

from memoryd_client import Entry, Message, NewMemory
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
                api.queue(asking(lookup("read_source", 0)), verdicts(verdict(0)))
                trace = turn(client, "when do the tokens expire?", 1)
                assert trace.judge == "claude-haiku-5-5 (after 1 look-up)"
                assert "Midnight in UTC, mind you." in api.requests[1].prompt.split("<looked_up>")[1]
                pending = client.take_pending()
                assert pending is not None
                assert "The tokens expire at midnight." in pending.text
                numbers = client.status().components["sidecar"].numbers
                assert (numbers["calls"], numbers["lookups"], numbers["second_looks"]) == (2, 1, 1)


def test_look_ups_read_conversations_of_the_project_and_files_of_candidates(
    short_home: Path, models: Path, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tokens.md").write_text("# Tokens\n\nThe tokens of the shop live for nine hours.\n")
    (tmp_path / ".env").write_text("TOKEN_SECRET=hunter2hunter2\n")
    here, elsewhere = str(tmp_path), "/projects/elsewhere"
    question = "when do the tokens of the shop expire?"
    with MessagesApi(verdicts()) as api:
        settings = {"ANTHROPIC_API_KEY": "test-key", "MEMORYD_SIDECAR_BASE_URL": api.url}
        with RunningDaemon(short_home, models, MEMORYD_SIDECAR_DEADLINE_S="60", **settings) as daemon:
            for project, said in (
                (here, "Ana set the tokens to nine hours."),
                (elsewhere, "Ben set the tokens to two."),
            ):
                with daemon.client(f"monday {said[:3]}", project=project) as client:
                    client.append([Entry(role="user", content=said)])
            with daemon.client("earlier", project=here) as client:
                client.remember("The tokens of the shop expire at midnight.", files=["docs/tokens.md"])
                daemon.indexed(client)
            with daemon.client("now", project=here) as client:
                wanted = (lookup("session_search", -1, "who set the tokens"), lookup("read_source", 0))
                api.queue(asking(*wanted), verdicts(verdict(0)))
                assert turn(client, question, 1).judge == "claude-haiku-5-5 (after 2 look-ups)"
                first, second = (one.prompt for one in api.requests)
                assert '"files":["docs/tokens.md"]' in first
                searched, read = second.split("<looked_up>")[1].split('"kind":"read_source"')
                assert "Ana set the tokens to nine hours." in searched
                assert "The tokens of the shop live for nine hours." in read
                assert "Ben" not in second
                assert question not in searched
                named = (lookup("read_source", 0, "docs/tokens.md"), lookup("read_source", -1, ".env"))
                api.queue(asking(*named), verdicts(verdict(0)))
                assert turn(client, f"{question} Is that in .env?", 2).judge
                assert "live for nine hours" in api.requests[-1].prompt
                assert not any("hunter2" in one.prompt for one in api.requests)


@pytest.mark.slow
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
