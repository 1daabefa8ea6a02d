"""What the daemon and its service manager tell each other: readiness, watchdog, inherited sockets (sd_notify(3))."""

import logging
import os
import socket
import stat
from collections.abc import Mapping, MutableMapping
from pathlib import Path

import anyio

logger = logging.getLogger(__name__)

SOCKETS = ("push", "rpc", "events")
"""The sockets a service manager may hand over, named as in FileDescriptorName= or by their file: `push.sock`."""
FIRST_FD = 3
"""SD_LISTEN_FDS_START."""


def notify(state: str, *, environ: Mapping[str, str] | None = None) -> bool:
    """Tell the service manager a state: lines of `READY=1`, `STATUS=...`, `STOPPING=1`, `WATCHDOG=1` and their like.

    Never waits and never fails. Returns whether it was told; False without a NOTIFY_SOCKET, too.
    """
    where = (os.environ if environ is None else environ).get("NOTIFY_SOCKET", "")
    if not where:
        return False
    if where[0] not in "/@":
        logger.warning("NOTIFY_SOCKET is %r, which is neither a path nor an abstract socket: ignored", where)
        return False
    # An abstract socket is written with an at sign and addressed with a zero byte.
    address = "\0" + where[1:] if where[0] == "@" else where
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.setblocking(False)
            channel.sendto(state.encode(), address)
    except OSError as exc:
        logger.warning("cannot tell the service manager at %s: %s", where, exc)
        return False
    return True


def stopping(drain_s: float, *, environ: Mapping[str, str] | None = None) -> bool:
    """Announce the stop and ask for the time it may take, in seconds, plus ten to close everything."""
    return notify(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={int((drain_s + 10) * 1_000_000)}", environ=environ)


def watchdog_interval_s(*, environ: Mapping[str, str] | None = None) -> float | None:
    """Return how often to send `WATCHDOG=1`, in seconds: half of what is allowed. None where nobody watches."""
    env = os.environ if environ is None else environ
    allowed, pid = env.get("WATCHDOG_USEC", ""), env.get("WATCHDOG_PID", "")
    if not allowed.isdecimal() or int(allowed) == 0 or (pid and pid != str(os.getpid())):
        return None
    return int(allowed) / 2_000_000


async def feed_watchdog(*, environ: Mapping[str, str] | None = None) -> None:
    """Send `WATCHDOG=1` until cancelled; return at once where nobody watches.

    Run it in the event loop that serves: a loop that hangs feeds nobody, and is restarted.
    """
    interval_s = watchdog_interval_s(environ=environ)
    if interval_s is None:
        return
    while True:
        notify("WATCHDOG=1", environ=environ)
        await anyio.sleep(interval_s)


def inherited_sockets(*, environ: MutableMapping[str, str] | None = None) -> dict[str, int]:
    """Return the listening sockets handed over by the service manager: file descriptors by `push`, `rpc`, `events`.

    A socket goes by its FileDescriptorName, or else by the name of its file. They are closed on exec, and the
    variables that announced them are removed, so that no child takes them for its own. A descriptor that is none of
    the three is left alone, with a warning. Empty where nothing was handed over to this process.
    """
    env = os.environ if environ is None else environ
    pid, count, names = env.pop("LISTEN_PID", ""), env.pop("LISTEN_FDS", ""), env.pop("LISTEN_FDNAMES", "")
    if pid != str(os.getpid()) or not count.isdecimal():
        return {}
    found: dict[str, int] = {}
    labels = names.split(":") if names else []
    for position in range(int(count)):
        fd = FIRST_FD + position
        label = labels[position] if position < len(labels) else ""
        try:
            os.set_inheritable(fd, False)
            name = label if label in SOCKETS else _name_by_path(fd)
        except OSError as exc:
            logger.warning(
                "the service manager announced file descriptor %d (%s), which is unusable: %s", fd, label, exc
            )
            continue
        if name not in SOCKETS or name in found:
            logger.warning("the service manager handed over %r as file descriptor %d: not one of ours", label, fd)
            continue
        found[name] = fd
    return found


def _name_by_path(fd: int) -> str:
    """Return the stem of a Unix socket's file, empty for anything else."""
    if not stat.S_ISSOCK(os.fstat(fd).st_mode):
        return ""
    with socket.socket(fileno=os.dup(fd)) as copy:
        name: object = copy.getsockname() if copy.family == socket.AF_UNIX else ""
    return Path(name).stem if isinstance(name, str) else ""
