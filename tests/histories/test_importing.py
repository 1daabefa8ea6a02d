"""Earlier conversations and rules come into memory once, by the real command and the real daemon."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from host_histories import AT, claude_line, write
from memoryd_client import Client, Message
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
    with Client(session="s1", project=str(tmp_path), paths=daemon.paths) as client:
        assert [entry.at.isoformat() for entry in client.messages().entries] == [AT.replace("Z", "+00:00")] * 2
        (memory,) = until(client.list, "the request to be captured")
        assert "6543" in memory.content
        assert memory.occurred_at == datetime.fromisoformat(AT)
        assert memory.agent == "claude"  # as the program's hooks are called, whatever its history is


def test_what_was_asked_long_ago_is_older_than_what_was_asked_since(daemon: RunningDaemon, tmp_path: Path) -> None:
    def asked(month: str, host: str) -> None:
        line = claude_line(
            "user",
            f"Remember that the mail relay is at {host}.",
            cwd=str(tmp_path),
            timestamp=f"2026-{month}-01T12:00:00Z",
        )
        write(tmp_path / f".claude/projects/x/{host}.jsonl", [line])

    asked("03", "mx-two")
    asked("01", "mx-one")  # written later, as a copy of files may be
    with Client(session="now", project=str(tmp_path), paths=daemon.paths) as client:
        client.remember("The mail relay is at mx-three.", scope="project", source="user")
        run(daemon, "import", str(tmp_path), "--from", "claude-code")
        until(lambda: len(client.list()) == 3, "the requests to be captured")
        dates = {memory.content.split()[-1]: memory.occurred_at for memory in client.list()}
        assert dates["mx-one."] == datetime(2026, 1, 1, 12, tzinfo=UTC)
        assert dates["mx-two."] == datetime(2026, 3, 1, 12, tzinfo=UTC)
        daemon.indexed(client)
    with Client(session="asking", project=str(tmp_path), paths=daemon.paths) as client:
        client.push_acknowledged([Message("user", "Where is the mail relay?")])
        pending = until(client.take_pending, "what is true to be recalled")
        assert pending is not None
        first = pending.memories[0]
        assert first.content == "The mail relay is at mx-three."
        assert {one.content[-7:] for one in (*first.related, *pending.memories[1:])} == {"mx-two.", "mx-one."}


def test_where_no_project_is_known_nothing_becomes_true_everywhere(daemon: RunningDaemon, tmp_path: Path) -> None:
    line = {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": ASKED}]}
    file = tmp_path / ".gemini/tmp/app/chats/session-1-s1.jsonl"
    write(file, [{"sessionId": "s1", "kind": "main"}, line])
    arguments = ("import", str(tmp_path), "--from", "gemini", "--json")
    done = json.loads(run(daemon, *arguments))
    assert (done["sessions"], done["left_out"]) == (0, [f"{file}: it does not say which project it is of"])
    app = tmp_path / "app"
    app.mkdir()
    (tmp_path / ".gemini/tmp/app/.project_root").write_text(str(app), encoding="utf-8")
    assert json.loads(run(daemon, *arguments, "--project", str(app)))["sessions"] == 1
    with Client(session="now", project=str(app), paths=daemon.paths) as client:
        (memory,) = until(client.list, "the request to be captured")
        assert (memory.scope, memory.project) == ("project", str(app))


def test_a_project_in_which_memory_is_off_is_left_out_and_the_others_come(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    for month, name in (("01", "off"), ("02", "on")):
        (tmp_path / name / ".git").mkdir(parents=True)
        line = claude_line("user", ASKED, cwd=str(tmp_path / name), timestamp=f"2026-{month}-01T12:00:00Z")
        write(tmp_path / f".claude/projects/x/{name}.jsonl", [line])
    with Client(session="now", project=str(tmp_path / "off"), paths=daemon.paths) as client:
        client.switch(on=False)
    done = json.loads(run(daemon, "import", str(tmp_path), "--from", "claude-code", "--json"))
    assert (done["sessions"], done["stored"]) == (1, 1)
    (left_out,) = done["left_out"]
    assert f"memory is off in {tmp_path / 'off'}" in left_out


@pytest.mark.slow
def test_a_project_that_has_moved_is_brought_to_where_it_is(daemon: RunningDaemon, tmp_path: Path) -> None:
    write(tmp_path / ".claude/projects/x/s1.jsonl", [claude_line("user", ASKED, cwd="/gone/app/src")])
    garbage = tmp_path / ".claude/projects/x/s2.jsonl"
    garbage.write_text("no JSON\n", encoding="utf-8")
    app = tmp_path / "app"
    app.mkdir()
    arguments = ("import", str(tmp_path), "--from", "claude-code", "--json")
    assert "--restore" in run(daemon, *arguments, "--restore", code=1)
    done = json.loads(run(daemon, *arguments, "--project-map", f"/gone/app={app}"))
    assert (done["sessions"], done["left_out"]) == (1, [f"{garbage}: nothing in it can be read"])
    with Client(session="now", project=str(app), paths=daemon.paths) as client:
        (memory,) = until(client.list, "the request to be captured")
        assert memory.project == str(app)


def test_a_program_without_projects_speaks_of_the_one_that_is_named(daemon: RunningDaemon, tmp_path: Path) -> None:
    line = {"type": "message", "role": "user", "content": ASKED, "timestamp": AT}
    write(tmp_path / "sessions/chat_anna/session.jsonl", [line])
    app = tmp_path / "app"
    app.mkdir()
    arguments = ("import", str(tmp_path), "--from", "jsonl", "--project", str(app), "--json")
    assert json.loads(run(daemon, *arguments))["sessions"] == 1
    with Client(session="now", project=str(app), paths=daemon.paths) as client:
        (memory,) = until(client.list, "the request to be captured")
        assert (memory.scope, memory.project) == ("project", str(app))


@pytest.mark.slow
def test_rules_are_known_again_when_they_change(daemon: RunningDaemon, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "CLAUDE.md"
    own = "<!-- memoryd: begin -->\nAsk memory first.\n<!-- memoryd: end -->\n"
    file.write_text(f"# Testing\n\n- Run pytest with -q.\n- Never mock the clock.\n\n{own}", encoding="utf-8")
    arguments = ("import", str(tmp_path), "--from", "rules")
    assert run(daemon, *arguments) == "1 file: 2 rules new, 0 known, 0 gone and forgotten\n"
    assert run(daemon, *arguments) == "1 file: 0 rules new, 2 known, 0 gone and forgotten\n"
    file.write_text("# Testing\n\n- Run pytest with -x.\n- Never mock the clock.\n", encoding="utf-8")
    assert run(daemon, *arguments) == "1 file: 1 rules new, 1 known, 1 gone and forgotten\n"
    with Client(project=str(tmp_path), paths=daemon.paths) as client:
        assert {memory.content for memory in client.list(category="rule")} == {
            "Testing: Run pytest with -x.",
            "Testing: Never mock the clock.",
        }
    assert "has no rules for agents" in run(daemon, "import", str(daemon.home), "--from", "rules", code=1)


@pytest.mark.slow
def test_rules_are_known_again_that_may_not_be_kept_to_the_letter(daemon: RunningDaemon, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    key = "sk-ant-api03-" + "a1B2c3D4e5F6g7H8" * 3
    rules = [f"The deploy token is {key} and must rotate monthly.", "Mail ann <private>home</private> for access."]
    text = "".join(f"- {rule}\n" for rule in [*rules, "Never mock the clock.", "Rule me out, #skip it."])
    (tmp_path / "CLAUDE.md").write_text(text, encoding="utf-8")
    arguments = ("import", str(tmp_path), "--from", "rules", "--json")
    with Client(project=str(tmp_path), paths=daemon.paths) as client:
        for added, known in ((3, 0), (0, 3), (0, 3)):
            done = json.loads(run(daemon, *arguments))
            assert (done["added"], done["known"], done["gone"]) == (added, known, 0)
            assert len(done["left_out"]) == 1
            assert len(client.list(category="rule")) == 3


@pytest.mark.slow
def test_a_rule_that_stands_in_two_files_is_one_and_stays_as_long_as_one_has_it(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("CLAUDE.md", "AGENTS.md"):
        (tmp_path / name).write_text("- Always answer in French.\n", encoding="utf-8")
    (tmp_path / "GEMINI.md").symlink_to("AGENTS.md")
    arguments = ("import", str(tmp_path), "--from", "rules")
    with Client(project=str(tmp_path), paths=daemon.paths) as client:
        assert run(daemon, *arguments) == "3 files: 1 rules new, 0 known, 0 gone and forgotten\n"
        assert run(daemon, *arguments) == "3 files: 0 rules new, 1 known, 0 gone and forgotten\n"
        (tmp_path / "CLAUDE.md").write_text("# Tools\n\n- pnpm\n", encoding="utf-8")
        assert run(daemon, *arguments) == "3 files: 1 rules new, 1 known, 0 gone and forgotten\n"
        assert {(one.content, one.tags) for one in client.list(category="rule")} == {
            ("Always answer in French.", ("rules-file:AGENTS.md", "rules-file:GEMINI.md")),
            ("Tools: pnpm", ("rules-file:CLAUDE.md",)),
        }
        for name in ("CLAUDE.md", "AGENTS.md"):
            (tmp_path / name).unlink()
        assert run(daemon, *arguments) == "0 files: 0 rules new, 0 known, 2 gone and forgotten\n"
        assert client.list(category="rule") == []
