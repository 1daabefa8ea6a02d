"""A program in a container, which has namespaces of its own, and of the host only the folder of the sockets."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from running import RunningDaemon

APART = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--fork")
MOUNT = 'mount --bind "$FROM" "$HOME/memoryd" && exec "$@"'


def test_a_client_reaches_the_daemon_over_a_mounted_folder(served: RunningDaemon, tmp_path: Path) -> None:
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces of its own are not to be had here")
    (tmp_path / "memoryd").mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "FROM": str(served.paths.runtime),
        "MEMORYD_RUNTIME_DIR": str(tmp_path / "memoryd"),
        "MEMORYD_OWNER": served.owner,
    }

    def inside(*command: str) -> str:
        memoryd = [sys.executable, "-c", "from memoryd_cli import main; main()", *command]
        run = subprocess.run(
            [*APART, "sh", "-c", MOUNT, "sh", *memoryd], env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    inside("add", "The ferry leaves at seven.", "--scope", "global")
    assert "The ferry leaves at seven." in inside("search", "when does the ferry leave")
    findings = json.loads(inside("doctor", "--json"))["findings"]
    assert {one["level"] for one in findings if one["name"].endswith(" socket")} == {"ok"}
