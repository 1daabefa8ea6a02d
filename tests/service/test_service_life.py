"""The daemon under a real systemd user manager, from installation to removal."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import zmq

from memoryd import service, units
from memoryd_client.messages import Answer, Caller, ContextUpdate, Envelope, Message, Ping, Pong, decode_answer, encode
from memoryd_client.paths import Paths, address

from .user_manager import UserManager

pytestmark = [pytest.mark.systemd, pytest.mark.slow]


def ping(paths: Paths) -> Pong:
    """Ask over the rpc socket, as a client does."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.setsockopt(zmq.LINGER, 0)
        dealer.setsockopt(zmq.RCVTIMEO, 30_000)
        dealer.connect(address(paths.rpc_socket))
        dealer.send(encode(Envelope(id=1, request=Ping())))
        answer: Answer = decode_answer(dealer.recv())
    assert isinstance(answer.reply, Pong)
    return answer.reply


def push(paths: Paths, text: str) -> None:
    """Push a context and leave once it has been handed to the socket."""
    update = ContextUpdate(caller=Caller(session="s1"), messages=(Message(role="user", content=text),))
    with zmq.Context() as context, context.socket(zmq.PUSH) as pusher:
        pusher.setsockopt(zmq.LINGER, 40_000)
        pusher.connect(address(paths.push_socket))
        pusher.send(encode(update))


def restarted(manager: UserManager, before: int) -> Callable[[], bool]:
    """Whether another process than `before` serves by now."""
    return lambda: manager.main_pid() not in {0, before} and manager.show("memoryd.service", "ActiveState") == "active"


def test_install_starts_a_service_that_is_ready_and_answers(
    manager: UserManager, paths: Paths, installed: list[str]
) -> None:
    assert installed[-1] == "started memoryd.service: it is ready"
    assert manager.show("memoryd.service", "ActiveState") == "active"
    assert manager.show("memoryd.service", "UnitFileState") == "enabled"
    assert manager.show("memoryd.socket", "UnitFileState") == "enabled"
    assert ping(paths).pid == manager.main_pid()
    assert paths.rpc_socket.stat().st_mode & 0o777 == 0o600
    assert paths.runtime.stat().st_mode & 0o777 == 0o700
    assert paths.home.stat().st_mode & 0o777 == 0o700


def test_the_service_runs_in_its_sandbox(manager: UserManager, installed: list[str]) -> None:
    process = Path(f"/proc/{manager.main_pid()}")
    lines = (process / "status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    assert int(status["CapBnd"], 16) == 0
    mounts = [line.split() for line in (process / "mountinfo").read_text(encoding="utf-8").splitlines()]
    root = [mount for mount in mounts if mount[4] == "/"][-1]
    assert "ro" in root[5].split(",")


def test_installing_twice_changes_nothing_and_keeps_the_daemon_running(
    manager: UserManager, paths: Paths, python: str, installed: list[str]
) -> None:
    before = manager.main_pid()
    steps = service.install(paths, start=True, python=python, environ=manager.environ)
    assert "memoryd.service is installed already" in steps
    assert manager.main_pid() == before


def test_a_request_starts_the_daemon(manager: UserManager, paths: Paths, python: str) -> None:
    service.install(paths, start=False, python=python, environ=manager.environ)
    manager.systemctl("start", "memoryd.socket")
    assert manager.main_pid() == 0
    assert ping(paths).pid == manager.main_pid()


def test_a_context_pushed_before_the_daemon_runs_is_not_lost(manager: UserManager, paths: Paths, python: str) -> None:
    service.install(paths, start=False, python=python, environ=manager.environ)
    manager.systemctl("start", "memoryd.socket")
    push(paths, "said before anybody listened")
    received = paths.home / "received"
    manager.wait_until(
        lambda: received.exists() and "said before anybody listened" in received.read_text(encoding="utf-8"),
        "the pushed context has arrived",
    )


def test_a_killed_daemon_is_started_again(manager: UserManager, paths: Paths, installed: list[str]) -> None:
    before = manager.main_pid()
    os.kill(before, signal.SIGKILL)
    manager.wait_until(restarted(manager, before), "another daemon serves")
    assert ping(paths).pid != before


def test_a_hung_daemon_is_replaced(manager: UserManager, paths: Paths, python: str) -> None:
    drop_in = units.unit_folder(manager.environ) / "memoryd.service.d"
    drop_in.mkdir(parents=True)
    (drop_in / "watchdog.conf").write_text("[Service]\nWatchdogSec=2\nTimeoutAbortSec=1\n", encoding="utf-8")
    service.install(paths, start=True, python=python, environ=manager.environ)
    before = manager.main_pid()
    os.kill(before, signal.SIGSTOP)
    manager.wait_until(restarted(manager, before), "another daemon serves")
    assert ping(paths).pid != before
    assert manager.show("memoryd.service", "NRestarts") == "1"


def test_a_stop_drains_exits_cleanly_and_the_next_request_starts_it_again(
    manager: UserManager, paths: Paths, installed: list[str]
) -> None:
    before = ping(paths).pid
    manager.systemctl("stop", "memoryd.service")
    assert manager.show("memoryd.service", "Result") == "success"
    assert manager.show("memoryd.service", "ExecMainStatus") == "0"
    assert manager.show("memoryd.service", "ExecMainCode") == "1"  # CLD_EXITED: not by a signal
    assert manager.main_pid() == 0
    assert paths.rpc_socket.is_socket()
    assert ping(paths).pid not in {0, before}


def test_uninstalling_stops_and_removes_the_units_and_leaves_the_data(
    manager: UserManager, paths: Paths, installed: list[str]
) -> None:
    (paths.home / "mine").write_text("kept", encoding="utf-8")
    steps = service.uninstall(paths, environ=manager.environ)
    folder = units.unit_folder(manager.environ)
    assert f"removed {folder / 'memoryd.service'}" in steps
    assert not list(folder.rglob("*memoryd*"))
    assert manager.show("memoryd.service", "LoadState") == "not-found"
    assert not paths.rpc_socket.exists()
    assert (paths.home / "mine").read_text(encoding="utf-8") == "kept"
    again = service.uninstall(paths, environ=manager.environ)
    assert again == ["nothing to remove: memoryd is not installed as a service"]


def test_a_unit_changed_by_hand_survives_installing_and_uninstalling(
    manager: UserManager, paths: Paths, python: str, installed: list[str]
) -> None:
    unit = units.unit_folder(manager.environ) / "memoryd.service"
    edited = unit.read_text(encoding="utf-8").replace("Nice=5", "Nice=7")
    unit.write_text(edited, encoding="utf-8")
    assert any(
        step.startswith(f"kept {unit}")
        for step in service.install(paths, start=False, python=python, environ=manager.environ)
    )
    assert any(step.startswith(f"kept {unit}") for step in service.uninstall(paths, environ=manager.environ))
    assert unit.read_text(encoding="utf-8") == edited
    assert manager.main_pid() == 0


def test_a_failing_daemon_is_told_with_the_reason_and_the_steps_done(manager: UserManager, paths: Paths) -> None:
    with pytest.raises(service.ServiceFailed, match=r"memoryd\.service") as failure:
        service.install(paths, start=True, python="/bin/false", environ=manager.environ)
    assert any(step.startswith("wrote ") for step in failure.value.steps)
    assert "journalctl" in failure.value.hint
