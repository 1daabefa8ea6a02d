"""What hooks have written down while it was said is not brought in a second time by the program's own history."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from host_histories import claude_line, write
from running import until

from .host_daemon import HostedDaemon

BEGUN = datetime.now(UTC) - timedelta(hours=1)


def line(role: str, text: str, at: datetime, folder: Path) -> dict[str, object]:
    content = text if role == "user" else [{"type": "text", "text": text}]
    return claude_line(role, content, timestamp=at.isoformat(), cwd=str(folder))


def test_a_session_that_hooks_came_into_has_everything_once(short_home: Path, models: Path) -> None:
    with HostedDaemon(short_home / "home", models) as daemon:

        def fire(name: str, **fields: object) -> None:
            daemon.fire("claude", {"session_id": "s1", "cwd": str(daemon.shop), "hook_event_name": name, **fields})

        until(lambda: daemon.fire("memoryd", {}), "hooks to be heard")
        fire("UserPromptSubmit", prompt="Where does the ferry leave?", prompt_id="p1")
        fire("Stop", last_assistant_message="At the old pier.")
        now = datetime.now(UTC)
        before_hooks = [
            line("user", "When does the ferry leave?", BEGUN, daemon.shop),
            line("assistant", "At noon.", BEGUN, daemon.shop),
        ]
        since_hooks = [
            line("user", "Where does the ferry leave?", BEGUN + timedelta(minutes=1), daemon.shop),
            line("assistant", "Let me look at the timetable.", now, daemon.shop),
            line("assistant", "At the old pier.", now + timedelta(seconds=1), daemon.shop),
        ]
        home = short_home / "user"
        write(home / ".claude/projects/x/s1.jsonl", [*before_hooks, *since_hooks])

        def bring() -> tuple[int, int]:
            command = [sys.executable, "-c", "from memoryd_cli import main; main()", "import", str(home)]
            command += ["--from", "claude-code", "--json"]
            done = subprocess.run(command, env=daemon.environment, capture_output=True, text=True, check=True)
            told = json.loads(done.stdout)
            return told["stored"], told["known"]

        heard = [("user", "Where does the ferry leave?"), ("assistant", "At the old pier.")]
        assert daemon.said("s1") == heard
        assert bring() == (2, 3)
        assert bring() == (0, 5)
        brought = [("user", "When does the ferry leave?"), ("assistant", "At noon.")]
        assert daemon.said("s1") == [*heard, *brought]
        with daemon.client("elsewhere", project=str(daemon.shop)) as client:
            assert [one.session for one in client.sessions()] == ["s1"]
