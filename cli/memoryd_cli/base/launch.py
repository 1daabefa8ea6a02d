"""Starts the daemon of a home in the background, and stops the one that holds the home's lock.

A process is only ever signalled because it holds that kernel lock; never by its name, a port or a file that might be
stale.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

import msgspec

from memoryd_client.base.errors import DaemonUnreachable, DeadlineExceeded, MemorydError
from memoryd_client.base.paths import Paths
from memoryd_client.client import Client
from memoryd_client.wire.status import Pong

START_S = 60.0
"""How long a start may take: the first one may have to fetch and convert the model, later ones need two seconds."""
STOP_S = 30.0
"""How long a stop may take; the daemon gives what it accepted ten seconds (`daemon.drain_s`)."""
_GLANCE_S = 0.05


class Launched(msgspec.Struct, frozen=True):
    """A daemon that serves."""

    pid: int
    seconds: float
    """From the call until it was ready."""
    fresh: bool
    """False where it ran already."""


class LaunchFailed(MemorydError):
    """Raised when the daemon exits while starting, or is not ready in time."""

    def __init__(self, reason: str, log: Path, last_lines: str = "", hint: str = "") -> None:
        super().__init__(f"memoryd did not start: {reason}")
        self.log = log
        self.last_lines = last_lines
        """What this start has logged."""
        self.hint = hint or f"The log is {log}; `memoryd doctor` looks for the cause."


class StopFailed(MemorydError):
    """Raised when the home is still held after the daemon was asked to stop, or it cannot be told by whom."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def holder_pid(paths: Paths) -> int | None:
    """Return the pid of the process that holds the home's kernel lock; None: nobody does, 0: it does not say who."""
    from memoryd.lock import holder

    held = holder(paths)
    return None if held is None else held.pid or 0


def start(paths: Paths, *, environ: Mapping[str, str] | None = None, timeout_s: float = START_S) -> Launched:
    """Make sure that the home's daemon runs and is ready; start it, detached from this process, where it does not.

    Where systemd manages this home's daemon, systemd starts it. Where one is just stopping, the next is started once
    it is gone. `environ` replaces the daemon's environment.

    Raises:
        LaunchFailed: it exited, or was not ready within `timeout_s` seconds; or the sockets belong to another home.
    """
    begun = time.monotonic()
    deadline = begun + timeout_s
    logged = _size(paths.log)
    process: subprocess.Popen[bytes] | None = None
    asked_systemd = False
    try:
        while True:
            if process is None and not asked_systemd and holder_pid(paths) is None:
                _refuse_foreign_sockets(paths)
                if environ is None and managed_by_systemd(paths):
                    asked_systemd = True
                    if complaint := _tell_systemd(timeout_s, "start", _SERVICE):
                        raise LaunchFailed(complaint, paths.log)
                else:
                    process = _spawn(paths, environ)
            if pid := _serving(paths):
                return Launched(pid, time.monotonic() - begun, process is not None or asked_systemd)
            if process is not None and (code := _exit_code(process, _GLANCE_S)) is not None:
                if code == 0 or holder_pid(paths) is None:
                    raise LaunchFailed(f"it exited with code {code}", paths.log, tail(paths.log, since=logged))
                process = None  # another start was quicker; wait for that one
            if process is None:
                _refuse_sockets_elsewhere(paths)
                time.sleep(_GLANCE_S)
            if time.monotonic() > deadline:
                raise LaunchFailed(f"it was not ready within {timeout_s:g} s", paths.log, tail(paths.log, since=logged))
    finally:
        if process is not None and process.returncode is None:
            # It outlives this call, and may end before this process does: somebody has to hear of it then.
            Thread(target=process.wait, name="memoryd", daemon=True).start()


def _refuse_sockets_elsewhere(paths: Paths) -> None:
    """Raise LaunchFailed where the home is served, with its sockets in another folder than the one looked at."""
    from memoryd.lock import holder

    held = holder(paths)
    if held is not None and held.runtime and held.runtime != str(paths.runtime):
        failed = LaunchFailed(
            f"process {held.pid} serves {paths.home} with its sockets in {held.runtime}, not in {paths.runtime}",
            paths.log,
        )
        failed.hint = f"Set MEMORYD_RUNTIME_DIR={held.runtime}, or stop that daemon with `memoryd stop`."
        raise failed


