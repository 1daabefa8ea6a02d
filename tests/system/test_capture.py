"""What users ask to have remembered is remembered: once, however often the conversation is pushed, by whomever."""

from pathlib import Path

import pytest
import zmq

from memoryd_client import Client, Entry, Memory, Message, RequestFailed
from memoryd_client.wire.events import Event, Warned
from memoryd_client.wire.protocol import decode_event
from running import RunningDaemon, until

FACT = "the staging database listens on port 5433"
ASKED = f"Remember that {FACT}."


def talk(client: Client, *said: str) -> None:
    """Push a conversation in which the assistant answers everything but the last."""
    messages: list[Message] = []
    for text in said:
        messages += [Message("user", text), Message("assistant", "Noted, I shall go on with the work now.")]
    assert client.push_context(messages[:-1])


def heard(client: Client) -> float:
    """Return how many requests to remember were dealt with, whoever made them."""
    numbers = client.status().components["capture"].numbers
    return sum(numbers[name] for name in ("captured", "known", "refused", "failed"))


def captured(client: Client, count: int = 1) -> list[Memory]:
    """Wait until so many requests were remembered, and return what there is."""
    return until(lambda: found if len(found := client.list()) >= count else None, "what was asked to be remembered")


def test_what_a_user_asks_to_have_remembered_is_stored_with_where_it_comes_from(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        talk(client, "hello there", ASKED)
        (memory,) = captured(client)
    assert memory.content == f"{FACT}."
    assert (memory.category, memory.scope, memory.source, memory.trust) == ("fact", "project", "user", 0.8)
    assert (memory.session, memory.speaker, memory.role, memory.agent) == ("s1", "user", "user", "script")
    assert memory.metadata == {"captured": "Remember that"}
    # Of what was pushed together, the very message.
    assert memory.source_messages == (3, 3)


def test_a_correction_is_trusted_fully_and_what_holds_everywhere_is_global(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        talk(client, "No, the port of staging is 5434. Remember that for all projects.")
        (memory,) = captured(client)
    assert (memory.category, memory.scope, memory.project, memory.trust) == ("correction", "global", "", 1.0)


def test_a_conversation_pushed_again_and_again_is_one_memory_also_after_a_restart(daemon: RunningDaemon) -> None:
    said = ["hello there", ASKED, "how is the weather in the garden?", "Always answer in English from now on, please."]
    with daemon.client("s1") as client:
        for length in range(1, len(said) + 1):
            talk(client, *said[:length])
        first = captured(client, 2)
        daemon.kill()
        daemon.start()
        talk(client, *said, "which port is it?")
        talk(client, *said, "which port is it?", "Remember that the build needs Node 20.")
        # They are heard in order: what came before the last one has been looked at when that one is there.
        until(lambda: any("Node 20" in one.content for one in client.list()), "the last request")
        again = client.list()
    assert [one.category for one in first] == ["rule", "fact"]
    assert {one.id: one.strength for one in again[1:]} == {one.id: 1 for one in first}
    assert again[0].content == "the build needs Node 20."


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_was_asked_right_before_the_daemon_was_killed_is_remembered_by_the_next_one(
    daemon: RunningDaemon,
) -> None:
    facts = [f"the build number {n} needs Node {20 + n}." for n in range(6)]
    with daemon.client("s1") as client:
        for fact in facts:
            client.push_acknowledged([Message("user", f"Remember that {fact}")])
            daemon.kill()
            daemon.start()
        assert [one.content for one in client.messages().entries] == [f"Remember that {fact}" for fact in facts]
        until(lambda: {memory.content for memory in client.list()} == set(facts), "all to be remembered")
        memory = client.list()[0]
        client.forget(memory.id)
        daemon.kill()
        daemon.start()
        client.push_acknowledged([Message("user", "Remember that the door is blue.")])
        until(lambda: any("door" in one.content for one in client.list()), "the last request")
        assert memory.id not in {one.id for one in client.list()}, "what was forgotten stays forgotten"


def test_a_request_that_was_appended_and_never_pushed_is_remembered_too(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append([Entry(role="user", content=ASKED), Entry(role="assistant", content="Noted.")])
        (memory,) = captured(client)
    assert (memory.content, memory.source, memory.source_messages) == (f"{FACT}.", "user", (1, 1))
    # A whole run at once, as some agents write it down when it is over.
    calls = [
        Entry(kind=kind, name="read", call_id=f"call-{number}", content="{}")
        for number in range(150)
        for kind in ("tool_call", "tool_result")
    ]
    with served.client("s2") as client:
        client.append([Entry(role="user", content="Remember that the proxy is called Kestrel."), *calls])
        latest, _ = captured(client, 2)
    assert (latest.content, latest.source_messages) == ("the proxy is called Kestrel.", (1, 1))


def test_a_conversation_resumed_elsewhere_brings_nothing_back_that_was_forgotten(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s2") as other:
        talk(client, ASKED)
        (memory,) = captured(client)
        client.forget(memory.id)
        before = heard(other)
        talk(other, ASKED)
        until(lambda: heard(other) > before, "the request to be heard")
        assert client.list() == []
        client.restore(memory.id)
        (restored,) = client.list()
        assert (restored.id, restored.strength) == (memory.id, 1)


def test_the_session_that_said_it_does_not_get_it_back(served: RunningDaemon) -> None:
    with served.client("s1") as client, served.client("s2") as other:
        before = heard(client)
        talk(client, ASKED)
        until(lambda: heard(client) > before, "the session to know what it stored")
        (memory,) = captured(client)
        served.indexed(client)
        question = "on which port does the staging database listen?"
        own = served.turn(client, question)
        assert [one.reason for one in own.candidates] == ["stored by this session itself"]
        served.turn(other, question)
        pending = other.take_pending()
        assert pending is not None
        assert [one.id for one in pending.memories] == [memory.id]


def test_secrets_private_parts_and_what_is_to_be_skipped_stay_out(served: RunningDaemon) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    with served.client("s1") as client:
        talk(
            client,
            "Remember that my dentist is Dr. Brown. #skip",
            "<private>Remember that my salary is a thousand euros.</private> What is the time?",
            f"Remember that the deploy token is {token}.",
        )
        (memory,) = captured(client)
    assert token not in memory.content
    assert memory.content.startswith("the deploy token is [redacted:")


def test_what_the_allowlist_refuses_is_told_and_counted(short_home: Path, models: Path) -> None:
    config = short_home / "config.toml"
    config.write_text('[allowlists]\nscript = ["rule"]\n', encoding="utf-8")
    with RunningDaemon(short_home, models, MEMORYD_CONFIG=str(config)) as daemon, daemon.client("s1") as client:
        with zmq.Context() as context, context.socket(zmq.SUB) as events:
            events.setsockopt(zmq.SUBSCRIBE, b"warned")
            events.connect(f"ipc://{daemon.paths.events_socket}")
            events.setsockopt(zmq.RCVTIMEO, 30_000)
            until(lambda: _warned(client, events), "the warning")
        status = client.status().components["capture"]
        assert status.numbers["captured"] == 0
        assert status.numbers["refused"] >= 1
        assert "fact" in status.facts["last_refusal"]
        taken = client.take_pending(deadline_s=10)
        assert taken is not None
        first, told, *_ = taken.changes
        assert first.startswith("Memory updates since rev ")
        assert told.startswith("- ✗not kept, though the user asked for it (tell them): ")
        assert "may not use the category `fact`" in told
        assert told in taken.text


def _warned(client: Client, events: "zmq.Socket[bytes]") -> bool:
    """Ask again and again, as a subscription takes a while to arrive; return whether there was a warning."""
    talk(client, f"Remember that {FACT}, as of build {client.status().components['sessions'].numbers['accepted']:g}.")
    if not events.poll(200):
        return False
    event: Event = decode_event(events.recv_multipart()[1])
    return isinstance(event, Warned) and event.component == "capture"


@pytest.mark.slow
def test_it_can_be_switched_off(short_home: Path, models: Path) -> None:
    off = {"MEMORYD_CAPTURE_EXPLICIT": "false", "MEMORYD_CAPTURE_STANDING": "false"}
    with RunningDaemon(short_home, models, **off) as daemon, daemon.client("s1") as client:
        daemon.turn(client, ASKED)
    daemon.environment |= {"MEMORYD_CAPTURE_EXPLICIT": "true"}
    with daemon, daemon.client("s1") as client:
        assert client.list() == []
        talk(client, "Remember that the build needs Node 20.")
        (memory,) = captured(client)
        assert memory.content == "the build needs Node 20."


def test_a_yes_in_the_conversation_answers_what_the_agent_asked_and_no_agent_says_yes_to_itself(
    served: RunningDaemon,
) -> None:
    with served.client("s1") as client:
        proposal = client.remember("Lisbon", category="profile", title="city", scope="global")
        with pytest.raises(RequestFailed, match="user's own yes or no"):
            client.approve(proposal.id)
        client.push_acknowledged(
            [
                Message("user", "Hello."),
                Message("assistant", "Hello! May I remember that you live in Lisbon?"),
                Message("user", "Yes, please."),
            ]
        )
        until(lambda: client.get(proposal.id).active, "the user's yes to count")
