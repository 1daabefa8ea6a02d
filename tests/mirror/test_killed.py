"""kill -9 at any moment, while both sides are written to: nothing is lost, and both say the same afterwards."""

import time
from pathlib import Path

import pytest

from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded
from memoryd_client.base.errors import RequestFailed
from running import RunningDaemon, until


def mirrored(client: Client) -> bool:
    found = client.mirrors()
    return bool(found) and found[0].state == "ok"


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(short_home: Path, models: Path, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    written: list[str] = []
    acknowledged: list[str] = []
    with RunningDaemon(short_home, models) as daemon:
        with daemon.client() as client:
            client.mirror(folder)
            until(lambda: mirrored(client), "the mirror to begin")
        for kill in range(2):
            with daemon.client() as client:
                for number in range(40):
                    path = folder / "demo" / "fact" / f"Kill {kill} file {number}.md"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(f"The house {kill} of street {number} is painted blue.\n")
                    written.append(path.read_text().strip())
                for number in range(4):
                    text = f"The garden {kill} behind wall {number} has pear trees."
                    try:
                        client.remember(text)
                    except (DaemonUnreachable, DeadlineExceeded, RequestFailed):
                        break
                    acknowledged.append(text)
                time.sleep(0.15 + 0.5 * kill)  # into the settling, the taking and the writing
                daemon.kill()
            daemon.start()
        with daemon.client() as client:

            def together() -> bool:
                there = {one.content for one in client.list(limit=500)}
                return mirrored(client) and there >= {*written, *acknowledged}

            until(together, "folder and memory to be together again")
            files = {path: path.read_text() for path in folder.glob("*/*/*.md")}
            assert len(files) == len(written) + len(acknowledged)
            for text in (*written, *acknowledged):
                assert sum(text in file for file in files.values()) == 1
            assert not list(folder.glob("**/*.conflict-*"))
            assert not client.mirrors()[0].not_taken
