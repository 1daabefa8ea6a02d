"""The end of a session: what is acknowledged outlives the process, and goes with the session."""

import sqlite3
from pathlib import Path

import pytest

from memoryd_client import RequestFailed
from memoryd_client.wire.transcripts import Entry
from running import RunningDaemon


def ends(daemon: RunningDaemon) -> list[tuple[str, str, int]]:
    with sqlite3.connect(f"file:{daemon.paths.ledger}?mode=ro", uri=True) as ledger:
        return ledger.execute("SELECT owner, session, sequence FROM progress WHERE job = 'ended'").fetchall()


def test_an_acknowledged_end_survives_kill_9(short_home: Path, models: Path) -> None:
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client("s1") as client:
            client.append([Entry(content="one", role="user"), Entry(content="two", role="assistant")])
            assert client.end_session().last == 2
        daemon.kill()
        daemon.start()
        assert ends(daemon) == [("local", "s1", 2)]


def test_leaving_a_client_ends_nothing_and_a_purge_takes_the_end_along(served: RunningDaemon) -> None:
    with served.client("left") as client:
        client.append([Entry(content="one", role="user")])
    with served.client() as client:
        assert "left" not in {session for _, session, _ in ends(served)}
        assert client.end_session("left").last == 1
        assert (served.owner, "left", 1) in ends(served)
        client.purge_session("left")
        assert "left" not in {session for _, session, _ in ends(served)}


def test_an_end_without_a_session_is_refused(served: RunningDaemon) -> None:
    with served.client() as client, pytest.raises(RequestFailed, match="no session to end"):
        client.end_session()
