"""What was said, at a real daemon: killed while it writes, full of secrets, a hundred sessions at once, searched."""

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal

import pytest

from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded, Entry, Message, RequestFailed
from memoryd_client.entries import entry
from memoryd_client.wire.transcripts import SearchMessages
from running import RunningDaemon, until

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BY: tuple[Literal["both", "meaning", "words"], ...] = ("both", "meaning", "words")
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def daemon(models: Path) -> Iterator[RunningDaemon]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


def files_with(home: Path, needle: bytes) -> list[str]:
    return [str(file) for file in sorted(home.rglob("*")) if file.is_file() and needle in file.read_bytes()]


def test_what_is_pushed_in_a_tight_loop_is_all_there_in_its_order(daemon: RunningDaemon) -> None:
    said = [f"number {n}" for n in range(1_000)]
    with daemon.client("tight") as client:
        assert all(client.push_context([Message(role="user", content=text)]) for text in said)
        until(lambda: len(client.messages(limit=1000).entries) >= len(said), "all of them")
        found = client.messages(limit=1000).entries
    assert [one.content for one in found] == said


@pytest.mark.parametrize("text", ["abc de " * 50_000 + "the end", "für ä " * 50_000 + "das Ende"])
def test_a_message_too_long_for_a_push_is_there_once_however_it_was_cut(daemon: RunningDaemon, text: str) -> None:
    session = "long " + text[-3:]
    huge, later = Message(role="user", content=text), [Message(role="assistant", content="I have read it.")]
    with daemon.client(session) as client:
        for _ in range(3):
            client.push_acknowledged([huge, *later])
            later.append(Message(role="user", content=f"And then, {len(later)}?"))
        client.append([Entry(content="the last")])
        found = client.messages(limit=100).entries
    assert [one.content for one in found[1:]] == [*(one.content for one in later[:-1]), "the last"]
    assert len(found[0].content) > 50_000


def test_a_message_that_memory_was_appended_to_is_the_same_message(daemon: RunningDaemon) -> None:
    question = "Why does the login test fail?  "
    recalled = '<recalled-memories source="memoryd">\n- Tokens expire in UTC.\n</recalled-memories>'
    with daemon.client("appended to") as client:
        client.push_acknowledged([Message(role="user", content=question)])
        client.push_acknowledged(
            [
                Message(role="user", content=f"{question}\n\n{recalled}"),
                Message(role="assistant", content="Because of the time zone."),
                Message(role="user", content="And now?"),
            ]
        )
        client.append([Entry(content="the last")])
        found = client.messages(limit=100).entries
    assert [one.content.strip() for one in found] == [
        question.strip(),
        "Because of the time zone.",
        "And now?",
        "the last",
    ]


def test_what_is_appended_between_pushes_stands_between_them(daemon: RunningDaemon) -> None:
    with daemon.client("between") as client:
        for n in range(20):
            client.push_acknowledged([Message(role="user", content=f"pushed {n}")])
            client.push_acknowledged([Message(role="assistant", content=f"pushed again {n}")])
            client.append([Entry(content=f"appended {n}")])
        found = client.messages(limit=100).entries
    kinds = ("pushed", "pushed again", "appended")
    assert [one.content for one in found] == [f"{kind} {n}" for n in range(20) for kind in kinds]


@pytest.mark.slow
def test_after_kill_9_at_any_moment_every_message_is_there_once(short_home: Path, models: Path) -> None:
    acknowledged: list[str] = []
    done = Event()
    with RunningDaemon(short_home, models) as daemon:

        def write() -> None:
            with daemon.client("s1") as client:
                number = 0
                while not done.is_set():
                    one = Entry(id=f"entry-{number}", content=f"number {number}")
                    try:
                        client.append([one])
                    except (DaemonUnreachable, DeadlineExceeded):
                        continue  # the same one again: it may have been stored
                    acknowledged.append(one.content)
                    number += 1

        def reached(count: int) -> None:
            until(lambda: len(acknowledged) >= count, "twenty more")

        writer = Thread(target=write)
        writer.start()
        for _ in range(4):
            reached(len(acknowledged) + 20)
            daemon.kill()
            daemon.start()
        done.set()
        writer.join()
        with daemon.client("s1") as client:
            entries = client.messages(limit=1000).entries
            last = client.messages(limit=1).last
    assert [one.content for one in entries] == acknowledged[-1000:]
    assert last == len(acknowledged)


