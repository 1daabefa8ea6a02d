"""Who serves the home, whether the sockets are alive, and what systemd says."""

import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from memoryd.doctor.finding import Finding, fail, ok, quoted, warn
from memoryd.lock import Holder, holder
from memoryd.system import units
from memoryd.system.units import UnitState
from memoryd_client.base.errors import UnsafeSocket
from memoryd_client.base.paths import Paths
from memoryd_client.transport.socket_files import check_path, listening
from memoryd_client.wire.status import Status

_LISTENS = 0x10000
"""__SO_ACCEPTCON in the flags of /proc/net/unix."""


def examine_lock(paths: Paths, status: Status | None) -> Iterator[Finding]:
    """Report who holds the home, as the kernel knows it, and whether it answered."""
    try:
        held = holder(paths)
    except PermissionError:
        yield fail("lock", f"{paths.lock} cannot be read", f"ls -l {quoted(paths.lock)}")
        return
    if held is None:
        left = " (its lock file is left from an earlier one, which is as it should be)" if paths.lock.exists() else ""
        yield ok("daemon", f"no daemon serves {paths.home}{left}")
        return
    who = f"process {held.pid}" if held.pid else "a process that does not say which"
    if held.runtime and held.runtime != str(paths.runtime):
        yield warn(
            "daemon",
            f"{who} serves {paths.home} with its sockets in {held.runtime}, and clients here look in {paths.runtime}",
            f"export MEMORYD_RUNTIME_DIR={quoted(Path(held.runtime))}",
        )
    elif status is None:
        yield warn("daemon", f"{who} serves {paths.home} and was not heard from", "memoryd restart")
    else:
        yield from _status(status, held)


def _status(status: Status, held: Holder) -> Iterator[Finding]:
    if held.pid is not None and held.pid != status.pid:
        yield fail(
            "daemon",
            f"process {status.pid} answers, but process {held.pid} holds the home",
            "memoryd restart",
        )
    else:
        state = "is ready" if status.ready else "is not ready yet"
        yield ok("daemon", f"process {status.pid}, memoryd {status.version}, {state}")
    for name, part in status.components.items():
        if name == "index":  # is examined with the ledger
            continue
        match part.state:
            case "failed":
                yield fail(name, part.message or f"{name} has failed", part.hint or "memoryd logs")
            case "degraded":
                yield warn(name, part.message or f"{name} is degraded", part.hint or "memoryd logs")
            case "off" if name == "memory":
                yield warn(name, part.message, part.hint)
            case _:
                continue


def examine_sockets(paths: Paths) -> Iterator[Finding]:
    """Report paths that are too long, files nobody listens at, and files that others can use."""
    living = _listening_paths()
    for path in (paths.push_socket, paths.rpc_socket, paths.events_socket, paths.hooks_socket):
        name = f"{path.stem} socket"
        try:
            check_path(path)
        except UnsafeSocket as exc:
            yield fail(name, str(exc), exc.hint)
            continue
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            yield ok(name, f"nothing is at {path} yet")
            continue
        except PermissionError:
            yield fail(name, f"{path} cannot be looked at", f"ls -ld {quoted(path.parent)}")
            continue
        if not stat.S_ISSOCK(mode):
            yield fail(name, f"{path} is not a socket", f"mv {quoted(path)} {quoted(path)}.aside")
        elif mode & 0o077:
            yield fail(name, f"others can use {path}", f"chmod 600 {quoted(path)}")
        elif str(path) in living if living is not None else listening(path):
            yield ok(name, f"somebody listens at {path}")
        elif _is_mounted(paths.runtime):
            # The kernel names a socket by the path at which its daemon made it, and only where that daemon is.
            yield ok(name, f"{path} is there, in a folder mounted from elsewhere: `memoryd status` asks who listens")
        else:
            yield warn(name, f"{path} is left over: nobody listens there", "memoryd start")


def _listening_paths() -> frozenset[str] | None:
    """Return the paths at which somebody listens; None where the kernel does not list them.

    Read rather than tried: to connect would start a daemon that waits for its first client.
    """
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        return None
    fields = [line.split(maxsplit=7) for line in lines]
    return frozenset(field[7] for field in fields if len(field) == 8 and int(field[3], 16) & _LISTENS)


def _is_mounted(folder: Path) -> bool:
    """Return whether something is mounted there, be it a part of the same file system, which `is_mount` overlooks."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return folder.is_mount()
    return str(folder).replace(" ", r"\040") in {line.split(maxsplit=5)[4] for line in mounts}


def examine_systemd(paths: Paths, environ: Mapping[str, str], *, python: str = "") -> Iterator[Finding]:
    """Report whether the units are installed, still as shipped, and well."""
    if shutil.which("systemctl", path=environ.get("PATH")) is None:
        yield ok("systemd", "systemd is not here; `memoryd start` does without")
        return
    folder = units.unit_folder(environ)
    found = 0
    for name in units.NAMES:
        try:
            state = units.compare(
                units.installed(name, environ), units.shipped(name, paths=paths, python=python, environ=environ)
            )
        except units.PathNotForUnit as exc:
            yield warn("systemd", str(exc), exc.hint)
            return
        found += state is not UnitState.ABSENT
        match state:
            case UnitState.ABSENT | UnitState.CURRENT:
                continue
            case UnitState.OUTDATED:
                said = (
                    f"{folder / name} is not what would be installed now, after a new version or another agent to ask"
                )
                yield warn("systemd", said, "memoryd service install")
            case UnitState.EDITED | UnitState.FOREIGN:
                yield warn(
                    "systemd",
                    f"{folder / name} was changed by hand, and is no longer brought up to date",
                    f"systemctl --user edit {name}  # for changes that stay; "
                    f"then rm {quoted(folder / name)} && memoryd service install",
                )
    if not found:
        yield ok("systemd", "memoryd is not installed as a service (`memoryd service install` does that)")
    elif found < len(units.NAMES):
        yield fail("systemd", "only one of the two units is installed", "memoryd service install")
    else:
        yield _manager_says(environ)


def _manager_says(environ: Mapping[str, str]) -> Finding:
    states: list[str] = []
    for name in units.NAMES:
        try:
            answer = subprocess.run(
                ["systemctl", "--user", "show", name, "--property=ActiveState", "--value"],
                env=dict(environ),
                capture_output=True,
                text=True,
                check=False,
                timeout=10,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            return warn("systemd", f"systemctl does not answer: {exc}", "systemctl --user status memoryd.service")
        if answer.returncode != 0:
            return warn("systemd", f"no user manager answers: {answer.stderr.strip()}", "loginctl enable-linger")
        states.append(answer.stdout.strip())
    said = ", ".join(f"{name} is {state}" for name, state in zip(units.NAMES, states, strict=True))
    if "failed" in states:
        return fail(
            "systemd",
            f"{said}: `journalctl --user --unit memoryd.service --lines 30` says why",
            f"systemctl --user reset-failed {' '.join(units.NAMES)} && systemctl --user start {' '.join(units.NAMES)}",
        )
    return ok("systemd", said)
