"""A systemd user manager of our own, in scratch folders, so that no test meets the one of whoever runs it."""

import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SYSTEMD = Path("/lib/systemd/systemd")
BOOTED = Path("/run/systemd/system")
"""Its presence says that systemd runs this machine; systemctl refuses to talk without it."""
UNIT_ROOT = Path("/run/systemd/unit-root")
"""Where a manager run by root assembles the file system of a sandboxed service."""
INACCESSIBLE = Path("/run/systemd/inaccessible")
"""What a manager run by root mounts over what a service must not see; otherwise made at boot."""


class CannotRun(Exception):
    """Raised with the reason why there can be no user manager here."""


@dataclass(frozen=True)
class UserManager:
    """A running `systemd --user` and how to talk to it."""

    root: Path
    environ: dict[str, str]
    process: subprocess.Popen[bytes]

    def systemctl(self, *arguments: str, check: bool = True) -> str:
        """Run systemctl and return what it prints."""
        answer = subprocess.run(
            ["systemctl", "--user", "--no-pager", *arguments],
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        if check and answer.returncode != 0:
            raise AssertionError(f"systemctl {arguments}: {answer.stderr}\n{self.log()}")
        return answer.stdout.strip()

    def show(self, unit: str, name: str) -> str:
        """Return one property of a unit."""
        return self.systemctl("show", unit, f"--property={name}", "--value")

    def main_pid(self) -> int:
        """Return the process id of the daemon, 0 where it does not run."""
        return int(self.show("memoryd.service", "MainPID"))

    def wait_until(self, condition: Callable[[], bool], what: str, deadline_s: float = 40.0) -> None:
        """Wait for something that other processes do; they tell nobody, so look again and again."""
        until = time.monotonic() + deadline_s
        while not condition():
            if time.monotonic() > until:
                raise AssertionError(f"still not: {what}\n{self.systemctl('status', check=False)}\n{self.log()}")
            time.sleep(0.05)

    def forget_memoryd(self) -> None:
        """Stop memoryd and remove everything that a test may have left of it."""
        for unit in ("memoryd.service", "memoryd.socket"):
            self.systemctl("stop", unit, check=False)
        for folder in (".config/systemd/user", ".config/memoryd", ".local"):
            shutil.rmtree(self.root / "home" / folder, ignore_errors=True)
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed", check=False)

    def log(self) -> str:
        """Return the end of what the manager and its services wrote."""
        return (self.root / "log").read_text(encoding="utf-8", errors="replace")[-6000:]


@contextmanager
def user_manager() -> Generator[UserManager]:
    """Run a user manager.

    Raises:
        CannotRun: systemd is not installed, or will not run in here.

    """
    for need in ("systemctl", "dbus-daemon"):
        if shutil.which(need) is None:
            raise CannotRun(f"there is no {need}: install the packages systemd and dbus-user-session")
    if not SYSTEMD.exists():
        raise CannotRun(f"there is no {SYSTEMD}: install the package systemd")
    # Short, because socket paths are limited to about 104 bytes.
    root = Path(tempfile.mkdtemp(prefix="sd-"))
    made = [folder for folder in (BOOTED, INACCESSIBLE, UNIT_ROOT) if not folder.exists()]
    try:
        if not BOOTED.exists():
            try:
                BOOTED.mkdir(parents=True)
            except OSError as exc:
                raise CannotRun(f"systemd does not run this machine, and {BOOTED} cannot be made: {exc}") from exc
        with _running(root) as manager:
            yield manager
    finally:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def _running(root: Path) -> Generator[UserManager]:
    home, runtime = root / "home", root / "run"
    for folder in (home, runtime / "systemd"):
        folder.mkdir(parents=True)
    runtime.chmod(0o700)
    # Where no journal runs, services would write to nowhere.
    settings = home / ".config/systemd/user.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("[Manager]\nDefaultStandardOutput=inherit\nDefaultStandardError=inherit\n", encoding="utf-8")
    environ = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "PATH": os.environ["PATH"],
    }
    with (root / "log").open("wb") as log:
        process = subprocess.Popen([str(SYSTEMD), "--user"], env=environ, stdout=log, stderr=log, cwd=root)
    manager = UserManager(root, environ, process)
    try:
        _wait_for_answer(manager)
        if os.geteuid() == 0 and not INACCESSIBLE.exists():
            _copy_nodes(runtime / "systemd/inaccessible", INACCESSIBLE)
        yield manager
    finally:
        manager.systemctl("exit", check=False)
        try:
            process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)


def _wait_for_answer(manager: UserManager) -> None:
    until = time.monotonic() + 30
    while True:
        if manager.process.poll() is not None:
            raise CannotRun(f"systemd --user ended at once ({manager.process.returncode}): {manager.log()}")
        state = manager.systemctl("is-system-running", check=False)
        if state in {"running", "degraded"}:
            return
        if time.monotonic() > until:
            raise CannotRun(f"systemd --user does not come up, it is {state!r}: {manager.log()}")
        time.sleep(0.05)


def _copy_nodes(source: Path, target: Path) -> None:
    """Make the same special files again: shutil does not copy those."""
    target.mkdir(parents=True)
    for node in source.iterdir():
        mode = node.lstat().st_mode
        if stat.S_ISDIR(mode):
            (target / node.name).mkdir(mode=0)
        else:
            os.mknod(target / node.name, stat.S_IFMT(mode), node.lstat().st_rdev)
