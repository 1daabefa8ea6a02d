"""What the examination says about the units, with a real user manager behind them."""

import pytest

from memoryd.doctor.finding import Finding
from memoryd.doctor.process import examine_sockets, examine_systemd
from memoryd.system import service, units
from memoryd_client.base.paths import Paths

from .user_manager import UserManager

pytestmark = pytest.mark.systemd


def systemd(manager: UserManager, paths: Paths, python: str = "") -> list[Finding]:
    return list(examine_systemd(paths, manager.environ, python=python))


def test_a_service_that_is_not_installed_is_no_fault(manager: UserManager, paths: Paths) -> None:
    (finding,) = systemd(manager, paths)
    assert finding.level == "ok"
    assert "not installed" in finding.what


def test_a_running_service_is_well(manager: UserManager, paths: Paths, installed: list[str]) -> None:
    (finding,) = systemd(manager, paths)
    assert finding == Finding("systemd", "ok", "memoryd.socket is active, memoryd.service is active")


def test_looking_at_the_sockets_does_not_start_the_daemon(manager: UserManager, paths: Paths) -> None:
    service.install(paths, start=False, environ=manager.environ)
    manager.systemctl("start", "memoryd.socket")
    assert [finding.level for finding in examine_sockets(paths)] == ["ok"] * 4
    assert systemd(manager, paths)[0].what == "memoryd.socket is active, memoryd.service is inactive"
    assert manager.main_pid() == 0


def test_units_of_another_interpreter_are_found(manager: UserManager, paths: Paths, installed: list[str]) -> None:
    finding = systemd(manager, paths, "/opt/another/python")[0]
    assert (finding.level, finding.mend) == ("warn", "memoryd service install")


def test_a_unit_changed_by_hand_is_found(manager: UserManager, paths: Paths, installed: list[str]) -> None:
    unit = units.unit_folder(manager.environ) / "memoryd.service"
    unit.write_text(unit.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    finding = systemd(manager, paths)[0]
    assert finding.level == "warn"
    assert "systemctl --user edit memoryd.service" in finding.mend


def test_a_service_that_gave_up_is_found_and_the_mend_mends_it(manager: UserManager, paths: Paths) -> None:
    with pytest.raises(service.ServiceFailed):
        service.install(paths, start=True, python="/bin/false", environ=manager.environ)
    manager.wait_until(
        lambda: manager.show("memoryd.service", "ActiveState") == "failed", "systemd has given up on the service"
    )
    finding = systemd(manager, paths, "/bin/false")[0]
    assert finding.level == "fail"
    service.install(paths, start=False, environ=manager.environ)
    reset, start = (command.split()[2:] for command in finding.mend.split(" && "))
    manager.systemctl(*reset)
    manager.systemctl(*start)
    assert systemd(manager, paths)[0].level == "ok"