def stop(paths: Paths, *, timeout_s: float = STOP_S) -> int | None:
    """Stop the process that holds the home's lock; return its pid once it is gone, None where there was none.

    Raises:
        StopFailed: it still holds the lock after `timeout_s` seconds.
    """
    deadline = time.monotonic() + timeout_s
    pid = holder_pid(paths)
    if pid is None:
        return None
    if pid == 0:
        raise StopFailed(f"a process that does not say which holds {paths.lock}", f"`fuser {paths.lock}` names it.")
    if managed_by_systemd(paths) and _main_pid() == pid:
        # systemd would otherwise start it again, by its restart rule or by the next client that knocks at its sockets.
        _tell_systemd(timeout_s, "stop", "memoryd.socket", _SERVICE)
    else:
        _terminate(paths, pid, timeout_s)
    while holder_pid(paths) == pid:
        if time.monotonic() > deadline:
            raise StopFailed(
                f"memoryd, pid {pid}, was asked to stop and still runs after {timeout_s:g} s",
                f"`memoryd logs` shows what it is doing; `kill -9 {pid}` ends it and loses nothing it acknowledged.",
            )
        time.sleep(_GLANCE_S)
    return pid


def tail(file: Path, lines: int = 10, *, since: int = 0) -> str:
    """Return the last lines of a file that were written behind byte `since`, nothing where it cannot be read."""
    try:
        with file.open("rb") as log:
            end = log.seek(0, os.SEEK_END)
            if since > end:  # it was rotated: all of it is new
                since = 0
            log.seek(max(since, end - 512 * lines))
            return b"\n".join(log.read().splitlines()[-lines:]).decode(errors="replace")
    except OSError:
        return ""


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _spawn(paths: Paths, environ: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    """Start `python -m memoryd` in a session of its own, so that it outlives this terminal."""
    paths.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(paths.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with open(descriptor, "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "memoryd"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=None if environ is None else dict(environ),
            start_new_session=True,
        )


def _ping(paths: Paths) -> Pong | None:
    try:
        with Client(paths=paths) as client:
            return client.ping(deadline_s=1.0)
    except (DaemonUnreachable, DeadlineExceeded):
        return None


def _serving(paths: Paths) -> int | None:
    """Return the pid of the daemon that is ready and serves this very home; None where there is none yet."""
    pong = _ping(paths)
    if pong is None or not pong.ready:
        return None
    held = holder_pid(paths)
    if held != pong.pid:
        _refuse_foreign_sockets(paths)
    return pong.pid if held in (pong.pid, 0) else None


def _refuse_foreign_sockets(paths: Paths) -> None:
    """Raise LaunchFailed where a daemon that serves another home answers at this home's sockets."""
    try:
        with Client(paths=paths, deadline_s=1.0) as client:
            status = client.status()
    except MemorydError:
        return
    if Path(status.home).resolve() != paths.home.resolve():
        raise LaunchFailed(
            f"the sockets in {paths.runtime} belong to process {status.pid}, which serves {status.home}, "
            f"not {paths.home}",
            paths.log,
            hint="Unset MEMORYD_RUNTIME_DIR, or set it to a folder of this home's own.",
        )


def _exit_code(process: subprocess.Popen[bytes], within_s: float) -> int | None:
    try:
        return process.wait(within_s)
    except subprocess.TimeoutExpired:
        return None


def _terminate(paths: Paths, pid: int, timeout_s: float) -> None:
    """Send SIGTERM to the holder and wait until it is gone; the kernel's handle on it rules out another of its pid."""
    try:
        if not hasattr(os, "pidfd_open"):
            os.kill(pid, signal.SIGTERM)
            return
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if holder_pid(paths) == pid:
            signal.pidfd_send_signal(handle, signal.SIGTERM)
            select.select([handle], [], [], timeout_s)
    except ProcessLookupError:
        return
    finally:
        os.close(handle)


# --- systemd --------------------------------------------------------------------------------------------------------

_SERVICE = "memoryd.service"


def managed_by_systemd(paths: Paths) -> bool:
    """Return whether this user's systemd has an enabled memoryd service, and it serves this home."""
    from memoryd.system.units import installed

    unit = installed(_SERVICE, os.environ)
    return unit is not None and str(paths.home) in unit and _ask_systemd("is-enabled", _SERVICE) == "enabled"


def _main_pid() -> int:
    answer = _ask_systemd("show", _SERVICE, "--property=MainPID", "--value")
    return int(answer) if answer.isdigit() else 0


def _ask_systemd(*arguments: str) -> str:
    """Return what systemctl prints; nothing where there is no systemctl or it does not answer."""
    try:
        answer = subprocess.run(
            ["systemctl", "--user", *arguments], capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip()


def _tell_systemd(timeout_s: float, *arguments: str) -> str:
    """Have systemctl do something; return what it complains of, nothing where it is done."""
    try:
        answer = subprocess.run(
            ["systemctl", "--user", *arguments], capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        return f"systemctl did not end within {timeout_s:g} s"
    return "" if answer.returncode == 0 else answer.stderr.strip() or f"systemctl exited with {answer.returncode}"
