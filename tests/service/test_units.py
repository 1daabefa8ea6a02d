import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memoryd.doctor.process import examine_systemd
from memoryd.system import service, units
from memoryd.system.units import UnitState
from memoryd_client.base.paths import Paths

ENVIRON = {"HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1000", "PATH": os.environ["PATH"]}


def rendered(name: str, environ: dict[str, str] = ENVIRON) -> str:
    return units.shipped(name, paths=Paths.from_environment(environ), python="/opt/venv/bin/python", environ=environ)


def test_every_placeholder_is_filled_in() -> None:
    for name in units.NAMES:
        body = "\n".join(line for line in rendered(name).splitlines() if not line.startswith("#"))
        assert not re.search(r"@[A-Z_]+@", body)


def test_the_usual_folders_need_no_variables() -> None:
    assert "MEMORYD_HOME" not in rendered("memoryd.service")
    assert 'ReadWritePaths="-/home/ada/.local/share/memoryd" "-/run/user/1000/memoryd"' in rendered("memoryd.service")
    assert "ListenStream=/run/user/1000/memoryd/push.sock" in rendered("memoryd.socket")


@pytest.mark.parametrize("variable", ["MEMORYD_HOME", "MEMORYD_CONFIG", "MEMORYD_RUNTIME_DIR", "XDG_DATA_HOME"])
def test_folders_chosen_in_this_shell_are_handed_to_the_service(variable: str) -> None:
    chosen = ENVIRON | {variable: "/srv/100% mine"}
    paths = Paths.from_environment(chosen)
    unit = rendered("memoryd.service", chosen)
    for name, path in (("HOME", paths.home), ("CONFIG", paths.config), ("RUNTIME_DIR", paths.runtime)):
        assert f'Environment="MEMORYD_{name}={str(path).replace("%", "%%")}"' in unit
    assert f"ListenStream={str(paths.rpc_socket).replace('%', '%%')}" in rendered("memoryd.socket", chosen)


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user with a configuration, and with a `systemctl` that says that all is well."""
    (tmp_path / ".config/memoryd").mkdir(parents=True)
    systemctl = tmp_path / "systemctl"
    systemctl.write_text("#!/bin/sh\necho active\n", encoding="utf-8")
    systemctl.chmod(0o755)
    return {"HOME": str(tmp_path), "PATH": str(tmp_path)}


def configure(home: dict[str, str], sidecar: str) -> None:
    Paths.from_environment(home).config.write_text(f"[sidecar]\n{sidecar}\n", encoding="utf-8")


def writable(home: dict[str, str]) -> list[str]:
    """What the unit allows to be written, below the user's home and beside memoryd's own folders."""
    (line,) = [line for line in rendered("memoryd.service", home).splitlines() if line.startswith("ReadWritePaths=")]
    return [path.removeprefix(f"-{home['HOME']}/") for path in re.findall('"([^"]+)"', line)[2:]]


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("/opt/node/bin/claude", [".claude", ".claude.json"]),
        ("codex", [".codex"]),
        ("gemini --prompt 'my own line'", [".gemini"]),
        ("opencode", [".cache/opencode", ".config/opencode", ".local/share/opencode", ".local/state/opencode"]),
        ("my-model --quiet", []),
    ],
)
def test_an_agent_that_is_asked_can_write_its_own_state(home: dict[str, str], command: str, state: list[str]) -> None:
    configure(home, f'provider = "command"\ncommand = "{command}"')
    assert writable(home) == state


@pytest.mark.parametrize("sidecar", ["", 'provider = "none"\ncommand = "codex"', 'provider = "command"', "nonsense"])
def test_where_no_agent_is_asked_none_can_be_written_to(home: dict[str, str], sidecar: str) -> None:
    configure(home, sidecar)
    assert writable(home) == []


def test_a_unit_for_another_agent_is_found_by_the_doctor(home: dict[str, str]) -> None:
    paths = Paths.from_environment(home)
    units.unit_folder(home).mkdir(parents=True)
    for name in units.NAMES:
        unit = units.shipped(name, paths=paths, environ=home)
        (units.unit_folder(home) / name).write_text(unit, encoding="utf-8")
    assert [finding.level for finding in examine_systemd(paths, home)] == ["ok"]
    configure(home, 'provider = "command"\ncommand = "codex"')
    found = next(examine_systemd(paths, home))
    assert (found.level, found.mend) == ("warn", "memoryd service install")
    assert "another agent" in found.what


def test_a_path_that_a_unit_cannot_hold_is_refused() -> None:
    with pytest.raises(units.PathNotForUnit, match="cannot be written into a systemd unit"):
        rendered("memoryd.service", ENVIRON | {"MEMORYD_HOME": '/srv/"$(reboot)"'})


def test_a_unit_is_current_outdated_edited_foreign_or_absent() -> None:
    wanted = rendered("memoryd.service")
    assert units.compare(None, wanted) is UnitState.ABSENT
    assert units.compare(wanted, wanted) is UnitState.CURRENT
    assert units.compare(units.signed("[Service]\nNice=1\n"), wanted) is UnitState.OUTDATED
    assert units.compare(wanted.replace("Nice=5", "Nice=6"), wanted) is UnitState.EDITED
    assert units.compare(wanted + "Nice=6\n", wanted) is UnitState.EDITED
    assert units.compare("[Service]\nNice=1\n", wanted) is UnitState.FOREIGN


def test_without_systemctl_the_way_out_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    paths = Paths.from_environment(environ)
    with pytest.raises(service.ServiceFailed, match="no systemctl") as failure:
        service.install(paths, start=True, environ=environ)
    assert "memoryd start" in failure.value.hint
    with pytest.raises(service.ServiceFailed, match="no systemctl"):
        service.uninstall(paths, environ=environ)
    assert list(tmp_path.iterdir()) == []


def test_without_a_user_manager_units_that_lie_there_are_removed_and_systemd_was_not_told(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    folder = units.unit_folder(environ)
    for name in units.NAMES:
        wants = folder / "default.target.wants"
        wants.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(units.signed("[Service]\nNice=1\n"), encoding="utf-8")
        (wants / name).symlink_to(folder / name)
    steps = service.uninstall(Paths.from_environment(environ), environ=environ)
    assert not [path for path in folder.rglob("*") if not path.is_dir()]
    assert any("systemd was not told" in step and "no systemctl" in step for step in steps)
    assert not any("stopped" in step for step in steps)


@pytest.mark.skipif(shutil.which("systemctl") is None, reason="systemctl is not installed (package systemd)")
def test_without_a_user_manager_the_way_out_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    with pytest.raises(service.ServiceFailed, match="no systemd user manager") as failure:
        service.install(Paths.from_environment(environ), start=True, environ=environ)
    assert "loginctl enable-linger" in failure.value.hint
    assert list(tmp_path.iterdir()) == []


needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed (package systemd)"
)


@pytest.fixture
def written(tmp_path: Path) -> list[Path]:
    """The units as files, for an interpreter that exists."""
    paths = Paths.from_environment(ENVIRON)
    files = [tmp_path / name for name in units.NAMES]
    for file in files:
        file.write_text(units.shipped(file.name, paths=paths, python=sys.executable, environ=ENVIRON), encoding="utf-8")
    return files


def analyze(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    return subprocess.run(
        ["systemd-analyze", "--user", *arguments], env=environ, capture_output=True, text=True, check=False, timeout=60
    )


@needs_analyze
def test_systemd_finds_nothing_to_complain_of_in_the_units(tmp_path: Path, written: list[Path]) -> None:
    answer = analyze(tmp_path, "verify", "--man=no", *map(str, written))
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    spoiled = written[1]
    spoiled.write_text(spoiled.read_text(encoding="utf-8") + "\n[Service]\nNonsense=yes\n", encoding="utf-8")
    assert "Nonsense" in analyze(tmp_path, "verify", "--man=no", str(spoiled)).stderr


@needs_analyze
def test_the_sandbox_leaves_an_exposure_below_three(tmp_path: Path, written: list[Path]) -> None:
    answer = analyze(tmp_path, "security", "--offline=true", str(written[1]))
    exposure = re.search(r"Overall exposure level for memoryd\.service: ([0-9.]+)", answer.stdout)
    assert exposure is not None, answer.stdout + answer.stderr
    assert float(exposure[1]) < 3.0


def test_the_wheel_carries_the_templates(tmp_path: Path) -> None:
    backend: Any = pytest.importorskip("hatchling.builders.wheel", reason="the build backend is not installed")
    root = Path(__file__).parents[2]
    wheel = next(backend.WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"]))
    with zipfile.ZipFile(wheel) as archive:
        for name in units.NAMES:
            assert archive.read(f"memoryd/systemd/{name}").decode() == (units.templates() / name).read_text(
                encoding="utf-8"
            )
