"""Contents that are huge or no text at all, and a hundred sessions at once."""

import os
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from memoryd_client import Entry, Message
from memoryd_client.entries import entry
from running import RunningDaemon, until

HUGE = 30_000_000
SESSIONS = 100
FEW_FILES = 200
TURNS = 4


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    running = RunningDaemon(short_home, models)
    # As many as some shells allow: fewer than a hundred clients take.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FEW_FILES, hard), hard))
    try:
        running.launch()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        running.wait()
        yield running
    finally:
        running.kill()


@pytest.mark.slow
def test_tool_results_of_tens_of_megabytes_are_kept_by_their_beginnings_and_cost_no_such_memory(
    daemon: RunningDaemon,
) -> None:
    assert daemon.process is not None
    process = psutil.Process(daemon.process.pid)
    result = "FAILED tests/test_login.py::test_expiry\n" + "." * HUGE
    with daemon.client("s1") as client:
        client.append([Entry(content="good morning", role="user")])
        client.append([Entry(id="huge-0", kind="tool_result", name="make", content=result)])
        # Model and index are there now, and have had one of them.
        until(lambda: client.search_messages("which test failed?", by="meaning").found, "the first one to be found")
        before = process.memory_info().rss
        for number in range(1, 5):
            client.append([Entry(id=f"huge-{number}", kind="tool_result", name="make", content=result)])
        client.push_acknowledged([Message("user", "what failed?"), Message("tool", result)])
        until(lambda: client.messages(limit=1).last >= 7, "the push to be written down")
        # So much is compacted in the background: the summary is an entry, too.
        last = client.messages(limit=1).last
        said = [client.messages(after=number, limit=1).entries[0] for number in range(last)]
        huge = [one for one in said if one.id.startswith("huge-")]
        assert [one.id for one in huge] == [f"huge-{number}" for number in range(5)]
        assert all(one.content.startswith("FAILED tests/test_login.py") for one in huge)
        assert all(one.size == len(result) and len(one.content) < 300_000 for one in huge)
        # Less than these four would take, with all else that is loaded meanwhile.
        assert process.memory_info().rss - before < 4 * HUGE
        found = client.search_messages("which test of the login failed?", session="s1")
        assert found.found
        assert client.ping().ready


@pytest.mark.slow
def test_what_is_no_text_is_kept_as_far_as_it_is_one(daemon: RunningDaemon) -> None:
    noise = os.urandom(200_000)
    with daemon.client("s1") as client:
        client.append([entry(noise, kind="tool_result", name="cat"), entry(b"\x00\x00 after \xff\xfe", role="user")])
        client.push_acknowledged(
            [Message("tool", noise.decode("latin-1")), Message("user", "\0 half a pair \ud800 ok")]
        )
        until(lambda: client.messages(limit=1).entries[0].content.endswith("ok"), "the push to be written down")
        contents = [one.content for one in client.messages(limit=10).entries]
        assert any("after" in one for one in contents)
        assert "half a pair" in contents[-1]
        client.save_checkpoint("run", noise)
        found = client.load_checkpoint("run")
        assert found is not None
        assert found.data == noise
    daemon.kill()
    daemon.start()
    with daemon.client("s1") as client:
        assert [one.content for one in client.messages(limit=10).entries] == contents


@pytest.mark.slow
def test_a_hundred_sessions_at_once_have_all_that_was_said_once_and_in_order(daemon: RunningDaemon) -> None:
    def play(session: int) -> None:
        with daemon.client(f"many-{session}") as client:
            for turn in range(TURNS):
                said = [Message("user", f"{session} pushes {turn}"), Message("assistant", f"{session} hears {turn}")]
                client.append([Entry(id=f"{turn}", content=f"{session} appends {turn}", role="user")])
                client.push_acknowledged(said)
                client.save_checkpoint(f"run-{session}", b"%d" % turn, expected=turn)
                built = client.build_context(8_000)
                assert f"{session} appends {turn}" in [one.content for one in built.entries]
            client.end_session()

    with ThreadPoolExecutor(SESSIONS) as threads:
        list(threads.map(play, range(SESSIONS)))

    def of(session: int) -> list[str]:
        with daemon.client(f"many-{session}") as client:
            return [one.content for one in client.messages(limit=100).entries]

    for session in range(SESSIONS):
        expected = [f"{session} {what} {turn}" for turn in range(TURNS) for what in ("appends", "pushes", "hears")]
        # The session has ended: what was pushed before that is written down.
        assert of(session) == expected
    with daemon.client() as client:
        assert client.status().components["transcripts"].numbers["dropped"] == 0
        assert len(client.list_checkpoints(limit=1000)) == SESSIONS * TURNS
