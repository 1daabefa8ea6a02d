"""An installation of memoryd from a wheel, and whether the hook that it connects is answered."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from running import until

ROOT = Path(__file__).parents[1]


def build_wheel(folder: Path, root: Path = ROOT) -> Path:
    """Build the wheel into a folder; the test skips without the build backend."""
    backend: Any = pytest.importorskip("hatchling.builders.wheel", reason="the build backend is not installed")
    return Path(next(backend.WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])))


@contextmanager
def a_user(models: Path) -> Generator[Path]:
    """Make the home of somebody who has Claude Code and the weights."""
    home = Path(tempfile.mkdtemp(prefix="mi-"))
    (home / ".claude").mkdir()
    (home / ".local/share/memoryd").mkdir(parents=True, mode=0o700)
    (home / ".local/share/memoryd/models").symlink_to(models)
    yield home
    shutil.rmtree(home, ignore_errors=True)


def check_hook(command: Path, python: Path, user: Path) -> None:
    """Connect Claude Code, and see its hook, run by this interpreter, answered; disconnect it again."""
    environment = {
        "HOME": str(user),
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "MEMORYD_PRIVACY_OFFLINE": "true",
    }
    environment |= {"MEMORYD_HOSTS_WAIT_S": "5"}

    def memoryd(*arguments: str) -> str:
        done = subprocess.run(
            [command, *arguments], env=environment, cwd=user, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        assert memoryd("connect", "claude").startswith("claude: connected")
        hooks = json.loads((user / ".claude/skills/memoryd/hooks/hooks.json").read_text())["hooks"]
        (handler,) = hooks["UserPromptSubmit"][0]["hooks"]
        assert Path(handler["command"]).read_text().startswith(f"#!{python} -IS\n")
        server = json.loads((user / ".claude/skills/memoryd/.mcp.json").read_text())["mcpServers"]["memoryd"]
        assert server["command"] == str(command)
        memoryd("add", "--scope", "global", "The build server is called Zebra.")
        event = {"hook_event_name": "UserPromptSubmit", "prompt": "what is the build server called?", "cwd": str(user)}
        sessions = count()

        def told() -> bytes:
            done = subprocess.run(
                [handler["command"], *handler["args"]],
                input=json.dumps({**event, "session_id": f"s{next(sessions)}"}).encode(),
                env=environment,
                capture_output=True,
                check=True,
            )
            assert done.stderr == b""
            return done.stdout

        assert b"called Zebra" in until(told, "the hook to be answered")
        memoryd("disconnect", "claude")
        assert list((user / ".claude").iterdir()) == []
    finally:
        subprocess.run([command, "stop"], env=environment, capture_output=True, check=False)