def test_no_secret_and_nothing_private_reaches_the_disk(daemon: RunningDaemon) -> None:
    with daemon.client("secrets") as client:
        client.append(
            [
                Entry(content=f"my key is {KEY}", role="user"),
                Entry(content="hello <private>quokkabanana</private>", role="user"),
                Entry(kind="tool_result", content=f"TOKEN={KEY}\nquokka<private>banana"),
                Entry(kind="tool_call", content=f'{{"token": "{KEY}"}}'),
            ]
        )
        client.push_acknowledged([Message("user", f"pushed {KEY} <private>quokkabanana</private>")])
        until(lambda: client.messages().last == 5, "the push to be written")
        until(lambda: client.search_messages("my key is", session="secrets").found, "the messages to be found")
    assert files_with(daemon.home, b"redacted:github-token")
    assert files_with(daemon.home, KEY[4:].encode()) == []
    assert files_with(daemon.home, b"quokkabanana") == []


def test_a_conversation_that_is_pushed_turn_by_turn_is_written_down_once(daemon: RunningDaemon) -> None:
    said = [Message("user" if n % 2 == 0 else "assistant", "yes" if n % 4 == 0 else f"message {n}") for n in range(40)]
    with daemon.client("pushed") as client:
        for end in range(1, 41, 3):
            client.push_acknowledged(said[max(0, end - 12) : end])
        client.append([Entry(content="message 38", role="user"), Entry(content="all new", role="user")])
        client.push_acknowledged(
            [*said[-6:], Message("user", "all new"), Message("assistant", "half a rep")], trigger="output"
        )
        client.push_acknowledged([*said[-6:], Message("user", "all new"), Message("assistant", "half a reply")])
        until(lambda: client.messages().entries[-1].content == "half a reply", "the pushes to be written")
        found = [(one.role, one.content) for one in client.messages(limit=1000).entries]
    assert found == [*((one.role, one.content) for one in said), ("user", "all new"), ("assistant", "half a reply")]


def test_a_hundred_sessions_at_once_have_each_its_own(daemon: RunningDaemon) -> None:
    def play(session: int) -> list[str]:
        with daemon.client(f"many-{session}") as client:
            for number in range(5):
                client.append([Entry(content=f"{session} says {number}", role="user")])
            return [one.content for one in client.messages().entries]

    with ThreadPoolExecutor(20) as threads:
        found = list(threads.map(play, range(100)))
    assert found == [[f"{session} says {number}" for number in range(5)] for session in range(100)]
    with daemon.client() as client:
        listed = client.sessions(limit=1000)
    assert {f"many-{session}" for session in range(100)} <= {one.session for one in listed}


