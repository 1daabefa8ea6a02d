"""One daemon per home: a kernel lock that is held for life and gone with the process, however it ends."""

import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd.private_folder import FolderUnsafe, private_folder
from memoryd_actors.core.errors import Refused
from memoryd_client.base.paths import Paths

_ATTEMPTS, _PAUSE_S = 10, 0.02
"""Whoever asks who holds the lock holds it, shared, for an instant; that must not keep a daemon from starting."""


class Holder(msgspec.Struct, frozen=True):
    """The daemon that holds a home's lock, as it describes itself."""

    pid: int | None
    """None where the lock is held and the file does not say by whom."""
    started_at: str = ""
    """ISO 8601, UTC."""
    version: str = ""
    runtime: str = ""
    """Folder of its sockets."""


class HomeLocked(Refused):
    """Raised when another daemon serves this home already."""

    def __init__(self, home: Path, held: Holder) -> None:
        self.holder = held
        who = f"process {held.pid}" if held.pid else "a process that does not say which"
        since = f" since {held.started_at}" if held.started_at else ""
        sockets = f", with its sockets in {held.runtime}" if held.runtime else ""
        super().__init__(
            f"{home} is served by {who}{since}{sockets}",
            "Use that daemon, stop it with `memoryd stop`, or give this one another MEMORYD_HOME.",
        )


@contextmanager
def hold_home(paths: Paths, *, version: str) -> Generator[Holder]:
    """Hold the lock of a home, which is made where it is missing, and say in its file who holds it.

    The kernel lets go when the process ends. A child that is forked and not executed would go on holding it.

    Raises:
        HomeLocked: another daemon holds it; the message says which.
        FolderUnsafe: the home cannot be kept from others, or nothing can be written there.
    """
    private_folder(paths.home)
    try:
        descriptor = os.open(paths.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        raise _not_writable(paths.home, exc) from exc
    try:
        if not _locked(descriptor):
            raise HomeLocked(paths.home, _described(descriptor))
        held = Holder(
            pid=os.getpid(),
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
            version=version,
            runtime=str(paths.runtime),
        )
        text = {"pid": held.pid, "started_at": held.started_at, "version": held.version, "runtime": held.runtime}
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(text).encode(), 0)
        except OSError as exc:
            raise _not_writable(paths.home, exc) from exc
        yield held
    finally:
        # The file stays: removing it would let two daemons lock two files of one name.
        os.close(descriptor)


def holder(paths: Paths) -> Holder | None:
    """Return who holds a home's lock right now; None where nobody does, whatever the file says.

    Raises:
        PermissionError: the home is somebody else's.
    """
    try:
        descriptor = os.open(paths.lock, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        for _ in range(_ATTEMPTS):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                held = _described(descriptor)
                if held.pid is not None:
                    return held
                time.sleep(_PAUSE_S)  # it has the lock and is about to write who it is
            else:
                return None
        return Holder(pid=None)
    finally:
        os.close(descriptor)


def _not_writable(home: Path, error: OSError) -> FolderUnsafe:
    hint = "See that its file system has room and may be written to, or choose another place with MEMORYD_HOME."
    return FolderUnsafe(home, error.strerror or str(error), hint)


def _locked(descriptor: int) -> bool:
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_S)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        return True
    return False


def _described(descriptor: int) -> Holder:
    try:
        text = json.loads(os.pread(descriptor, 4096, 0))
        pid = text["pid"]
        return Holder(
            pid=pid if type(pid) is int and pid > 0 else None,
            started_at=str(text.get("started_at", "")),
            version=str(text.get("version", "")),
            runtime=str(text.get("runtime", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return Holder(pid=None)
