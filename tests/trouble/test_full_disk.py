"""No space, no right to write: what is told, what is kept, and that it goes on once there is room."""

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoryd_client import Client, Entry, Message, RequestFailed
from running import RunningDaemon, until

SAID = "remember that the spare key hangs behind the blue door"


@contextmanager
def no_space(folder: Path) -> Generator[None]:
    """Fill a file system to its last byte, also for whoever still has room in a page of its own."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            with pytest.raises(OSError, match="No space"):
                while True:
                    file.write(b"\0" * size)
    yield
    filler.unlink()


def refused(client: Client, number: int) -> RequestFailed | None:
    try:
        client.append([Entry(id=f"full-{number}", content="x" * 20_000)])
    except RequestFailed as failure:
        return failure
    return None


def lines_of(home: Path) -> list[str]:
    """Every line of every transcript, each of which has to be whole."""
    return [
        json.loads(line)["id"]
        for file in sorted(home.rglob("session.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def test_on_a_full_disk_everything_is_refused_with_the_reason_and_nothing_acknowledged_is_lost(
    tiny_disk: Path, models: Path
) -> None:
    with RunningDaemon(tiny_disk, models) as daemon, daemon.client("s1") as client:
        client.append([Entry(id=f"before-{number}", content=f"number {number}") for number in range(20)])
        client.save_checkpoint("run", b"before")
        client.core_set("context", "before")
        with no_space(tiny_disk):
            failure = until(lambda: refused(client, 0), "the disk to be full for the transcript")
            assert failure.code == "disk_full"
            assert str(daemon.paths.transcripts) in str(failure)
            assert failure.hint
            with pytest.raises(RequestFailed) as kept:
                client.save_checkpoint("run", b"x" * 1_000_000)
            assert kept.value.code == "disk_full"
            # A push that is not waited for is never refused: what it brings is written down when it comes again and
            # there is room. Whoever waits is told.
            assert client.push_context([Message("user", SAID)])
            with pytest.raises(RequestFailed) as pushed:
                client.push_acknowledged([Message("user", SAID), Message("assistant", "y" * 20_000)])
            assert pushed.value.code == "disk_full"
            until(lambda: client.status().components["transcripts"].state == "degraded", "status to say so")
            assert client.status().components["transcripts"].hint
            assert [one.id for one in client.messages(limit=100).entries][:20] == [f"before-{n}" for n in range(20)]
            assert [one.text for one in client.core_view() if one.text] == ["before"]
            assert client.ping().ready
        # The same request again, as after any refusal.
        assert client.append([Entry(id="full-0", content="x" * 20_000)]).stored == 1
        assert client.save_checkpoint("run", b"after", expected=1).version == 2
        client.push_acknowledged([Message("user", SAID), Message("assistant", "Noted.")])
        assert client.messages(limit=1).entries[0].content == "Noted."

        def remembered() -> bool:
            return any("spare key" in memory.content for memory in client.list())

        until(remembered, "what was asked for to be remembered")
        until(lambda: client.status().components["transcripts"].state == "ok", "all to be well again")
        ids = [one.id for one in client.messages(limit=100).entries]
        assert len(ids) == len(set(ids)) == 23
        assert {SAID, "Noted."} <= {one.content for one in client.messages(limit=100).entries}
        daemon.kill()
        assert lines_of(tiny_disk) == ids
        daemon.start()
        assert [one.id for one in client.messages(limit=100).entries] == ids
        assert [one.session for one in client.sessions()] == ["s1"]


@pytest.mark.slow
def test_in_a_home_that_may_only_be_read_it_does_not_start_says_why_and_leaves_all_as_it_is(
    tiny_disk: Path, models: Path
) -> None:
    with RunningDaemon(tiny_disk, models) as daemon:
        with daemon.client("s1") as client:
            stored = client.remember("The scheduler runs every seven minutes.")
            client.append([Entry(content="good morning", role="user")])
        assert daemon.stop() == 0
        _remount(tiny_disk, "ro")
        process = daemon.launch()
        _, stderr = process.communicate(timeout=60)
        daemon.process = None
        _remount(tiny_disk, "rw")
        assert process.returncode == 1
        assert "Traceback" not in stderr.decode()
        assert str(tiny_disk) in stderr.decode()
        daemon.start()
        with daemon.client("s1") as client:
            assert client.get(stored.id).content == stored.content
            assert [one.content for one in client.messages().entries] == ["good morning"]


def _remount(folder: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", str(folder)], check=True, capture_output=True)
