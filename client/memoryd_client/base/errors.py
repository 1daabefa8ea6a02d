"""What a client can run into.

MemorydError
├── DaemonUnreachable        no daemon, or it stopped answering
│   ├── UnsafeSocket         its sockets are open to others, or cannot exist: nothing was sent
│   └── KeyRefused           over a network: a key file cannot be used, or the daemon does not know it: nothing was sent
├── DeadlineExceeded         it is there and did not answer in time
├── InvalidArgument          a value that it does not take, also a ValueError: nothing was sent
│   └── WrongType            of another type than it takes, also a TypeError
├── NotInterrupted           a checkpoint is no interrupted run that can be resumed, also a ValueError
└── RequestFailed            it answered with a typed error: .code, .message, .hint
"""

from collections.abc import Mapping

from memoryd_client.wire.failures import ErrorCode, Failure


class MemorydError(Exception):
    """Base of everything this client raises on purpose."""

    hint = ""
    """What to do about it, in one sentence."""


class DaemonUnreachable(MemorydError):
    """Raised when no daemon listens where this client looks."""

    hint = "Start it with `memoryd start`."

    def __init__(self, where: str, reason: str = "nobody listens there") -> None:
        super().__init__(f"no memoryd at {where}: {reason}")
        if where.startswith("tcp://"):
            self.hint = "Is it running there, and can its port be reached from here?"


class UnsafeSocket(DaemonUnreachable):
    """Raised when whoever answers at the socket need not be this user's daemon, or the path cannot hold a socket."""

    def __init__(self, where: str, reason: str, hint: str) -> None:
        super().__init__(where, reason)
        self.hint = hint


class KeyRefused(DaemonUnreachable):
    """Raised when a key for a daemon on a network cannot be used, or is not the one that the other side expects."""

    def __init__(self, where: str, reason: str, hint: str) -> None:
        super().__init__(where, reason)
        self.args = (f"{where}: {reason}",)
        self.hint = hint


class DeadlineExceeded(MemorydError):
    """Raised when the daemon is there and the answer did not come in time."""

    hint = "`memoryd status` shows what it is busy with."

    def __init__(self, request: str, deadline_s: float) -> None:
        super().__init__(f"memoryd did not answer `{request}` within {deadline_s:g} s")
        if request == "status":
            self.hint = "`memoryd logs` shows what it is doing, `memoryd doctor` looks at it from outside."


class InvalidArgument(MemorydError, ValueError):
    """Raised when an argument has a value that the daemon does not take. Nothing was sent."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class WrongType(InvalidArgument, TypeError):
    """Raised when an argument is of another type than the daemon takes. Nothing was sent."""


class NotInterrupted(MemorydError, ValueError):
    """Raised when a checkpoint is there and holds no interrupted run that this client can read."""

    def __init__(self, thread: str, version: int, *, size: int, meta: Mapping[str, str], reason: str) -> None:
        notes = ", ".join(f"{name}={value}" for name, value in meta.items()) or "no notes"
        super().__init__(f"checkpoint {version} of {thread!r} ({size} bytes, {notes}) is no interrupted run: {reason}")
        self.hint = "`resume` reads what `interrupt` stored; `load_checkpoint` returns any checkpoint's bytes."


class RequestFailed(MemorydError):
    """Raised when the daemon answers with an error."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.code: ErrorCode = failure.code
        self.message = failure.message
        self.hint = failure.hint
