"""memoryd as people install it: from a wheel, into an environment of its own, as pip, pipx and `uv tool` do."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from running import until

ROOT = Path(__file__).parents[2]
SCRIPT = "#!{python}\nfrom memoryd_cli import main\nmain()\n"


@pytest.fixture
def user(models: Path) -> Iterator[Path]:
    """Somebody who has Claude Code and the weights."""
    home = Path(tempfile.mkdtemp(prefix="mi-"))
    (home / ".claude").mkdir()
    (home / ".local/share/memoryd").mkdir(parents=True, mode=0o700)
    (home / ".local/share/memoryd/models").symlink_to(models)
    yield home
    shutil.rmtree(home, ignore_errors=True)


def installed(folder: Path) -> Path:
    """Install the wheel beside the packages that it needs, and return its command."""
    backend: Any = pytest.importorskip("hatchling.builders.wheel", reason="the build backend is not installed")
    wheel = next(backend.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))
    venv.create(folder / "venv", symlinks=True)
    (site,) = (folder / "venv/lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A path file adds one folder, and not what the path files in there name: the sources are not among them.
    (site / "needed.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("site-packages")))
    command = folder / "venv/bin/memoryd"
    command.write_text(SCRIPT.format(python=folder / "venv/bin/python"))
    command.chmod(0o755)
    return command


@pytest.mark.timeout(600)
def test_the_hook_of_an_installed_wheel_runs_and_is_answered(user: Path, tmp_path: Path) -> None:
    command = installed(tmp_path)
    environment = {"HOME": str(user), "PATH": os.environ["PATH"], "MEMORYD_PRIVACY_OFFLINE": "true"}
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
        assert Path(handler["command"]).read_text().startswith(f"#!{tmp_path}/venv/bin/python -IS\n")
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
