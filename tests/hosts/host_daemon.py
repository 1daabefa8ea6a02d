"""A real daemon, and hosts that run its hook."""

import json
import subprocess
from pathlib import Path

from memoryd_cli.connect.program import hook_text
from running import RunningDaemon, until


class HostedDaemon(RunningDaemon):
    """A daemon with a hook program, as `memoryd connect` leaves it."""

    def __init__(self, home: Path, models: Path) -> None:
        # On a busy machine a turn waits longer than people would like to, and is not late.
        super().__init__(home, models, MEMORYD_HOSTS_WAIT_S="5", MEMORYD_PRIVACY_OFFLINE="true")
        self.hook = self.paths.home / "memoryd-hook"
        self.hook.write_text(hook_text(self.paths), encoding="utf-8")
        self.hook.chmod(0o700)
        self.shop = home / "shop"
        (self.shop / ".git").mkdir(parents=True)

    def fire(self, host: str, event: dict[str, object] | str, name: str = "") -> str:
        """Run the hook as a host does and return what it prints."""
        given = event if isinstance(event, str) else json.dumps(event)
        done = subprocess.run(
            [str(self.hook), host, *([name] if name else [])],
            input=given.encode(),
            capture_output=True,
            check=True,
            cwd=self.shop,
            env={**self.environment, "MEMORYD_OWNER": self.owner},
        )
        assert done.stderr == b""
        return done.stdout.decode()

    def start(self) -> None:
        """Start it, and wait until it hears hooks."""
        super().start()
        until(lambda: self.fire("memoryd", {}), "hooks to be heard")

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def told(self, content: str) -> str:
        """Keep a memory of the project, from elsewhere; return its id."""
        with self.client("elsewhere", project=str(self.shop)) as client:
            memory = client.remember(content, category="fact", scope="project")
            self.indexed(client)
        return memory.id

    def said(self, session: str) -> list[tuple[str, str]]:
        """Return what stands in a transcript."""
        with self.client(session, project=str(self.shop)) as client:
            return [(record.role, record.content) for record in client.messages().entries]
