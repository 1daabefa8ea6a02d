"""`memoryd connect`, `disconnect` and `connections` as people run them, with a real daemon."""

import json
import subprocess
from pathlib import Path

import pytest

from memoryd_cli.connect.examine import examine_connections
from memoryd_client.base.paths import Paths

from .memoryd_command import MEMORYD, Command

# Each of some ten commands starts an interpreter, some a daemon.
pytestmark = pytest.mark.timeout(600)


def rows(memoryd: Command) -> dict[str, dict[str, object]]:
    return {row["host"]: row for row in json.loads(memoryd.ok("connections", "--json"))}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def findings(memoryd: Command) -> dict[str, str]:
    found = json.loads(memoryd("doctor", "--json").stdout)["findings"]
    return {one["name"]: f"{one['level']}: {one['what']}" for one in found}


@pytest.fixture
def memoryd(alone: Command) -> Command:
    """A user who has Claude Code, and a daemon."""
    (alone.home / "user/.claude").mkdir(parents=True)
    return alone.with_environment(HOME=str(alone.home / "user"), PATH="/usr/bin:/bin")


def test_a_host_is_connected_heard_from_and_disconnected(memoryd: Command) -> None:
    user, hook = memoryd.home / "user", memoryd.home / "memoryd-hook"
    assert memoryd("connect", "all", "--dry-run").stdout.count("+++ ") >= 3
    assert files(user) == []
    assert memoryd.ok("connect", "all").startswith("claude: connected")
    assert memoryd.ok("connect", "claude") == "claude: connected already\n"
    done = subprocess.run([hook, "claude", "SessionEnd"], input=b"{}", capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    row = rows(memoryd)["claude"]
    assert (row["installed"], row["connected"], row["event"]) == (True, "yes", "SessionEnd")
    assert memoryd.ok("disconnect", "all") == "claude: disconnected\n"
    assert files(user) == []
    assert not hook.exists()


@pytest.mark.slow
def test_the_doctor_examines_every_connection(memoryd: Command) -> None:
    user, hook = memoryd.home / "user", memoryd.home / "memoryd-hook"
    memoryd.ok("connect", "claude")
    said = findings(memoryd)
    assert said["hook"].startswith("ok: ")
    assert said["hook"].endswith("is answered")
    assert "not heard from yet" in said["claude"]
    (user / ".claude/skills/memoryd/hooks/hooks.json").unlink()
    hook.write_text(hook.read_text().replace("RUNTIME = ", "RUNTIME = '/elsewhere' or "))
    again = examine_connections(Paths.from_environment(memoryd.environment), memoryd.environment, serving=True)
    assert [(one.name, one.level) for one in again] == [("hook", "warn"), ("claude", "warn")]


def test_connecting_starts_the_daemon_and_one_bad_file_does_not_keep_others_from_it(home: Path, models: Path) -> None:
    user = home / "user"
    (user / ".gemini").mkdir(parents=True)
    (user / ".qwen").mkdir()
    (user / ".gemini/settings.json").write_text("{broken")
    (user / ".codex").mkdir()
    (user / ".codex/config.toml").write_text("mcp_servers = {}\n")
    memoryd = Command(home, models).with_environment(HOME=str(user), PATH="/usr/bin:/bin")
    try:
        done = memoryd("connect", "all")
        assert done.returncode == 1
        assert "qwen: connected, 1 file written" in done.stdout
        assert "codex: connected, 2 files written" in done.stdout
        assert "have it say by hand:\n\n[mcp_servers.memoryd]\ncommand = " in done.stderr
        assert ".gemini/settings.json: line 1" in done.stderr
        assert (user / ".gemini/settings.json").read_text() == "{broken"
        assert json.loads(memoryd.ok("status", "--json"))["ready"]
    finally:
        memoryd("stop")


def test_in_a_project_nothing_of_the_users_is_touched(home: Path) -> None:
    shop = home / "shop"
    (shop / ".git").mkdir(parents=True)
    memoryd = Command(home).with_environment(HOME=str(home / "user"), PATH="/usr/bin:/bin")
    shown = subprocess.run(
        [MEMORYD, "connect", "gemini", "--project", "--dry-run"],
        cwd=shop,
        env=memoryd.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"+++ {shop.resolve()}/.gemini/settings.json" in shown.stdout
    assert files(home) == []


def test_names_that_nobody_knows_are_refused(home: Path) -> None:
    memoryd = Command(home)
    done = memoryd("connect", "emacs")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no host 'emacs'" in done.stderr
    assert memoryd("disconnect").returncode == 2
