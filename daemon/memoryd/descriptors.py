"""How many files and connections this process may have open at once."""

import resource
from contextlib import suppress

ENOUGH = 65_536
"""Each client that is connected takes two, the daemon itself some thirty."""
_MOST_CONNECTIONS = 16_384
_AHEAD = 4_096
"""Descriptors kept free. ZeroMQ may have accepted some 500 connections on each of three sockets that nobody has looked
at yet; the rest is for files, of which the daemon has some 50 open. With a limit of 1,024, a quarter of it and 500 more
leave 250 for them."""
_MODEST = 10_240
"""What macOS allows at most where it says that there is no limit."""


def allow_many() -> None:
    """Raise the soft limit as far as the hard one allows; where that is forbidden, leave it.

    At the limit ZeroMQ cannot open what it needs and aborts the process: with the 256 that macOS gives a program, or
    the 1,024 of most Linux systems, some hundred or some 500 connected clients would end the daemon.
    """
    with suppress(ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        for wanted in (ENOUGH, _MODEST):
            allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            if soft == resource.RLIM_INFINITY or soft >= allowed:
                return
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
                return


def most_connections() -> int:
    """Return how many connections there may be with the limit of descriptors that is in force."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return min(max(soft - _AHEAD, soft // 4), _MOST_CONNECTIONS)