def test_an_index_in_which_a_search_comes_upon_damage_begins_anew_by_itself(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon, daemon.client("s1") as client:
        client.append([Entry(role="user", content="The buoy of the harbour is red.")])
        until(lambda: client.search_messages("buoy of the harbour").found, "the message to be found")
        for data in short_home.rglob("messages.lance/data/*"):
            data.unlink()
        with pytest.raises(RequestFailed, match="is damaged"):
            client.search_messages("buoy of the harbour")

        def found_again() -> bool:
            try:
                return bool(client.search_messages("buoy of the harbour").found)
            except RequestFailed:
                return False

        until(found_again, "the index to be there again")


def found_in_the_end(client: Client, session: str) -> None:
    """Wait until all of a session is indexed: a search waits for it, but not while a model loads on a busy machine."""
    until(lambda: client.search_messages("anything", session=session).note == "", "everything indexed")


def test_messages_are_found_by_each_criterion(daemon: RunningDaemon) -> None:
    with daemon.client("harbour") as client:
        client.append([Entry(content=f"Small talk about the weather, {n}", role="user", at=DAY) for n in range(30)])
        client.append([Entry(content="The port captain hides his key below a blue stone", role="user", at=DAY)])
        client.append([Entry(content="Noted: xylophone", role="assistant", at=DAY + timedelta(days=1))])
        client.append([Entry(kind="tool_result", content="exit code 0", name="make", at=DAY + timedelta(days=2))])

        def found(query: str = "", **sought: Any) -> list[str]:
            hits = client.search_messages(query, limit=5, **{"session": "harbour", **sought}).found
            return [hit.record.content for hit in hits]

        asked = "where does the harbour master keep what opens his door?"
        # What was said while the model was loading is found by its words first, and by its meaning a little later.
        assert until(lambda: found(asked, by="meaning") or None, "vectors of all messages")[0].startswith("The port")
        assert found("xylophone", by="words") == ["Noted: xylophone"]
        assert found("xylophone")[0] == "Noted: xylophone"
        assert found("who hides what below a blue stone?")[0].startswith("The port")
        assert found("xylophone", session="elsewhere") == []
        assert found(since="2026-03-02T00:00:00+00:00") == ["exit code 0", "Noted: xylophone"]
        assert found(since="2026-03-02T00:00:00", until="2026-03-03T00:00:00") == ["Noted: xylophone"]
        assert found(role="assistant") == ["Noted: xylophone"]
        assert found(kind="tool_result") == ["exit code 0"]
        assert found("weather", by="words", since="2026-03-02T00:00:00+00:00") == []
        pages = [client.search_messages("weather", session="harbour", limit=12, offset=n) for n in (0, 12, 24)]
        seen = [hit.record.sequence for page in pages for hit in page.found]
        assert len(seen) == len(set(seen))
        assert set(range(1, 31)) <= set(seen)
        assert [page.next for page in pages] == [12, 24, None]
        assert client.search_messages(session="harbour", limit=33).next is None
        # One word in common is not enough, where only what has to do with a query is asked for.
        nonsense = "talk of periscope calibration in Liechtenstein 1987"
        assert found(nonsense)
        wanted = SearchMessages(query=nonsense, session="harbour", related=True)
        none = client.call(wanted, 20.0)
        assert (none.found, none.left_out, none.next) == ((), 10, None)
        wanted = SearchMessages(query="who hides what below a blue stone?", session="harbour", related=True)
        assert client.call(wanted, 20.0).found[0].record.content.startswith("The port")


def test_the_pages_of_a_search_have_every_message_once(daemon: RunningDaemon) -> None:
    with daemon.client("paged") as client:
        for begin in range(0, 300, 50):
            some = range(begin, begin + 50)
            client.append(
                [Entry(content=f"The family goes to lake {n} with {n % 7} boats.", role="user") for n in some]
            )
        found_in_the_end(client, "paged")
        for by in BY:
            seen: list[int] = []
            offset: int | None = 0
            while offset is not None:
                page = client.search_messages("family in boats", session="paged", by=by, limit=60, offset=offset)
                seen += [hit.record.sequence for hit in page.found]
                scores = [hit.score for hit in page.found]
                assert scores == sorted(scores, reverse=True)
                offset = page.next
            # By their words they are all alike.
            assert sorted(seen) == list(range(1, 301)), by


def test_who_pushes_only_the_newest_message_may_say_the_same_again(daemon: RunningDaemon) -> None:
    said = ["yes", "explain it", "yes", "yes, and the other?", "continue", "fine", "continue"]
    with daemon.client("terse") as client:
        for turn, one in enumerate(said, 1):
            client.push_acknowledged([Message("user", one)], turn=turn)
            client.push_acknowledged([Message("user", one)], turn=turn)  # the same turn, told twice
        found = until(
            lambda: client.messages().entries if len(client.messages().entries) >= len(said) else None, "all of them"
        )
        assert [one.content for one in found] == said


def test_a_transcript_is_read_in_pages_in_both_directions(daemon: RunningDaemon) -> None:
    with daemon.client("pages") as client:
        client.append([Entry(content=str(n), role="user") for n in range(1, 11)])
        assert [one.sequence for one in client.messages(limit=3).entries] == [8, 9, 10]
        assert [one.sequence for one in client.messages(before=8, limit=3).entries] == [5, 6, 7]
        assert [one.sequence for one in client.messages(after=8).entries] == [9, 10]
        assert [one.sequence for one in client.messages(after=2, before=5).entries] == [3, 4]
        assert client.messages("nobody's").entries == ()


def test_huge_and_binary_contents_are_kept_as_far_as_there_is_room(daemon: RunningDaemon) -> None:
    with daemon.client("huge") as client:
        huge = "line of output\n" * 400_000
        done = client.append(
            [
                Entry(kind="tool_result", content=huge, name="make"),
                entry(bytes(range(256)) * 10, kind="tool_result"),
                Entry(content="a\x00b \udcff\ud83d\ude00", role="user"),
            ]
        )
        assert done.stored == 3
        first, second, third = client.messages().entries
        assert first.size == len(huge)
        assert first.content.endswith(f"[cut: {len(huge)} characters in all]")
        assert len(first.content) < 257_000
        assert "\ufffd" in second.content
        assert third.content == "a\x00b \ufffd😀"
        found = until(lambda: client.search_messages("output", session="huge", by="words").found, "it to be found")
        assert found[0].record.size == len(huge)


def test_what_belongs_to_no_session_is_refused_or_left_alone(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        with pytest.raises(RequestFailed, match="belongs to a session"):
            client.append([Entry(content="hello")])
        client.push_acknowledged([Message("user", "said by nobody in particular")])
        assert "" not in {one.session for one in client.sessions(limit=1000)}


def test_a_purged_session_leaves_no_byte_and_the_others_stay(daemon: RunningDaemon) -> None:
    with daemon.client("gone") as client:
        client.append([Entry(content="the wombatcoconut is in the cellar", role="user")])
        until(lambda: client.search_messages("wombatcoconut", by="words").found, "it to be found")
        assert files_with(daemon.home, b"wombatcoconut")
        assert client.purge_session("gone") == "1 entry destroyed"
        assert files_with(daemon.home, b"wombatcoconut") == []
        assert client.search_messages("wombatcoconut", by="words").found == ()
    with daemon.client("stays") as client:
        client.append([Entry(content="the pangolinmango is in the attic", role="user")])
        until(lambda: client.search_messages("pangolinmango", by="words").found, "it to be found")


@pytest.mark.slow
def test_an_index_that_was_deleted_comes_back_with_the_next_start(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client("s1") as client:
            client.append([Entry(content="the narwhal is asleep", role="user")])
            assert client.search_messages("narwhal", by="words").found
        daemon.kill()
        shutil.rmtree(daemon.paths.messages_index)
        daemon.start()
        with daemon.client("s1") as client:
            found = client.search_messages("narwhal", by="words").found
        assert found[0].record.content == "the narwhal is asleep"


def test_without_a_model_words_and_dates_still_find_what_was_said(short_home: Path, tmp_path: Path) -> None:
    settings = {"MEMORYD_EMBEDDING_FOLDER": str(tmp_path), "MEMORYD_PRIVACY_OFFLINE": "true"}
    with RunningDaemon(short_home, tmp_path, **settings) as daemon, daemon.client("s1") as client:
        client.append([Entry(content="the narwhal is asleep", role="user"), Entry(content="noted", role="assistant")])
        assert [hit.record.sequence for hit in client.search_messages("narwhal", by="words").found] == [1]
        assert [hit.record.sequence for hit in client.search_messages(since="2026-01-01T00:00:00").found] == [2, 1]


@pytest.mark.slow
def test_with_from_push_off_a_push_leaves_no_transcript(short_home: Path, models: Path) -> None:
    off = {"MEMORYD_TRANSCRIPTS_FROM_PUSH": "false"}
    with RunningDaemon(short_home, models, **off) as daemon, daemon.client("s1") as client:
        daemon.turn(client, "nothing of this is written down")
        assert client.messages().entries == ()
