"""Installing memoryd as a systemd user service, and taking it away again."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from memoryd.config import overrides
from memoryd.rewriting import rewriting
from memoryd.system import units
from memoryd.system.units import UnitState
from memoryd_actors.core.errors import DaemonError
from memoryd_client.base.paths import Paths

WITHOUT_SYSTEMD = "`memoryd start` runs the daemon without systemd."
SYSTEMCTL_TIMEOUT_S = 150.0
"""More than the service's own start timeout, so that systemd is the one who says what went wrong."""
NO_NAMESPACES = {"217": "USER", "226": "NAMESPACE"}
"""Exit statuses with which systemd says that the kernel does not allow the sandbox."""


class ServiceFailed(DaemonError):
    """Raised when the service could not be installed, started or removed; `steps` had been done by then."""

    def __init__(self, message: str, hint: str, steps: list[str] | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.steps = tuple(steps or ())


def install(paths: Paths, *, start: bool, python: str = "", environ: Mapping[str, str] | None = None) -> list[str]:
    """Write, enable and (with `start`) start the user units; return the steps done, in words.

    The service is run by `python`, by default the interpreter of this process.
    Doing it again brings outdated units up to date. A unit that was changed by hand, and drop-ins, stay as they are.

    Raises:
        ServiceFailed: there is no systemd user manager, or it refuses.
        PathNotForUnit: a path cannot stand in a unit.
    """
    env = os.environ if environ is None else environ
    folder = _reachable_folder(env)
    steps: list[str] = []
    for data in (paths.home, paths.temporary):
        if not data.is_dir():
            data.mkdir(mode=0o700, parents=True, exist_ok=True)
            steps.append(f"created {data}")
    written = False
    for name in units.NAMES:
        wanted = units.shipped(name, paths=paths, python=python, environ=env)
        match units.compare(units.installed(name, env), wanted):
            case UnitState.CURRENT:
                steps.append(f"{name} is installed already")
            case UnitState.ABSENT | UnitState.OUTDATED:
                _write(folder / name, wanted)
                written = True
                steps.append(f"wrote {folder / name}")
            case UnitState.EDITED | UnitState.FOREIGN:
                steps.append(
                    f"kept {folder / name}, which was changed by hand "
                    f"(to have the shipped one: delete it, then `memoryd service install`)"
                )
    _systemctl(env, steps, "daemon-reload")
    _systemctl(env, steps, "enable", *units.NAMES)
    steps.append("enabled memoryd.socket and memoryd.service: they start when you log in")
    if start:
        # A unit that changed takes effect only on a restart, and a restart also starts what does not run.
        _systemctl(env, steps, "restart" if written else "start", *units.NAMES)
        steps.append("started memoryd.service: it is ready")
    steps += _advice(env)
    return steps


def uninstall(paths: Paths, *, environ: Mapping[str, str] | None = None) -> list[str]:
    """Stop, disable and remove the units that `install` wrote; return the steps done, in words.

    Data, drop-ins and units changed by hand stay. Doing it again finds nothing to do. Where no user manager answers,
    the files are removed all the same, and the steps say that systemd does not know.

    Raises:
        ServiceFailed: there is nothing to remove and no systemd user manager, or it refuses.
    """
    env = os.environ if environ is None else environ
    steps: list[str] = []
    # The interpreter does not matter here: current and outdated units are both ours to remove.
    states = {name: units.compare(units.installed(name, env), "") for name in units.NAMES}
    ours = [name for name, state in states.items() if state in {UnitState.OUTDATED, UnitState.EDITED}]
    unreachable = ""
    try:
        folder = _reachable_folder(env)
    except ServiceFailed as failed:
        if not ours:
            raise
        folder, unreachable = units.unit_folder(env), str(failed)
        for link in [link for name in ours for link in folder.glob(f"*.wants/{name}") if link.is_symlink()]:
            link.unlink()
            steps.append(f"removed {link}")
    if ours and not unreachable:
        _systemctl(env, steps, "stop", *ours)
        _systemctl(env, steps, "disable", *ours)
        steps.append(f"stopped and disabled {' and '.join(ours)}")
    steps += _remove(folder, states)
    if not ours:
        return [*steps, "nothing to remove: memoryd is not installed as a service"]
    if unreachable:
        steps.append(
            f"systemd was not told, because {unreachable}: what it runs goes on until you log out, or `memoryd stop`"
        )
    else:
        _systemctl(env, steps, "daemon-reload")
        # What is gone cannot be reset, and need not be.
        _run(env, "reset-failed", *ours)
    steps.append(f"your memories are still in {paths.home}")
    return steps


def _remove(folder: Path, states: Mapping[str, UnitState]) -> list[str]:
    """Remove the units that are ours and unchanged; return what was done, and what was left alone and why."""
    steps: list[str] = []
    for name, state in states.items():
        match state:
            case UnitState.ABSENT:
                continue
            case UnitState.CURRENT | UnitState.OUTDATED:
                (folder / name).unlink()
                steps.append(f"removed {folder / name}")
            case UnitState.EDITED:
                steps.append(f"kept {folder / name}, which was changed by hand: delete it yourself")
            case UnitState.FOREIGN:
                steps.append(f"left {folder / name} alone: memoryd did not install it")
        if (folder / f"{name}.d").is_dir():
            steps.append(f"left the drop-ins in {folder / name}.d alone")
    return steps


def _advice(env: Mapping[str, str]) -> list[str]:
    """Say what the service will not see of this shell, and how to have it."""
    settings = sorted(f"MEMORYD_{section}_{key}".upper() for section, key in overrides(env))
    if env.get("ANTHROPIC_API_KEY"):
        settings.append("ANTHROPIC_API_KEY")
    if not settings:
        return []
    return [
        f"note: the service does not see this shell's {', '.join(settings)}: "
        "set it with `memoryd config set`, or in the file `environment` beside the configuration"
    ]


def _reachable_folder(env: Mapping[str, str]) -> Path:
    """Return the folder for units, once a user manager has said that it looks there."""
    answer = _run(env, "show", "--property=UnitPath", "--value")
    if answer.returncode != 0:
        raise ServiceFailed(
            f"no systemd user manager answers: {answer.stderr.strip() or 'no reason given'}",
            "Log in as this user (not through su or sudo), or let systemd keep a manager for you: "
            f"`loginctl enable-linger`. {WITHOUT_SYSTEMD}",
        )
    folder = units.unit_folder(env)
    # Separated by blanks, which a path may have, too.
    if f" {folder} " not in f" {answer.stdout.strip()} ":
        raise ServiceFailed(
            f"the systemd user manager does not look for units in {folder}",
            "Unset XDG_CONFIG_HOME, or set it for the manager, too: "
            "`systemctl --user import-environment XDG_CONFIG_HOME`, then log in again.",
        )
    return folder


def _write(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with rewriting(path) as file:
        file.write(text.encode())
    path.chmod(0o644)


def ask_manager(
    env: Mapping[str, str], command: Sequence[str], *, timeout_s: float, absent: str, late: str
) -> subprocess.CompletedProcess[str]:
    """Run the command of a service manager; `absent` and `late` are hints.

    Raises:
        ServiceFailed: there is none, or no answer in time.
    """
    try:
        return subprocess.run(command, env=dict(env), capture_output=True, text=True, check=False, timeout=timeout_s)
    except FileNotFoundError as exc:
        raise ServiceFailed(f"there is no {command[0]} on this machine", absent) from exc
    except subprocess.TimeoutExpired as exc:
        raise ServiceFailed(f"`{' '.join(command)}` did not end within {timeout_s:g} s", late) from exc


def _run(env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Ask the user manager."""
    command = ("systemctl", "--user", "--no-pager", "--no-ask-password", *arguments)
    late = "`journalctl --user --unit memoryd.service` may say why."
    return ask_manager(env, command, timeout_s=SYSTEMCTL_TIMEOUT_S, absent=WITHOUT_SYSTEMD, late=late)


def _systemctl(env: Mapping[str, str], steps: list[str], *arguments: str) -> None:
    """Have the user manager do something.

    Raises:
        ServiceFailed: it refuses; the hint is about the reason where that is known.
    """
    answer = _run(env, *arguments)
    if answer.returncode == 0:
        return
    hint = "`journalctl --user --unit memoryd.service --lines 30` says more; `memoryd doctor` may know."
    status = _run(env, "show", "memoryd.service", "--property=ExecMainStatus", "--value").stdout.strip()
    if status in NO_NAMESPACES:
        hint = (
            f"This kernel does not allow the sandbox ({status}/{NO_NAMESPACES[status]}). "
            "Allow unprivileged user namespaces, or go without: docs/systemd.md, The sandbox. "
            f"{WITHOUT_SYSTEMD}"
        )
    raise ServiceFailed(f"`systemctl --user {' '.join(arguments)}` failed: {answer.stderr.strip()}", hint, steps)
