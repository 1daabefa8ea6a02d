"""What a daemon leaves on the machine beside its own home: nothing."""

from pathlib import Path

from memoryd_client import Message
from running import RunningDaemon


def test_no_part_of_a_daemon_keeps_or_reports_anything_of_its_own(
    short_home: Path, models: Path, tmp_path: Path
) -> None:
    # Where onnxruntime may report what it does, it keeps an id of the machine and a queue of events here.
    places = {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    with RunningDaemon(short_home, models, **places) as daemon, daemon.client("s") as client:
        client.remember("The tokens expire at midnight.")
        daemon.indexed(client)
        client.turn([Message("user", "when do the tokens expire?")], wait_s=60, deadline_s=60)
        assert [str(left.relative_to(tmp_path)) for left in tmp_path.rglob("*")] == []
