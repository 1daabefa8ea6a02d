"""What was said long ago gives way to a summary: at a real daemon, killed while it does so."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded, Entry, Memory, Message, RequestFailed
from memoryd_client.wire.session_context import SUMMARY_OPENING
from memoryd_client.wire.transcripts import TranscriptRecord
from running import RunningDaemon, until

SMALL = {
    "MEMORYD_CONTEXT_COMPACT_FROM": "2000",
    "MEMORYD_CONTEXT_SOFT_LIMIT": "1500",
    "MEMORYD_CONTEXT_HARD_LIMIT": "4000",
    "MEMORYD_CONTEXT_PROTECTED": "400",
    "MEMORYD_CONTEXT_SUMMARY_TOKENS": "200",
}
ABOUT = (
    "the harbour wall",
    "the north tower",
    "the ferry to Lund",
    "the old ledger",
    "the brass clock",
    "the garden gate",
)


@pytest.fixture(scope="module")
def daemon(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models, **SMALL) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


def turn(number: int) -> list[Entry]:
    what = ABOUT[number % len(ABOUT)]
    return [
        Entry(
            id=f"u{number}", role="user", content=f"In round {number} we decided to paint {what} in colour {number}?"
        ),
        Entry(id=f"a{number}", role="assistant", content=f"Then {what} gets colour {number} before Friday, all of it."),
    ]


def talk(begin: int, end: int) -> list[Entry]:
    return [entry for number in range(begin, end) for entry in turn(number)]


def summaries(client: Client, session: str) -> list[Memory]:
    return [one for one in client.list(category="session_summary", limit=1000) if one.session == session]


def test_a_conversation_is_compacted_by_itself_when_it_has_grown_too_long(daemon: RunningDaemon) -> None:
    with daemon.client("grows") as client:
        client.append(talk(0, 20))
        assert client.build_context(1_000).pressure == "none"
        assert client.build_context(1_000).last_summarized == 0
        client.append(talk(20, 80))
        (info,) = until(
            lambda: [one for one in client.sessions() if one.session == "grows" and one.summarized] or None,
            "the compaction",
        )
        built = client.build_context(1_500)
        assert built.pressure == "none"
        assert 400 <= built.uncompacted < 460
        assert built.last_summarized == info.summarized
        # 160 entries and the summary; of each turn two.
        assert built.last_summarized_turn == info.last_summarized_turn
        assert info.summarized in {2 * built.last_summarized_turn, 2 * built.last_summarized_turn - 1}
        summary = next(section for section in built.sections if section.kind == "summary")
        assert SUMMARY_OPENING in summary.text
        assert "Quoted from the conversation" in summary.text
        assert built.entries[0].sequence > info.summarized
        # Nothing is deleted: what is archived is read and found as before.
        assert [one.content for one in client.messages(after=0, limit=2).entries] == [one.content for one in turn(0)]
        assert client.search_messages("paint colour 0 round 0", session="grows").found[0].record.sequence <= 160
        (memory,) = until(lambda: summaries(client, "grows") or None, "the memory")
        assert memory.source_messages == (1, info.summarized)
        assert memory.content.split("\n", 1)[1] in client.messages(limit=1000).entries[info.summary - 1].content


def test_on_request_it_is_done_at_once_and_twice_changes_nothing(daemon: RunningDaemon) -> None:
    with daemon.client("asked") as client:
        client.append(talk(0, 25))
        first = client.compact()
        assert first.entries > 0
        assert 400 <= first.tokens_after < 460 < first.tokens_before
        assert first.summary.startswith(SUMMARY_OPENING)
        before = (client.messages(limit=1000), summaries(client, "asked"))
        again = client.compact()
        assert again.entries == 0
        assert again.summary == first.summary
        assert (client.messages(limit=1000), summaries(client, "asked")) == before


def test_a_result_that_comes_late_keeps_nothing_from_being_sent_or_archived(daemon: RunningDaemon) -> None:
    with daemon.client("late") as client:
        call = Entry(kind="tool_call", content='{"suite":"all"}', name="run", call_id="c1")
        client.append([call, *talk(0, 25), Entry(kind="tool_result", content="all passed", name="run", call_id="c1")])
        built = client.build_context(1_000)
        assert built.tokens <= 1_000
        assert len(built.entries) > 20
        assert built.messages()[-1] == {
            "role": "user",
            "content": [{"type": "text", "text": "[tool result run] all passed"}],
        }
        done = client.compact()
        assert done.entries > 20
        assert 400 <= done.tokens_after < 460
        assert client.compact().entries == 0


def test_a_later_summary_builds_on_the_one_before_and_takes_its_place(daemon: RunningDaemon) -> None:
    with daemon.client("later") as client:
        client.append(talk(0, 20))
        first = client.compact()
        client.append(talk(20, 45))
        second = client.compact()
        assert second.last_summarized > first.last_summarized
        assert second.last_summarized_turn > first.last_summarized_turn
        assert set(first.summary.split("\n")[2:]) & set(second.summary.split("\n")[2:])
        (memory,) = summaries(client, "later")
        assert memory.source_messages == (1, second.last_summarized)
        states = client.list(category="session_summary", states=("superseded",), limit=1000)
        assert [one.source_messages for one in states if one.session == "later"] == [(1, first.last_summarized)]


def test_a_summary_is_nothing_that_was_said(daemon: RunningDaemon) -> None:
    with daemon.client("echo") as client:
        said = talk(0, 20)
        client.append(said)
        done = client.compact()
        last = client.messages(limit=1).last
        assert client.search_messages(done.summary, session="echo", role="system").found == ()
        # An agent that sends the summary on pushes it back; and the messages around it are known still.
        client.push_acknowledged(
            [
                Message("system", done.summary),
                *(Message(one.role, one.content) for one in said[-6:]),
                Message("user", "and what now?"),
            ]
        )
        until(lambda: client.messages(limit=1).last > last, "the push to be written")
        assert client.messages(limit=1).last == last + 1
        assert client.append([Entry(role="system", content=done.summary)]).left_out == 1


def test_with_a_transcript_the_memories_that_tell_it_are_destroyed(daemon: RunningDaemon) -> None:
    with daemon.client("gone") as client, daemon.client("stays") as other:
        for one in (client, other):
            one.append(talk(0, 20))
            one.compact()
        assert summaries(client, "gone")
        client.purge_session("gone")
        assert summaries(client, "stays")
        assert summaries(client, "gone") == []
        assert client.build_context(500).last_summarized == 0
        assert client.build_context(500).entries == ()


def test_a_short_conversation_and_one_of_another_owner_stay_as_they_are(daemon: RunningDaemon) -> None:
    with daemon.client("short") as client:
        client.append(talk(0, 2))
        done = client.compact()
        assert (done.entries, done.summary) == (0, "")
    with daemon.client("grows", owner="them") as client:
        client.append(talk(0, 1))
        assert client.compact().last_summarized == 0


@pytest.mark.slow
def test_after_kill_9_at_any_moment_every_message_is_there_once_and_no_summary_is_half_or_double(
    short_home: Path, models: Path
) -> None:
    acknowledged: list[str] = []
    done = Event()
    with RunningDaemon(short_home, models, **SMALL) as daemon:

        def write() -> None:
            with daemon.client("s1") as client:
                number = 0
                while not done.is_set():
                    try:
                        client.append(turn(number))
                    except (DaemonUnreachable, DeadlineExceeded):
                        continue  # the same ones again: they may have been stored
                    acknowledged.extend(one.content for one in turn(number))
                    number += 1

        def covered() -> int:
            (file,) = short_home.rglob("session.jsonl")
            marks = [json.loads(line).get("covers", 0) for line in file.read_bytes().splitlines() if b"covers" in line]
            return len(marks)

        writer = Thread(target=write)
        writer.start()
        until(lambda: len(acknowledged) > 10, "the first turns")
        for round_ in range(4):
            # Within a compaction as a rule: they come one after the other while somebody writes.
            until(lambda round_=round_: covered() > round_, "a compaction")  # type: ignore[misc]
            daemon.kill()
            daemon.start()
        done.set()
        writer.join()
        with daemon.client("s1") as client:
            entries: list[TranscriptRecord] = []
            after = 0
            while page := client.messages(after=after, limit=1000).entries:
                entries += page
                after = page[-1].sequence
            # The job goes on by itself.
            until(lambda: client.build_context(500).pressure == "none", "the last compaction")
            newest = client.compact()
            (memory,) = until(
                lambda: (
                    [one for one in summaries(client, "s1") if one.source_messages == (1, newest.last_summarized)]
                    or None
                ),
                "the memory of the last summary",
            )
            assert [one.id for one in summaries(client, "s1")] == [memory.id]
    said = [one for one in entries if not one.covers]
    assert [one.content for one in said] == acknowledged
    marks = [one.covers for one in entries if one.covers]
    assert marks == sorted(set(marks))
    assert len(marks) >= 4
    for one in entries:
        if one.covers:
            assert one.content.startswith(SUMMARY_OPENING)
            assert one.covers < one.sequence
            assert one.turns == sum(other.role == "user" for other in said if other.sequence <= one.covers)


@pytest.mark.slow
def test_what_was_summarised_when_the_daemon_died_becomes_a_memory_after_the_start(
    short_home: Path, models: Path
) -> None:
    with RunningDaemon(short_home, models, **SMALL) as daemon:
        with daemon.client("s1") as client:
            client.append(talk(0, 20))
            done = client.compact()
            (memory,) = summaries(client, "s1")
        daemon.stop()
        # As if it had died between the summary and its memory: a second summary stands in the file alone.
        (file,) = short_home.rglob("session.jsonl")
        lines = file.read_bytes().splitlines()
        summary = json.loads(lines[-1])
        assert summary["covers"] == done.last_summarized
        later = summary | {"seq": summary["seq"] + 1, "covers": summary["covers"] + 2, "id": "second"}
        with file.open("ab") as out:
            out.write(json.dumps(later).encode() + b"\n")
        daemon.start()
        with daemon.client("s1") as client:

            def stored() -> list[Memory] | None:
                return [one for one in summaries(client, "s1") if one.id != memory.id] or None

            (new,) = until(stored, "the memory")
            assert new.source_messages == (1, done.last_summarized + 2)
            assert len(summaries(client, "s1")) == 1


@pytest.mark.slow
def test_right_after_a_start_nothing_is_decided_on_estimates(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models, **SMALL | {"MEMORYD_CONTEXT_COMPACT_FROM": "100000"}) as daemon:
        with daemon.client("s1") as client:
            client.append(talk(0, 40))
            done = client.compact()
            assert client.compact().entries == 0
        daemon.stop()
        daemon.start()
        with daemon.client("s1") as client:
            again = client.compact()
            assert (again.entries, again.tokens_before) == (0, done.tokens_after)


def test_where_nobody_can_count_it_is_refused_with_the_way_out(short_home: Path, tmp_path: Path) -> None:
    settings = SMALL | {"MEMORYD_CONTEXT_COMPACT_FROM": "100000", "MEMORYD_EMBEDDING_FOLDER": str(tmp_path / "gone")}
    with RunningDaemon(short_home, tmp_path, **settings) as daemon, daemon.client("s1") as client:
        client.append(talk(0, 40))
        with pytest.raises(RequestFailed, match="gone") as caught:
            client.compact()
        assert caught.value.hint
        assert not [one for one in client.messages(limit=1000).entries if one.covers]
