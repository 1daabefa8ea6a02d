"""The launchd agent as far as it can be without a Mac: its property list, what is asked of launchctl, what it runs."""

import os
import plistlib
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from memoryd.system import launchd
from memoryd.system.service import ServiceFailed
from memoryd_client import Client
from memoryd_client.base.errors import MemorydError
from memoryd_client.base.paths import Paths

DOMAIN = f"gui/{os.getuid()}"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A user's environment with a launchctl that writes down what it is asked, and fails where a file says so."""
    tools = tmp_path / "bin"
    tools.mkdir()
    launchctl = tools / "launchctl"
    launchctl.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n'
        f'if [ -e {tmp_path}/refuses-$1 ]; then echo "Bootstrap failed: 5" >&2; exit 5; fi\n',
        encoding="utf-8",
    )
    launchctl.chmod(0o755)
    return {"HOME": str(tmp_path / "ada"), "PATH": f"{tools}:{os.environ['PATH']}"}


def asked(tmp_path: Path) -> list[str]:
    file = tmp_path / "asked"
    found = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return found


def written(environ: dict[str, str]) -> dict[str, Any]:
    file = launchd.agent_file(environ)
    assert file == Path(environ["HOME"], "Library/LaunchAgents/org.memoryd.memoryd.plist")
    found: dict[str, Any] = plistlib.loads(file.read_bytes())
    return found


def test_an_agent_is_written_loaded_and_taken_away_again(environ: dict[str, str], tmp_path: Path) -> None:
    paths = Paths.from_environment(environ)
    steps = launchd.install(paths, start=True, python="/opt/venv/bin/python", environ=environ)
    assert written(environ)["ProgramArguments"] == ["/opt/venv/bin/python", "-P", "-m", "memoryd"]
    file = launchd.agent_file(environ)
    assert asked(tmp_path) == [f"bootout {DOMAIN}/{launchd.LABEL}", f"bootstrap {DOMAIN} {file}"]
    assert len(steps) == 2
    again = launchd.install(paths, start=False, python="/opt/venv/bin/python", environ=environ)
    assert again == [f"{file.name} is installed already"]
    assert asked(tmp_path) == []
    assert launchd.uninstall(paths, environ=environ)[-1] == f"your memories are still in {paths.home}"
    assert not file.exists()
    assert paths.home.is_dir()
    assert "nothing to remove" in launchd.uninstall(paths, environ=environ)[0]


def test_a_refusal_is_told_with_what_was_done(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "refuses-bootstrap").touch()
    with pytest.raises(ServiceFailed, match="Bootstrap failed: 5") as failed:
        launchd.install(Paths.from_environment(environ), start=True, environ=environ)
    assert failed.value.steps == (f"wrote {launchd.agent_file(environ)}: the daemon starts when you log in",)
    assert "memoryd start" in failed.value.hint


def test_without_launchctl_nothing_is_claimed(environ: dict[str, str], tmp_path: Path) -> None:
    environ["PATH"] = str(tmp_path)
    with pytest.raises(ServiceFailed, match="there is no launchctl"):
        launchd.install(Paths.from_environment(environ), start=True, environ=environ)


def test_what_it_runs_is_a_daemon_that_ends_well_when_it_is_told_to(environ: dict[str, str], short_home: Path) -> None:
    environ["HOME"] = str(short_home)
    paths = Paths.from_environment(environ)
    launchd.install(paths, start=False, environ=environ)
    told = written(environ)
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text(
        f'[privacy]\noffline = true\n[embedding]\nfolder = "{paths.config.parent}"\n', encoding="utf-8"
    )
    with open(told["StandardErrorPath"], "ab") as log:
        daemon = subprocess.Popen(
            told["ProgramArguments"],
            env=environ | told["EnvironmentVariables"],
            cwd=told["WorkingDirectory"],
            stdout=log,
            stderr=log,
        )
    try:
        assert serves(paths, patience_s=60.0) == daemon.pid
    finally:
        daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(60.0) == 0  # else launchd would start it again


def serves(paths: Paths, *, patience_s: float) -> int:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with Client(paths=paths) as client:
                return client.ping(deadline_s=1.0).pid
        except MemorydError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
