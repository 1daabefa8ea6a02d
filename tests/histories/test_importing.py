"""Earlier conversations and rules come into memory once, by the real command and the real daemon."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from host_histories import AT, claude_line, write
from memoryd_client import Client
from running import RunningDaemon, until

ASKED = "please remember that the staging database is on port 6543"


@pytest.fixture
def daemon(short_home: Path, models: Path) -> Iterator[RunningDaemon]:
    with RunningDaemon(short_home / "home", models) as running:
        yield running


def run(daemon: RunningDaemon, *arguments: str, code: int = 0) -> str:
    command = [sys.executable, "-c", "from memoryd_cli import main; main()", *arguments]
    done = subprocess.run(command, env=daemon.environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_a_history_comes_in_once_and_what_was_asked_back_then_is_remembered(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    lines = [
        claude_line("user", ASKED, cwd=str(tmp_path)),
        claude_line("assistant", [{"type": "text", "text": "Noted."}], cwd=str(tmp_path)),
    ]
    write(tmp_path / ".claude/projects/x/s1.jsonl", lines)
    arguments = ("import", str(tmp_path), "--from", "claude-code", "--json")
    first = json.loads(run(daemon, *arguments))
    assert (first["sessions"], first["stored"], first["known"]) == (1, 2, 0)
    again = json.loads(run(daemon, *arguments))
    assert (again["stored"], again["known"]) == (0, 2)
    later = json.loads(run(daemon, *arguments, "--since", "2026-04-01"))
    assert later["sessions"] == 0
    with Client(session="claude-code-s1", project=str(tmp_path), paths=daemon.paths) as client:
        assert [entry.at.isoformat() for entry in client.messages().entries] == [AT.replace("Z", "+00:00")] * 2
        (memory,) = until(client.list, "the request to be captured")
        assert "6543" in memory.content


def test_rules_are_known_again_when_they_change(daemon: RunningDaemon, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "CLAUDE.md"
    own = "<!-- memoryd: begin -->\nAsk memory first.\n<!-- memoryd: end -->\n"
    file.write_text(f"# Testing\n\n- Run pytest with -q.\n- Never mock the clock.\n\n{own}", encoding="utf-8")
    arguments = ("import", str(tmp_path), "--from", "rules")
    assert run(daemon, *arguments) == "1 files: 2 rules new, 0 known, 0 gone and forgotten\n"
    assert run(daemon, *arguments) == "1 files: 0 rules new, 2 known, 0 gone and forgotten\n"
    file.write_text("# Testing\n\n- Run pytest with -x.\n- Never mock the clock.\n", encoding="utf-8")
    assert run(daemon, *arguments) == "1 files: 1 rules new, 1 known, 1 gone and forgotten\n"
    with Client(project=str(tmp_path), paths=daemon.paths) as client:
        assert {memory.content for memory in client.list(category="rule")} == {
            "Testing: Run pytest with -x.",
            "Testing: Never mock the clock.",
        }
    assert "has no rules for agents" in run(daemon, "import", str(daemon.home), "--from", "rules", code=1)
