"""memoryd installed by `uv tool` and by pipx: the hook that it connects runs and is answered.

Not run with the other tests: both are installed from the package index, and so is all that memoryd needs.
`make test-hosts` runs it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from installation import a_user, build_wheel, check_hook

from .clients import PLACE

INSTALLERS = {"uv": ("uv", "tool", "install"), "pipx": ("pipx", "install")}


def installer(name: str) -> list[str]:
    """Return the command that installs a program, itself installed once."""
    folder = PLACE / "installers"
    if not (folder / "bin" / name).exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        done = subprocess.run(
            [folder / "bin/python", "-m", "pip", "install", "uv", "pipx"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"pip install uv pipx: {done.stderr.strip()[-300:]}")
    program, *words = INSTALLERS[name]
    return [str(folder / "bin" / program), *words]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", INSTALLERS)
def test_the_hook_of_an_installed_program_runs_and_is_answered(name: str, models: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
    }
    wanted = f"memoryd[daemon] @ {build_wheel(tmp_path).as_uri()}"
    done = subprocess.run(
        [*installer(name), "--python", sys.executable, wanted],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    python = tmp_path / ("tools/memoryd/bin/python" if name == "uv" else "pipx/venvs/memoryd/bin/python")
    with a_user(models) as user:
        check_hook(tmp_path / "bin/memoryd", python, user)
