"""The daemon's socket files: who may answer there, and whether anybody does."""

import errno
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from memoryd_client.base.errors import DaemonUnreachable, UnsafeSocket

MAX_PATH_BYTES: Final = 103
"""Longest path of a Unix socket that both Linux (108 bytes with its end) and macOS (104) take."""


def check_path(path: Path) -> None:
    """Raise UnsafeSocket where the path is too long for a socket."""
    size = len(os.fsencode(path))
    if size > MAX_PATH_BYTES:
        raise UnsafeSocket(
            str(path),
            f"the path has {size} bytes and a socket's may have {MAX_PATH_BYTES}",
            "Set MEMORYD_RUNTIME_DIR to a folder with a shorter path.",
        )


def check_private(path: Path) -> None:
    """Make sure that only this user, or root, can be behind a socket.

    Raises:
        UnsafeSocket: the socket or its folder belongs to somebody else or is open to others; the path is too long.
        DaemonUnreachable: there is no such socket.
    """
    check_path(path)
    try:
        _check_owned(path.parent)
        _check_owned(path)
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise DaemonUnreachable(str(path)) from exc
    except OSError as exc:
        raise DaemonUnreachable(str(path), exc.strerror or str(exc)) from exc


def check_later(path: Path) -> None:
    """As `check_private`, but a socket that is not there yet passes where nobody else could put one.

    Raises:
        UnsafeSocket: somebody else can.
    """
    try:
        check_private(path)
    except UnsafeSocket:
        raise
    except DaemonUnreachable as unreachable:
        for folder in path.parents:
            try:
                status = folder.stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                raise unreachable from None
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022:
                raise UnsafeSocket(
                    str(path), f"others can write to {folder}", "Create the folder yourself with mode 0700."
                ) from None
            return


def make_later(path: Path) -> None:
    """As `check_later`; where others can write to the folder above, what is missing is made for this user alone.

    Only where nobody else could move it away again. Nothing is raised where it cannot be made.

    Raises:
        UnsafeSocket: somebody else can put a socket there.
    """
    try:
        check_later(path)
    except UnsafeSocket:
        missing = [folder for folder in path.parents if not os.path.lexists(folder)]
        if not missing or _is_anybodys(missing[-1].parent):
            raise
        with suppress(OSError):
            for folder in reversed(missing):
                folder.mkdir(mode=0o700)
        check_later(path)


def _is_anybodys(folder: Path) -> bool:
    """Return whether somebody else could move away what this user puts into a folder."""
    try:
        status = folder.stat()
    except OSError:
        return True
    open_to_all = status.st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
    return open_to_all or status.st_uid not in (0, os.geteuid())


def _check_owned(path: Path) -> None:
    status = path.lstat()
    _check_owner(path, status)
    if stat.S_ISLNK(status.st_mode):
        status = path.stat()
        _check_owner(path, status)
    if status.st_mode & 0o077:
        raise UnsafeSocket(
            str(path), f"others may use it (mode {stat.S_IMODE(status.st_mode):04o})", f"Run `chmod go= {path}`."
        )


def _check_owner(path: Path, status: os.stat_result) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise UnsafeSocket(
            str(path),
            f"it belongs to user {status.st_uid}, not to you",
            "Set MEMORYD_RUNTIME_DIR to a folder of your own.",
        )


def listening(path: Path) -> bool:
    """Return whether somebody, or systemd on their behalf, accepts connections at a socket file. Never blocks."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        # A full backlog (EAGAIN) means that somebody is there and busy, or stopped.
        return probe.connect_ex(os.fsencode(path)) in (0, errno.EAGAIN, errno.EINPROGRESS)


def check_listening(path: Path) -> None:
    """Raise DaemonUnreachable, or UnsafeSocket, where no daemon of this user's accepts connections."""
    check_private(path)
    if not listening(path):
        raise DaemonUnreachable(str(path))
