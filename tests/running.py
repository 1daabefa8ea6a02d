"""A real daemon process on a home of its own, and what tests do to it."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from memoryd_client import Client, DaemonUnreachable, DeadlineExceeded, Message, Trace
from memoryd_client.base.paths import Paths
from memoryd_client.wire.caller import SCRIPT

T = TypeVar("T")
PROJECT = "/projects/demo"
PATIENCE_S = 60.0


def until(condition: Callable[[], T | None], what: str, *, patience_s: float = PATIENCE_S) -> T:
    """Poll another process until it is so far; its state has no event to wait for. 0 and what is empty do not count."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited {patience_s:g} s for {what}")


def three_ports() -> int:
    """Return the first of three ports that nobody listens on."""
    while True:
        port = random.randrange(20_000, 60_000)
        with suppress(OSError):
            for beyond in range(3):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port + beyond))
            return port


class RunningDaemon:
    """`python -m memoryd` in a process of its own."""

    def __init__(self, home: Path, models: Path, **settings: str) -> None:
        self.home = home
        self.owner = "local"
        self.environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("MEMORYD_", "ANTHROPIC_", "LISTEN_", "NOTIFY_"))
        } | {"MEMORYD_HOME": str(home), "HF_HUB_OFFLINE": "1", "MEMORYD_LEDGER_BACKUP_HOURS": "0", **settings}
        self.paths = Paths.from_environment(self.environment)
        self.process: subprocess.Popen[bytes] | None = None
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.paths.models.exists():
            self.paths.models.symlink_to(models)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def launch(self) -> "subprocess.Popen[bytes]":
        """Start it without waiting for anything."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memoryd"], env=self.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        return self.process

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self.launch()
        self.wait()

    def wait(self) -> None:
        """Wait until it is ready."""
        process = self.process
        assert process is not None

        def answered() -> bool:
            if process.poll() is not None:
                assert process.stderr is not None
                raise AssertionError(f"the daemon exited with {process.returncode}: {process.stderr.read().decode()}")
            try:
                return client.ping(deadline_s=1).ready
            except (DaemonUnreachable, DeadlineExceeded):
                return False

        with self.client() as client:
            until(answered, "the daemon to be ready")

    def kill(self) -> None:
        """SIGKILL: nothing is flushed, nothing is told."""
        if self.process is not None:
            self.process.kill()
            self._reap()

    def stop(self) -> int:
        """SIGTERM, and wait; returns the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self._reap()

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def seen_by(self, owner: str) -> Self:
        """Return the same daemon as the clients of another owner see it, who has nothing in it yet."""
        view = copy(self)
        view.owner = owner
        return view

    def client(self, session: str = "", **fields: str) -> Client:
        owner = fields.get("owner", self.owner)
        project = fields.get("project", PROJECT)
        # A program: what an agent writes has to pass more.
        agent = fields.get("agent", SCRIPT)
        return Client(session=session, project=project, agent=agent, owner=owner, paths=self.paths, deadline_s=30)

    def turn(self, client: Client, *said: str, turn: int | None = None) -> Trace:
        """Push one user turn and wait until it is decided."""
        before = client.why(1)
        seen = before[0].at if before else ""
        assert client.push_context([Message("user", text) for text in said], turn=turn)

        def decided() -> Trace | None:
            traces = client.why(1)
            return traces[0] if traces and traces[0].at != seen else None

        return until(decided, "the context to be decided")

    def indexed(self, client: Client) -> None:
        """Wait until everything acknowledged can be found."""

        def caught_up() -> bool:
            index = client.status().components["index"]
            return index.state == "ok" and not index.numbers["behind"]

        until(caught_up, "the index to catch up")

    def _reap(self) -> int:
        assert self.process is not None
        process, self.process = self.process, None
        process.communicate(timeout=PATIENCE_S)
        return process.returncode
