"""Summaries on demand, and the archive that they make possible, at a real daemon."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest

from memoryd_client import Client, Entry, RequestFailed
from memoryd_client.tools import Tools
from memoryd_client.wire.events import ContextFilled
from memoryd_client.wire.session_context import SUMMARY_OPENING
from running import RunningDaemon, until

SAID = [
    ("user", "We have to choose a database for the harbour office."),
    ("assistant", "SQLite needs no server, PostgreSQL serves several machines."),
    ("user", "We decided to take PostgreSQL 17, because three machines write."),
    ("assistant", "Noted: PostgreSQL 17 for the harbour office."),
    ("user", "The deadline of the harbour office is the 1st of December."),
    ("assistant", "That leaves five weeks for the migration."),
    ("user", "Which colour should the login page have?"),
    ("assistant", "Blue would match the flags of the harbour."),
]


def say(client: Client) -> None:
    client.append([Entry(id=f"e{n}", role=role, content=text) for n, (role, text) in enumerate(SAID)])


def test_turns_are_summarised_with_dates_and_key_facts_and_nothing_is_archived_by_it(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        told = client.summarize_conversation(1, 2, focus="decisions")
        assert (told.turns, told.entries, told.focus, told.archived) == ((1, 2), (1, 4), "decisions", False)
        assert any("PostgreSQL 17" in fact for fact in told.key_facts)
        assert told.since <= told.until
        again = client.summarize_conversation(1, 2, focus="decisions")
        every = client.turn_summaries()
        assert [one.id for one in every.summaries] == [again.id]  # it takes the place of the one before
        assert (every.turns, every.last_summarized_turn, every.total_archived) == (4, 2, 0)
        assert client.build_context().last_summarized == 0
        with pytest.raises(RequestFailed, match="the session has 4"):
            client.summarize_conversation(3, 9)


def test_a_summary_has_the_room_that_the_conversation_leaves_and_loses_what_is_oldest(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        for n in range(12):
            said = f"We decided to take pier {n} for the ferry number {n}, because the harbour office asked for it."
            client.append([Entry(content=said, role="user"), Entry(content=f"Noted: pier {n}.", role="assistant")])
            client.summarize_conversation(n + 1, n + 1)
        client.archive_old_messages(12)
        roomy = client.build_context(1_200)
        small = client.build_context(300)
    assert roomy.left_out == ()
    assert all(f"pier {n} for the ferry" in roomy.system for n in range(11))
    assert small.tokens <= 300
    assert "pier 10 for the ferry" in small.system
    assert "pier 0 for the ferry" not in small.system
    assert "a part of the summary" in small.left_out


def test_what_has_no_summary_is_not_archived_and_what_has_gives_way_to_it(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        with pytest.raises(RequestFailed, match="turns 1 to 3 have no summary"):
            client.archive_old_messages(4)
        client.summarize_conversation(1, 2)
        with pytest.raises(RequestFailed, match="turns 3 to 3 have no summary"):
            client.archive_old_messages(4)
        client.summarize_conversation(2, 3)
        done = client.archive_old_messages(4)
        assert (done.archived_turns, done.total_archived, done.last_summarized_turn) == (3, 6, 3)
        assert done.last_archived_at is not None
        assert all(one.archived for one in done.summaries)
        # What stands in their place in contexts is no summary more.
        assert [one.turns for one in done.summaries] == [(1, 2), (2, 3)]
        assert client.archive_old_messages(3).total_archived == 6
        built = client.build_context()
        assert [entry.content for entry in built.entries] == [text for _, text in SAID[6:]]
        (summary,) = [section for section in built.sections if section.kind == "summary"]
        assert SUMMARY_OPENING in summary.text
        assert "PostgreSQL 17" in summary.text
        served.indexed(client)
        until(lambda: client.search_messages("harbour office database", by="words").found, "the messages")
        found = client.search_messages("harbour office", session="s1")
        assert any(one.record.sequence <= 6 for one in found.found)
        live = client.search_messages("harbour", session="s1", search_archived=False)
        assert {one.record.sequence for one in live.found} == {7, 8}
        with pytest.raises(RequestFailed, match="has 4 turns"):
            client.archive_old_messages(9)


def test_a_summary_takes_the_place_of_those_within_it_and_tells_of_those_that_it_overlaps(
    served: RunningDaemon,
) -> None:
    with served.client("s1") as client:
        say(client)
        client.summarize_conversation(1, 1)
        decisions = client.summarize_conversation(2, 2, focus="decisions")
        client.summarize_conversation(2, 3, focus="facts")
        assert [one.turns for one in client.turn_summaries().summaries] == [(1, 1), (2, 2), (2, 3)]
        whole = client.summarize_conversation(1, 3)
        assert [one.id for one in client.turn_summaries().summaries] == [whole.id]
        assert client.get(decisions.id).superseded_by == whole.id
        crossing = client.summarize_conversation(2, 4)
        assert crossing.overlaps == ((1, 3),)
        assert "of turns 1 to 3, tells some of these turns as well" in Tools(client, "all").call("view_summaries")
        built = client.archive_old_messages(5)
        assert built.archived_turns == 4
        system = client.build_context().system
        assert system.count("We decided to take PostgreSQL 17") == 1


def test_an_end_that_is_missing_is_the_first_or_the_last_turn(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        assert client.summarize_conversation(start_turn=3).turns == (3, 4)
        assert client.summarize_conversation(end_turn=2).turns == (1, 2)
        assert client.summarize_conversation().turns == (1, 4)
        tools = Tools(client, "all")
        assert tools.call("summarize_conversation", {"start_turn": 2, "focus": "x"}).startswith("[turns 2 to 4, ")
        assert tools.call("summarize_conversation", {"end_turn": 3, "focus": "x"}).startswith("[turns 1 to 3, ")


def test_core_memory_says_what_was_summarised_last_and_agents_do_it_with_their_tools(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        tools = Tools(client, "all")
        assert "4 turns, none summarised" in tools.call("core_memory_view")
        refused = tools.call("archive_old_messages", {"before_turn": 3})
        assert "turns 1 to 2 have no summary" in refused
        told = tools.call("summarize_conversation", {"start_turn": 1, "end_turn": 2, "focus": "facts"})
        assert told.startswith("[turns 1 to 2, ")
        assert "PostgreSQL" in told
        assert "4 entries are archived, up to turn 2" in tools.call("archive_old_messages", {"before_turn": 3})
        seen = tools.call("core_memory_view")
        assert "summarised up to turn 2" in seen
        assert "(1 summary), archived up to turn 2. Summarised last: " in seen
        assert "above all facts" in tools.call("view_summaries")


FLOOR = [
    ("user", "We chose the oak floor."),
    ("assistant", "Fine."),
    ("user", "What is the time in Lima?"),
    ("assistant", "It is 03:12 in Lima."),
    ("user", "Please compute the area of the floor, which is 4 by 5 metres."),
]


def test_a_question_that_has_no_answer_yet_is_not_archived(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        client.append([Entry(role=role, content=text) for role, text in FLOOR])
        told = client.summarize_conversation()
        assert any("03:12 in Lima" in fact for fact in told.key_facts)
        assert any("time in Lima?" in fact for fact in told.key_facts)
        done = client.archive_old_messages(4)
        assert (done.turns, done.archived_turns, done.total_archived) == (3, 2, 4)
        built = client.build_context(2_000)
        assert [entry.content for entry in built.entries] == [FLOOR[-1][1]]
        assert client.archive_old_messages(4).archived_turns == 2
        told_again = Tools(client, "all").call("archive_old_messages", {"before_turn": 4})
        assert told_again.endswith("Turn 3 has no answer yet, and stays.")
        client.append([Entry(role="assistant", content="It has 20 square metres.")])
        assert client.archive_old_messages(4).archived_turns == 3


def test_what_is_archived_becomes_no_memory_once_more(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        told = client.summarize_conversation(1, 2)
        client.archive_old_messages(3)
        assert [one.id for one in client.list(category="session_summary")] == [told.id]
        client.summarize_conversation(3, 4)
        client.archive_old_messages(5)
        assert len(client.list(category="session_summary")) == 2


def test_with_the_session_its_summaries_are_destroyed(served: RunningDaemon) -> None:
    with served.client("s1") as client:
        say(client)
        told = client.summarize_conversation(1, 3)
        client.purge_session("s1")
        assert [one.id for one in client.list(category="session_summary", states=["active"])] == []
        with pytest.raises(RequestFailed, match="no memory"):
            client.get(told.id)


@pytest.fixture(scope="module")
def supervised(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    running = RunningDaemon(home, models, MEMORYD_CONTEXT_TIMESTAMPS="true")
    running.paths.config.write_text(
        '[allowlists]\nboss = ["episode", "core", "agent:worker"]\nclerk = ["episode"]\nworker = ["fact", "core"]\n'
    )
    with running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


def of_agent(daemon: RunningDaemon, agent: str, session: str) -> Client:
    return Client(session=session, project="/p", agent=agent, owner="own", paths=daemon.paths, deadline_s=30)


def test_a_supervisor_manages_the_sessions_of_the_agents_that_its_allowlist_names(supervised: RunningDaemon) -> None:
    with of_agent(supervised, "worker", "child") as worker:
        say(worker)
    with of_agent(supervised, "boss", "top") as boss:
        told = boss.summarize_conversation(1, 2, session="child")
        assert told.session == "child"
        assert boss.archive_old_messages(3, session="child").total_archived == 4
        assert boss.turn_summaries("child").archived_turns == 2
        boss.core_append("context", "The worker looks after the harbour office.", thread="child")
    with of_agent(supervised, "worker", "child") as worker:
        built = worker.build_context()
        assert "PostgreSQL 17" in built.system
        assert "looks after the harbour office" in built.system
    with of_agent(supervised, "clerk", "child") as clerk, pytest.raises(RequestFailed, match="its own session"):
        clerk.summarize_conversation(1, 2, session="child")
    with of_agent(supervised, "stranger", "s9") as stranger:
        say(stranger)
    with of_agent(supervised, "boss", "top") as boss, pytest.raises(RequestFailed, match="its own session"):
        boss.turn_summaries("s9")


def test_messages_begin_with_when_they_were_said_where_that_is_set(supervised: RunningDaemon) -> None:
    with of_agent(supervised, "anybody", "stamped") as client:
        at = datetime(2026, 1, 17, 9, 30, tzinfo=UTC)
        client.append(
            [
                Entry(id="q", role="user", content="When does the ferry leave?", at=at),
                Entry(id="c", kind="tool_call", content="{}", name="timetable", call_id="t1"),
                Entry(id="r", kind="tool_result", content="9:45", call_id="t1"),
                Entry(id="a", role="assistant", content="At a quarter to ten.", at=at),
            ]
        )
        built = client.build_context(400)
        assert [entry.content for entry in built.entries] == [
            "[2026-01-17T09:30:00Z] When does the ferry leave?",
            "{}",
            "9:45",
            "[2026-01-17T09:30:00Z] At a quarter to ten.",
        ]
        client.append([Entry(id=f"m{n}", role="user", content=f"And the ferry number {n}?") for n in range(60)])
        assert client.build_context(400).tokens <= 400
        whole = client.build_context(4_000, turns=100).tokens
        assert f", {whole} of 4000 tokens" in client.status().components["context"].facts["anybody"]
        short = client.build_context(whole - 200)
        assert "usage" in [section.kind for section in short.sections]


def test_a_context_says_how_full_it_is_in_itself_as_an_event_and_in_the_status(supervised: RunningDaemon) -> None:
    heard: list[ContextFilled] = []

    def listen() -> None:
        with of_agent(supervised, "listener", "") as listener:
            for event in listener.events(timeout_s=60):
                listening.set()
                if isinstance(event, ContextFilled):
                    heard.append(event)
                    return

    listening = Event()
    thread = Thread(target=listen)
    thread.start()
    with of_agent(supervised, "talker", "full") as client:
        until(lambda: client.remember("Something happens.") and listening.wait(0.05), "somebody who listens")
        client.append([Entry(id="m0", role="user", content="Hello there.")])
        assert [section.kind for section in client.build_context(2_000).sections] == []
        client.append([Entry(id=f"m{n}", role="user", content=f"The ferry number {n} is late.") for n in range(1, 90)])
        size = client.build_context(20_000, turns=100).tokens
        (usage,) = client.build_context(int(size / 0.8)).sections
        assert usage.kind == "usage"
        assert re.match(r"\[Context: (79|80)% used, \d+ of \d+ tokens\.\] \[summarize_conversation tells", usage.text)
        thread.join(60)
        # Of which session it was is told to nobody where an agent has an allowlist.
        assert [(one.session, one.agent, one.percent in {79, 80}) for one in heard] == [("", "", True)]
        assert re.match("(79|80)% used, ", client.status().components["context"].facts["talker"])
        (usage,) = client.build_context(size // 2).sections
        assert usage.text.startswith("[Context: full. Of ")
