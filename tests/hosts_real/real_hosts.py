"""Memory in the real programs: connected by the real command, told in one session, asked in another.

Not run with the other tests, which is why its name does not begin with `test`: it installs programs of several hundred
megabytes. `make test-hosts` runs it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .clients import HOSTS, PLACE, RealHost, install
from .fake_model import FakeModel

MEMORYD = Path(sys.executable).with_name("memoryd")


class World:
    """A user with one agents' program, a project and a daemon."""

    def __init__(self, host: RealHost, folder: Path, models: Path) -> None:
        path = install(host)
        self.host = host
        self.model = FakeModel()
        self.home, self.project = folder / "home", folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        (folder / "run").mkdir(mode=0o700)
        (self.home / ".local/share/memoryd").mkdir(parents=True, mode=0o700)
        (self.home / ".local/share/memoryd/models").symlink_to(models)
        self.environment = {
            "PATH": f"{path}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            # Every login has one, and not every host hands it on.
            "XDG_RUNTIME_DIR": str(folder / "run"),
            # Nothing but the fake model can be reached.
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            "MEMORYD_PRIVACY_OFFLINE": "true",
            "MEMORYD_HOSTS_WAIT_S": "5",
            **{name: value.replace("@URL@", self.model.url) for name, value in host.environment.items()},
        }
        for name, text in host.files.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(text.replace("@PROJECT@", str(self.project)))
        if host.name == "opencode":
            shutil.copytree(PLACE / "opencode-plugin", self.home / ".config/opencode")

    def memoryd(self, *arguments: str) -> str:
        done = subprocess.run(
            [MEMORYD, *arguments], cwd=self.project, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, prompt: str, *, again: bool = False) -> list[str]:
        """Run the program on a prompt; return what reached the model."""
        before = len(self.model.requests)
        words = [word.replace("@URL@", self.model.url).replace("@PROMPT@", prompt) for word in self.host.command]
        if again:
            at = words.index("-p") if "-p" in words else len(words) - 1
            words[at:at] = self.host.again
        done = subprocess.run(
            [self.host.program, *words],
            executable=shutil.which(self.host.program, path=self.environment["PATH"]),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        seen = self.model.seen()[before:]
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return [text for text in seen if prompt in text]

    def files(self) -> dict[str, bytes]:
        """Return the user's files that speak of memoryd, but for its own and the histories that programs keep."""
        found: dict[str, bytes] = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if path.is_file() and not name.startswith((".local/share/", ".cache/", ".npm/")):
                found[name] = path.read_bytes()
        return found


@pytest.fixture(params=list(HOSTS))
def world(request: pytest.FixtureRequest, models: Path) -> Iterator[World]:
    folder = Path(tempfile.mkdtemp(prefix="mr-"))
    made = World(HOSTS[request.param], folder, models)
    yield made
    subprocess.run([MEMORYD, "stop"], env=made.environment, capture_output=True, check=False)
    made.model.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(1200)
def test_what_is_told_in_one_session_is_known_in_another(world: World) -> None:
    host = world.host
    configured = set(host.files) | {name for name in world.files() if "opencode.json" in name}
    before = {name: content for name, content in world.files().items() if name in configured}
    world.memoryd("connect", host.name, *(["--trust"] if host.name == "codex" else []))
    assert f"{host.name}: connected already" in world.memoryd("connect", host.name)

    world.ask("Remember that the build server is called Zebra.")
    assert "Zebra" in world.memoryd("search", "what is the build server called?")
    world.memoryd("add", "Releases are announced in the channel sea-lion.")

    # In this very turn, in another session: it is in the first request that has the prompt.
    first = world.ask("In which channel are releases announced?")
    assert "sea-lion" in first[0]
    assert first[0].count("Releases are announced in the channel sea-lion.") == 1
    # The tools are offered, by name at least.
    assert any("memory_search" in text for text in first)
    other = world.ask("What is the name of the build server?")
    assert "called Zebra" in other[0]

    # It stands in the history by now, and is not told again.
    more = world.ask("Please say the name of the build server again.", again=True)
    assert "What is the name of the build server?" in more[0]
    assert more[0].count("called Zebra") == other[0].count("called Zebra")

    sessions = world.memoryd("session", "list")
    assert len(sessions.splitlines()) == 4, sessions
    found = world.memoryd("session", "search", "In which channel are releases announced?")
    assert found.count("In which channel are releases announced?") == 1
    assert "recalled-memories" not in world.memoryd("session", "export", "--all")
    assert "last heard" in world.memoryd("doctor")

    world.memoryd("disconnect", host.name)
    after = world.files()
    for name, content in before.items():
        # Claude Code and Qwen Code write into their own files whenever they run; what the user said there stays.
        changed_by_itself = host.name in ("claude", "qwen")
        assert after[name] == content or (
            changed_by_itself and json.loads(content).items() <= json.loads(after[name]).items()
        )
    histories = (".jsonl", ".db", ".db-wal", ".sqlite", ".sqlite-wal", ".log", ".claude.json")
    left = [name for name, content in after.items() if b"memoryd-hook" in content and not name.endswith(histories)]
    assert not [name for name in left if "/projects/" not in name and "/session" not in name], left
    assert "sea-lion" not in "".join(world.ask("Where do releases get announced?"))
