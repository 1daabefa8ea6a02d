"""The daemon under a real systemd user manager, from installation to removal."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.system import service, units
from memoryd_client import Client, Message
from memoryd_client.base.paths import Paths
from memoryd_client.wire.status import Pong

from .user_manager import UserManager

pytestmark = [pytest.mark.systemd, pytest.mark.slow]


def ping(paths: Paths) -> Pong:
    """Ask over the rpc socket, waiting for the daemon to start where it has to."""
    with Client(paths=paths) as client:
        return client.ping(deadline_s=30)


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
    manager: UserManager, paths: Paths, installed: list[str]
) -> None:
    before = manager.main_pid()
    steps = service.install(paths, start=True, environ=manager.environ)
    assert "memoryd.service is installed already" in steps
    assert manager.main_pid() == before


def test_a_request_starts_the_daemon(manager: UserManager, paths: Paths) -> None:
    service.install(paths, start=False, environ=manager.environ)
    manager.systemctl("start", "memoryd.socket")
    assert manager.main_pid() == 0
    assert ping(paths).pid == manager.main_pid()


@pytest.mark.usefixtures("with_model")
def test_a_context_pushed_before_the_daemon_runs_is_not_lost(manager: UserManager, paths: Paths) -> None:
    service.install(paths, start=False, environ=manager.environ)
    manager.systemctl("start", "memoryd.socket")
    said = "said before anybody listened: which port does the staging database use?"
    with Client(session="s1", paths=paths) as client:
        assert client.push_context([Message(role="user", content=said)])
        # Nothing else has knocked: it is the push that starts the daemon.
        manager.wait_until(lambda: manager.main_pid() != 0, "the daemon has been started")
        manager.wait_until(lambda: bool(client.why()), "the pushed context has been decided")
        assert client.why()[0].focus == said


@pytest.mark.usefixtures("with_model")
def test_the_model_the_index_and_the_ledger_work_inside_the_sandbox(manager: UserManager, paths: Paths) -> None:
    service.install(paths, start=True, environ=manager.environ)
    with Client(session="s1", paths=paths) as client:
        saved = client.remember("The staging database listens on port 5433.", scope="global")
        found = client.search("which port does the staging database use?")
        assert [hit.id for hit in found] == [saved.id]
        assert found[0].vector_score > 0.5
        assert Path(client.backup()).parent == paths.backups


def test_a_killed_daemon_is_started_again(manager: UserManager, paths: Paths, installed: list[str]) -> None:
    before = manager.main_pid()
    os.kill(before, signal.SIGKILL)
    manager.wait_until(restarted(manager, before), "another daemon serves")
    assert ping(paths).pid != before


def test_a_hung_daemon_is_replaced(manager: UserManager, paths: Paths) -> None:
    drop_in = units.unit_folder(manager.environ) / "memoryd.service.d"
    drop_in.mkdir(parents=True)
    (drop_in / "watchdog.conf").write_text("[Service]\nWatchdogSec=2\nTimeoutAbortSec=1\n", encoding="utf-8")
    service.install(paths, start=True, environ=manager.environ)
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
    manager: UserManager, paths: Paths, installed: list[str]
) -> None:
    unit = units.unit_folder(manager.environ) / "memoryd.service"
    edited = unit.read_text(encoding="utf-8").replace("Nice=5", "Nice=7")
    unit.write_text(edited, encoding="utf-8")
    assert any(step.startswith(f"kept {unit}") for step in service.install(paths, start=False, environ=manager.environ))
    assert any(step.startswith(f"kept {unit}") for step in service.uninstall(paths, environ=manager.environ))
    assert unit.read_text(encoding="utf-8") == edited
    assert manager.main_pid() == 0


def test_a_failing_daemon_is_told_with_the_reason_and_the_steps_done(manager: UserManager, paths: Paths) -> None:
    with pytest.raises(service.ServiceFailed, match=r"memoryd\.service") as failure:
        service.install(paths, start=True, python="/bin/false", environ=manager.environ)
    assert any(step.startswith("wrote ") for step in failure.value.steps)
    assert "journalctl" in failure.value.hint


def test_the_service_also_starts_without_the_part_of_the_sandbox_that_needs_user_namespaces(
    manager: UserManager, paths: Paths
) -> None:
    guide = (Path(__file__).parents[2] / "docs/systemd.md").read_text(encoding="utf-8")
    drop_in = units.unit_folder(manager.environ) / "memoryd.service.d/no-namespaces.conf"
    drop_in.parent.mkdir(parents=True)
    drop_in.write_text(re.findall(r"```\n(\[Service\]\n.*?)```", guide, re.DOTALL)[0], encoding="utf-8")
    service.install(paths, start=True, environ=manager.environ)
    namespaces = {
        Path(f"/proc/{pid}/ns/{kind}").readlink() for pid in ("self", manager.main_pid()) for kind in ("mnt", "user")
    }
    assert len(namespaces) == 2
    assert ping(paths).pid == manager.main_pid()


@pytest.mark.parametrize("asked", [True, False])
def test_the_state_of_an_agent_can_be_written_where_it_is_asked(
    manager: UserManager, paths: Paths, tmp_path: Path, *, asked: bool
) -> None:
    state = manager.root / "home/.codex"
    state.mkdir()
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ntouch "{state}/login"\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    with paths.config.open("a", encoding="utf-8") as file:
        file.write(f'[sidecar]\nprovider = "{"command" if asked else "none"}"\ncommand = "/opt/codex"\n')
    try:
        service.install(paths, start=True, python=str(python), environ=manager.environ)
        assert [one.name for one in state.iterdir()] == (["login"] if asked else [])
    finally:
        shutil.rmtree(state)
