"""The hook program and its socket, with the daemon's real server at the other end."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from memoryd.hosts import arrivals
from memoryd.hosts.request import MAX_EVENT_BYTES, HookRequest
from memoryd.hosts.server import HookServer
from memoryd.private_folder import private_folder
from memoryd_cli.connect import program
from memoryd_client.base.paths import Paths

Answer = Callable[[HookRequest], Awaitable[bytes]]


@asynccontextmanager
async def serving(paths: Paths, answer: Answer, wait_s: float = 5.0) -> AsyncGenerator[None]:
    private_folder(paths.runtime)
    async with anyio.create_task_group() as tasks:
        await tasks.start(HookServer(paths, answer, wait_s=wait_s).run)
        yield
        tasks.cancel_scope.cancel()


async def fire(hook: Path, *arguments: str, event: bytes = b"{}", **environment: str) -> tuple[int, bytes, bytes]:
    done = await anyio.run_process(
        [str(hook), *arguments], input=event, check=False, env={"PATH": os.environ["PATH"], **environment}
    )
    return done.returncode, done.stdout, done.stderr


class Recorder:
    def __init__(self, answer: bytes = b"") -> None:
        self.answer = answer
        self.seen: list[HookRequest] = []

    async def __call__(self, request: HookRequest) -> bytes:
        self.seen.append(request)
        return self.answer


async def test_the_event_arrives_as_it_came_and_the_answer_is_printed(paths: Paths, hook: Path) -> None:
    event = bytes(range(256)) * 4_000 + "größer\n\n".encode()
    answer = b'{"hookSpecificOutput": {}}' * 9_000
    recorder = Recorder(answer)
    async with serving(paths, recorder):
        done = await fire(hook, "copilot", "agentStop", event=event, MEMORYD_OWNER="ann", MEMORYD_PROJECT="/p q")
    assert done == (0, answer, b"")
    assert recorder.seen == [HookRequest("copilot", "agentStop", os.getcwd(), "/p q", "ann", event)]


async def test_an_empty_event_is_handed_on(paths: Paths, hook: Path) -> None:
    recorder = Recorder()
    async with serving(paths, recorder):
        assert await fire(hook, "claude", event=b"") == (0, b"", b"")
    assert [request.body for request in recorder.seen] == [b""]


async def test_without_a_daemon_the_hook_is_silent_and_starts_none(paths: Paths, hook: Path) -> None:
    assert await fire(hook, "claude") == (0, b"", b"")
    assert not paths.runtime.exists()


async def test_a_socket_left_by_a_killed_daemon_is_no_failure(paths: Paths, hook: Path) -> None:
    private_folder(paths.runtime)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(paths.hooks_socket))
    assert await fire(hook, "claude") == (0, b"", b"")


async def test_an_answer_that_does_not_come_in_time_is_not_waited_for(paths: Paths, hook: Path) -> None:
    given_up = anyio.Event()

    async def never(request: HookRequest) -> bytes:
        await given_up.wait()
        return b"too late"

    async with serving(paths, never, wait_s=0.0):
        assert await fire(hook, "claude") == (0, b"", b"")
        given_up.set()


async def test_a_handler_that_fails_leaves_the_hook_silent_and_the_service_alive(paths: Paths, hook: Path) -> None:
    recorder = Recorder(b"fine")

    async def failing_once(request: HookRequest) -> bytes:
        if request.event == "bad":
            raise ValueError("a bug")
        return await recorder(request)

    async with serving(paths, failing_once):
        assert await fire(hook, "claude", "bad") == (0, b"", b"")
        assert await fire(hook, "claude", "good") == (0, b"fine", b"")


async def test_agents_that_memoryd_itself_runs_are_not_heard(paths: Paths, hook: Path) -> None:
    recorder = Recorder(b"fine")
    async with serving(paths, recorder):
        assert await fire(hook, "claude", MEMORYD_INTERNAL="1") == (0, b"", b"")
        assert await fire(hook) == (0, b"", b"")
    assert recorder.seen == []


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"memoryd-hook 1\nhost claude\nlength 5\n\n{}",
        b"memoryd-hook 2\nhost claude\nlength 2\n\n{}",
        b"memoryd-hook 1\nhost ../../up\nlength 2\n\n{}",
        b"memoryd-hook 1\nlength 2\n\n{}",
        b"memoryd-hook 1\nhost claude\nlength many\n\n{}",
        b"memoryd-hook 1\nhost claude\nlength -1\n\n{}",
        b"memoryd-hook 1\nhost claude\nlength %d\n\n{}" % (MAX_EVENT_BYTES + 1),
        b"memoryd-hook 1\n" + b"folder " + b"a" * 40_000 + b"\n\n",
    ],
)
async def test_what_no_hook_sends_reaches_nobody(paths: Paths, sent: bytes) -> None:
    recorder = Recorder(b"fine")
    async with serving(paths, recorder), await anyio.connect_unix(paths.hooks_socket) as stream:
        await stream.send(sent)
        await stream.send_eof()
        with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await stream.receive()
    assert recorder.seen == []


async def test_the_socket_is_for_its_owner_alone_and_gone_afterwards(paths: Paths) -> None:
    async with serving(paths, Recorder(), wait_s=0.25):
        assert stat.S_IMODE(paths.hooks_socket.stat().st_mode) == 0o600
        assert paths.hooks_wait.read_text() == "0.25"
    assert list(paths.runtime.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_the_hook_does_not_talk_to_somebody_elses_daemon(paths: Paths, hook: Path) -> None:
    recorder = Recorder(b"fine")
    async with serving(paths, recorder):
        os.chown(paths.hooks_socket, 12345, 12345)
        assert await fire(hook, "claude") == (0, b"", b"")
    assert recorder.seen == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_somebody_else_is_not_answered(paths: Paths) -> None:
    recorder = Recorder(b"fine")
    code = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX); os.setuid(12345); s.connect(sys.argv[1]);"
        "s.sendall(b'memoryd-hook 1\\nhost claude\\nlength 2\\n\\n{}'); print(s.recv(10))"
    )
    async with serving(paths, recorder):
        for path, mode in ((paths.home, 0o755), (paths.runtime, 0o755), (paths.hooks_socket, 0o666)):
            path.chmod(mode)
        done = await anyio.run_process([sys.executable, "-IS", "-c", code, str(paths.hooks_socket)], check=False)
    assert (done.stdout, recorder.seen) in ((b"b''\n", []), (b"", []))


def test_the_hook_loads_nothing_that_takes_time_to_load(paths: Paths, hook: Path) -> None:
    text = hook.read_text().replace("posix._exit(0)", "sys.stderr.write(' '.join(sys.modules))", 1)
    hook.write_text(text)
    loaded = subprocess.run([str(hook), "claude"], input=b"", capture_output=True, check=True).stderr.decode().split()
    assert not {name.partition(".")[0] for name in loaded} & {"os", "site", "socket", "json", "re", "memoryd_client"}


@pytest.mark.parametrize("folder", ["with space", "w" * 130])
async def test_an_interpreter_that_no_first_line_can_name_is_found_all_the_same(
    paths: Paths, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = paths.home / folder / "bin"
    place.mkdir(parents=True)
    (place / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "prefix", str(place.parent))
    hook = paths.home / "memoryd-hook"
    hook.write_text(program.hook_text(paths))
    hook.chmod(0o700)
    async with serving(paths, Recorder(b"fine")):
        assert await fire(hook, "claude") == (0, b"fine", b"")


def test_arrivals_are_told_by_host(paths: Paths) -> None:
    assert arrivals.last(paths.arrivals, "codex") is None
    arrivals.note(paths.arrivals, "codex", "Stop")
    arrivals.note(paths.arrivals, "claude", "SessionStart")
    seen = arrivals.last(paths.arrivals, "codex")
    assert seen is not None
    assert seen.event == "Stop"
