"""The hook program that agents' programs run: hands an event to the daemon and prints what the daemon answers.

It is copied into the daemon's home with the folder of the sockets filled in, and started by `python -IS`: no site
packages, and of the standard library only what is built into the interpreter. An agent waits for it before each turn.
On any failure it is silent and exits 0, and it never starts the daemon: an agent works without memory, but a hook that
fails keeps people from working. docs/hooks.md describes what goes over the socket.
"""

import _socket
import posix
import sys
import time

RUNTIME = ""
"""The folder of the daemon's sockets; where this is empty there is no daemon to ask."""
_GRACE_S = 0.15
"""How long the way to the daemon and back may take, beyond the time that the daemon itself may wait."""
_MOST_WAIT_S = 5.0
_CHUNK = 1 << 20


def main(arguments: list[str]) -> None:
    """Forward the event on stdin to the daemon: `memoryd-hook HOST [EVENT]`."""
    try:
        if not RUNTIME or not arguments or b"MEMORYD_INTERNAL" in posix.environ:
            return
        event = _read(0)
        answer = _ask(_head(arguments, len(event)) + event, time.monotonic() + _wait_s() + _GRACE_S)
        while answer:
            answer = answer[posix.write(1, answer) :]
    except BaseException:  # noqa: S110 - whatever it was: a failing hook must not be seen
        pass
    finally:
        posix._exit(0)  # pyright: ignore[reportPrivateUsage] - its public name is in `os`, which takes time to import


def _read(descriptor: int) -> bytes:
    parts: list[bytes] = []
    while part := posix.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts)


def _wait_s() -> float:
    """Return how long the daemon may wait for what belongs to this very turn, as it says beside its sockets."""
    try:
        descriptor = posix.open(f"{RUNTIME}/hooks.wait", posix.O_RDONLY)
    except FileNotFoundError:
        return 0.0
    return min(max(float(posix.read(descriptor, 32)), 0.0), _MOST_WAIT_S)


def _head(arguments: list[str], length: int) -> bytes:
    """Return the lines before the event: who asks, from where, on whose behalf."""
    said = {
        b"host": arguments[0].encode(),
        b"event": arguments[1].encode() if len(arguments) > 1 else b"",
        b"folder": posix.getcwdb(),
        b"project": posix.environ.get(b"MEMORYD_PROJECT", b""),
        b"owner": posix.environ.get(b"MEMORYD_OWNER", b""),
        b"length": b"%d" % length,
    }
    lines = [name + b" " + value + b"\n" for name, value in said.items() if value and b"\n" not in value]
    return b"memoryd-hook 1\n" + b"".join(lines) + b"\n"


def _ask(request: bytes, deadline: float) -> bytes:
    """Return what this user's daemon answers; nothing where another user listens there."""
    path = f"{RUNTIME}/hooks.sock"
    if posix.lstat(path).st_uid != posix.geteuid():
        return b""
    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.settimeout(_left(deadline))
    daemon.connect(path)
    rest = memoryview(request)
    while rest:
        rest = rest[daemon.send(rest) :]
        daemon.settimeout(_left(deadline))
    answer = b""
    while part := daemon.recv(_CHUNK):
        answer += part
        daemon.settimeout(_left(deadline))
    # Whole or not at all: half an answer is one that a host cannot read.
    head, _, body = answer.partition(b"\n")
    return body if head == b"%d" % len(body) else b""


def _left(deadline: float) -> float:
    """Return the seconds left; a socket takes 0 for: do not wait."""
    return max(deadline - time.monotonic(), 0.0)


if __name__ == "__main__":
    main(sys.argv[1:])
