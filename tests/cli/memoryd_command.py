"""The real `memoryd` command in a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

MEMORYD = Path(sys.executable).with_name("memoryd")


class Command:
    """Runs `memoryd` against one home."""

    def __init__(self, home: Path, models: Path | None = None) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "ANTHROPIC_"))}
        self.environment = {
            **kept,
            "MEMORYD_HOME": str(home),
            "MEMORYD_PRIVACY_OFFLINE": "true",
            "XDG_CONFIG_HOME": str(home / "xdg"),
            "COLUMNS": "80",
        }
        if models is not None:
            (home / "models").symlink_to(models)

    def __call__(self, *arguments: str | Path, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end and return what it said."""
        return self._run(arguments, input=given, env={**self.environment, **environment})

    def typed(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command as somebody at a terminal does."""
        terminal, other = os.openpty()
        try:
            return self._run(arguments, stdin=other, env=self.environment)
        finally:
            os.close(terminal)
            os.close(other)

    def _run(
        self,
        arguments: Sequence[str | Path],
        *,
        env: dict[str, str],
        input: str | None = None,  # noqa: A002 - it is subprocess's name
        stdin: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [MEMORYD, *map(str, arguments)],
            input=input,
            stdin=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
            cwd=self.home,
            env=env,
        )

    def with_environment(self, **environment: str) -> "Command":
        """Return the same command with more variables set."""
        other = Command(self.home)
        other.environment = {**self.environment, **environment}
        return other

    def ok(self, *arguments: str | Path, given: str = "") -> str:
        """Run a command that has to succeed and return its stdout."""
        done = self(*arguments, given=given)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stderr}"
        return done.stdout

    def wait_for_the_model(self) -> None:
        """Wait until the daemon has loaded its model: a search does not wait longer than a second for it."""
        deadline = time.monotonic() + 60
        while (state := json.loads(self.ok("status", "--json"))["components"]["model"]["state"]) != "ok":
            assert time.monotonic() < deadline, f"the model is {state}"
