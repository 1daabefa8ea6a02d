"""Errors as a client is told of them: a code, what and why, and what to do. Never a traceback."""

import logging

from memoryd_actors.core.errors import (
    ActorStopped,
    ActorTimeout,
    Ambiguous,
    DiskFull,
    LedgerCorrupt,
    NotFound,
    Refused,
    Unavailable,
)
from memoryd_client.wire.failures import ErrorCode, Failure

_LONGEST = 500
_log = logging.getLogger(__name__)

# The first that fits counts: the particular before the general.
_CODES: tuple[tuple[type[Exception], ErrorCode], ...] = (
    (NotFound, "not_found"),
    (Ambiguous, "ambiguous"),
    (DiskFull, "disk_full"),
    (LedgerCorrupt, "unavailable"),
    (Unavailable, "unavailable"),
    (Refused, "refused"),
    (ActorTimeout, "deadline"),
)


def expected(error: Exception, request: str) -> Failure | None:
    """Return what to answer for an error that is part of the service; None for a bug."""
    if isinstance(error, ActorStopped):
        return Failure(code="unavailable", message="memoryd is stopping", hint="Try again in a moment.")
    if isinstance(error, TimeoutError):
        return Failure(
            code="deadline",
            message="memoryd was not done when the time for the answer was up",
            hint=f"`memoryd {'logs' if request == 'status' else 'status'}` shows what it is busy with.",
        )
    for kind, code in _CODES:
        if isinstance(error, kind):
            hint = getattr(error, "hint", "")
            return Failure(
                code=code, message=_clipped(str(error) or kind.__name__), hint=hint if isinstance(hint, str) else ""
            )
    return None


def _clipped(message: str) -> str:
    """Return a message that fits a terminal, whatever name it repeats."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}… ({len(message):,} characters)"


def bug(request: str, error: Exception) -> Failure:
    """Log an error that nobody expected, with its traceback, and return what to answer."""
    _log.error("answering %s failed", request, exc_info=error)
    return Failure(
        code="internal",
        message=f"memoryd failed on `{request}`, which is a bug: {type(error).__name__}",
        hint="`memoryd logs` shows the details.",
    )


def crowded(most: int, setting: str) -> Failure:
    """Return the answer for a client too many, with the setting that says how many there may be."""
    return Failure(
        code="overloaded",
        message=f"{most} connections to memoryd are open, which is the most",
        hint=f"Close some clients; `{setting}`, or a higher limit of open files (`ulimit -n`), allows more.",
    )


def too_fast() -> Failure:
    """Return the answer for a message of a key that has sent too many lately."""
    return Failure(
        code="overloaded",
        message="this key has sent more than it may",
        hint="Try again in a moment; `ipc.tcp_rate`, where the daemon runs, allows more.",
    )


def overloaded(limit: int, whose: str = "") -> Failure:
    """Return the answer for a request too many."""
    message = f"{limit} requests{whose} are under way already"
    return Failure(code="overloaded", message=message, hint="Try again in a moment.")
