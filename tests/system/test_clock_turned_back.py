"""The clock goes back by a year while the daemon serves: nothing is lost, nothing stops, and the order stays."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd_client import Entry, Message, State
from running import RunningDaemon, until

_DAEMON = Path(__file__).parent.parent / "clock_moved.py"


class _Moved(RunningDaemon):
    """A daemon whose clock a test turns."""

    def __init__(self, home: Path, models: Path) -> None:
        super().__init__(home, models, CLOCK_MOVED=str(home / "clock"), MEMORYD_LEDGER_BACKUP_HOURS="24")
        self.turn_clock(0)

    def turn_clock(self, days: float) -> None:
        (self.home / "clock").write_text(str(days), encoding="ascii")

    def launch(self) -> "subprocess.Popen[bytes]":
        self.process = subprocess.Popen(
            [sys.executable, str(_DAEMON)], env=self.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        return self.process


@pytest.fixture
def moved(models: Path) -> Iterator[_Moved]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with _Moved(home, models) as running:
        yield running
    shutil.rmtree(home, ignore_errors=True)


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_stops_when_the_clock_goes_back_by_a_year(moved: _Moved) -> None:
    with moved.client("first") as client:
        old = client.remember("The release day is Tuesday.")
        gone = client.remember("The office plant is called Gerald.")
        client.append([Entry(content=f"before {number}", role="user") for number in range(3)])
        client.save_checkpoint("thread", b"before")
        client.core_set("human", "Likes tea.")
        backup = client.backup()

        moved.turn_clock(-365)
        new = client.remember("Lunch is at noon on Fridays.")
        changed = client.update(old.id, content="The release day is Thursday.")
        assert changed.revision == old.revision + 1
        assert {one.id for one in client.list()} == {old.id, gone.id, new.id}
        assert client.search("which day is the release?")[0].id == old.id
        client.append([Entry(content=f"after {number}", role="user") for number in range(3)])
        assert [one.content for one in client.messages().entries] == [
            *(f"before {number}" for number in range(3)),
            *(f"after {number}" for number in range(3)),
        ]
        client.turn([Message(role="user", content="Which day is the release?")])
        traces = until(client.why, "the turn to be decided")
        assert traces[0].candidates
        client.save_checkpoint("thread", b"after")
        latest = client.load_checkpoint("thread")
        assert latest is not None
        assert latest.data == b"after"
        client.core_append("human", "Likes coffee.")
        assert [write.revision for write in client.core_history()] == [2, 1]
        again = client.backup()
        assert {Path(backup), Path(again)} <= set(moved.paths.backups.iterdir())  # the older one claims to be newer
        [undone] = client.undo(client.history(limit=1)[0].operation)
        assert undone.content == "The release day is Tuesday."
        client.purge([gone.id])
        client.consolidate()
        status = client.status()
        assert [name for name, part in status.components.items() if part.state == "failed"] == []
        assert status.components["sockets"].numbers["bugs"] == 0

    assert moved.stop() == 0
    moved.start()
    with moved.client("second") as client:
        assert {(one.content, one.state) for one in client.list()} == {
            ("The release day is Tuesday.", State.ACTIVE),
            ("Lunch is at noon on Fridays.", State.ACTIVE),
        }
        moved.turn_clock(0)
        assert client.get(new.id).content == "Lunch is at noon on Fridays."
        until(lambda: client.status().components["consolidation"].state == "ok", "the consolidation to be done")
