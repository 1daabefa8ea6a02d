"""An agent on another machine: keys, the real daemon behind a port, and the command line at both ends."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memoryd_client import Client, KeyRefused, Message, Remote
from running import RunningDaemon, three_ports, until

MEMORYD = Path(sys.executable).with_name("memoryd")
SAID = "The ferry to Nordholm leaves at nine from the northern pier."


class Serving(RunningDaemon):
    """A daemon started by `memoryd serve`."""

    port = 0

    def launch(self) -> "subprocess.Popen[bytes]":
        self.port = self.port or three_ports()
        self.process = subprocess.Popen(
            [MEMORYD, "serve", "--tcp", f"127.0.0.1:{self.port}"],
            env=self.environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        return self.process

    def run(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [MEMORYD, *words],
            env=self.environment | environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )

    def remote(self, name: str) -> Remote:
        return Remote.at(f"127.0.0.1:{self.port}", self.home / f"{name}.key")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Iterator[Serving]:
    home = tmp_path_factory.mktemp("network") / "h"
    with Serving(home, models, MEMORYD_RUNTIME_DIR=f"/tmp/mdr-{random.randrange(10**9)}") as running:
        yield running
        subprocess.run(["rm", "-rf", running.environment["MEMORYD_RUNTIME_DIR"]], check=True)


def test_an_agent_elsewhere_remembers_is_told_and_is_kept_to_what_its_key_says(serving: Serving) -> None:
    made = serving.run("keys", "create", "builder", "--owner", "team")
    assert (made.returncode, made.stdout) == (0, "builder.key\n")
    assert (serving.home / "builder.key").stat().st_mode & 0o777 == 0o600
    remote = serving.remote("builder")

    def let_in() -> bool:
        with suppress(KeyRefused), Client(remote=remote) as knocking:
            return knocking.ping().ready
        return False

    until(let_in, "the daemon to hear of the key")
    with Client(session="s1", project="", remote=remote, deadline_s=30) as client:
        kept = client.remember(SAID, scope="global")
        assert (kept.owner, kept.agent) == ("team", "builder")
        with serving.client() as local:
            serving.indexed(local)
            assert not local.search("when does the ferry to Nordholm leave?")
        assert client.search("when does the ferry to Nordholm leave?")[0].id == kept.id
    with Client(session="s2", project="", remote=remote, deadline_s=30) as client:
        assert client.push_context([Message("user", "When does the ferry to Nordholm leave, and where?")])
        pending = until(lambda: client.take_pending(deadline_s=5), "the memory")
        assert [memory.id for memory in pending.memories] == [kept.id]


def test_the_command_line_works_from_elsewhere_and_is_told_what_its_key_may_not(serving: Serving) -> None:
    elsewhere = {"MEMORYD_SERVER": f"127.0.0.1:{serving.port}", "MEMORYD_KEY": str(serving.home / "laptop.key")}
    server = json.loads(serving.run("keys", "list", "--json").stdout)["server"]
    asked = serving.run("keys", "create", "laptop", "--server", server, "--agent", "cli")
    line = next(line for line in asked.stderr.splitlines() if line.startswith("memoryd keys add laptop "))
    refused = serving.run("list", **elsewhere)
    assert (refused.returncode, "does not know this key" in refused.stderr) == (3, True)
    added = subprocess.run(
        ["/bin/sh", "-c", line],
        env=serving.environment | {"PATH": str(MEMORYD.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert added.returncode == 0, added.stderr
    until(lambda: serving.run("list", **elsewhere).returncode == 0, "the daemon to hear of the key")
    assert serving.run("add", "The harbour office opens at seven.", **elsewhere).returncode == 0
    denied = serving.run("status", **elsewhere)
    assert (denied.returncode, "this key may not ask for `status`" in denied.stderr) == (1, True)
    status = json.loads(serving.run("status", "--json").stdout)
    assert status["components"]["network"]["numbers"]["overstepped"] == 1
    assert serving.run("keys", "remove", "laptop").returncode == 0
    until(lambda: serving.run("list", **elsewhere).returncode == 3, "the key to be of no use")
