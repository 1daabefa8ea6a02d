"""How a request becomes a reply: sent, waited for, sent again after a restart, given up at its deadline.

Written once, as a coroutine over a `Transport`. The asynchronous client awaits it; the blocking one runs it with a
transport whose methods block instead of suspending, so that it finishes in one step (`finish`) without an event loop.
"""

from collections.abc import Coroutine
from time import monotonic
from typing import Any, Final, Protocol, TypeVar, cast

import msgspec
import zmq

from memoryd_client.base.errors import DaemonUnreachable, DeadlineExceeded, KeyRefused, RequestFailed, UnsafeSocket
from memoryd_client.transport.connection import Connection
from memoryd_client.transport.link import Link
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.protocol import Answer, Reply, decode_answer

T = TypeVar("T")
TICK_S: Final = 0.05
"""How often a waiting call looks whether its connection is still there."""
COMES_BACK_S: Final = 15.0
"""How long a daemon that went away in the middle of a request may take to come back. It starts in under a second, and
systemd starts it again after a second; whoever waits longer waits for nobody."""
_RETRY_S: Final = 0.02
"""Pause between attempts to reach a daemon that went away in the middle of a request."""
_TURN_S: Final = 0.01
_LONGEST_TURN_S: Final = 0.2
"""Pauses of a call that waits for others of its client, or for a daemon that has as many requests as it takes: at
first, and at most, each twice the one before."""


class Transport(Protocol):
    """What an exchange waits for."""

    async def connect(self, link: Link, within_s: float) -> Connection | None:
        """Return a new connection, None where one will be free; raise DaemonUnreachable where nobody listens."""
        ...

    async def receive(self, connection: Connection, timeout_s: float) -> bytes | None:
        """Return the next frame, or None after `timeout_s` seconds."""
        ...

    async def pause(self, duration_s: float) -> None:
        """Wait."""
        ...


async def exchange(
    transport: Transport, link: Link, frame: bytes, *, request_id: int, name: str, deadline_s: float
) -> Reply:
    """Return the daemon's reply to one encoded envelope.

    A daemon that nobody finds at the first attempt is unreachable at once. One that goes away after the request was
    sent may be restarting: the same frame is sent again, which is safe because every request names what it creates.

    One that has as many requests under way as it takes is asked again until the deadline; so is a client of its own.

    Raises:
        DaemonUnreachable: nobody listens, or nobody came back within the deadline and `COMES_BACK_S`.
        UnsafeSocket, KeyRefused: somebody else may be listening; the daemon does not let this client in.
        DeadlineExceeded: the daemon is there and did not answer in time.
        RequestFailed: the reply cannot be understood.
    """
    until = monotonic() + deadline_s
    turn_s = _TURN_S
    while True:
        reply = await _answered(
            transport, link, frame, request_id=request_id, name=name, deadline_s=deadline_s, until=until
        )
        if not _is_overloaded(reply) or monotonic() + turn_s > until:
            return reply
        await transport.pause(turn_s)
        turn_s = min(2 * turn_s, _LONGEST_TURN_S)


async def _answered(
    transport: Transport, link: Link, frame: bytes, *, request_id: int, name: str, deadline_s: float, until: float
) -> Reply:
    """Send a frame, and again after a restart, until there is a reply."""
    sent = False
    gone: float | None = None
    while True:
        try:
            connection = await _free(transport, link, until)
        except (UnsafeSocket, KeyRefused):
            raise
        except DaemonUnreachable:
            gone = monotonic() if gone is None else gone
            if not sent or link.closed or monotonic() + _RETRY_S > min(until, gone + COMES_BACK_S):
                raise
            await transport.pause(_RETRY_S)
            continue
        if connection is None:
            raise DeadlineExceeded(name, deadline_s)
        gone = None
        try:
            reply = None
            if connection.send(frame):
                sent = True
                reply = await _reply(transport, connection, request_id, until)
            else:
                await transport.pause(_RETRY_S)
            if reply is None and monotonic() >= until:
                raise DeadlineExceeded(name, deadline_s)
        except zmq.ZMQError as exc:  # closed under our hands, by another thread or task
            link.drop(connection)
            raise DaemonUnreachable(link.where, "this client was closed" if link.closed else str(exc)) from exc
        except BaseException:
            # A late reply to this request goes down with its connection.
            link.drop(connection)
            raise
        if reply is not None:
            link.release(connection)
            return reply
        link.drop(connection)


async def _free(transport: Transport, link: Link, until: float) -> Connection | None:
    """Return a connection: an idle one, a new one, or that of a call that is done meanwhile; None when time is up."""
    turn_s = _TURN_S
    while (
        connection := link.idle() or await transport.connect(link, until - monotonic())
    ) is None and monotonic() + turn_s < until:
        with link.turn():
            await transport.pause(turn_s)
        turn_s = min(2 * turn_s, _LONGEST_TURN_S)
    return connection


def _is_overloaded(reply: Reply) -> bool:
    """Return whether nothing was done because too much is under way."""
    return isinstance(reply, Failure) and reply.code == "overloaded"


async def _reply(transport: Transport, connection: Connection, request_id: int, until: float) -> Reply | None:
    """Return the reply with this id, or None when time is up or the connection is lost."""
    while (left_s := until - monotonic()) > 0:
        data = await transport.receive(connection, min(left_s, TICK_S))
        if data is None:
            if not connection.alive():
                return None
            continue
        answer = _parsed(data)
        # Id 0: the daemon could not read whose request it was; there is only this one on the connection.
        if answer.id in (request_id, 0):
            return answer.reply
    return None


def _parsed(data: bytes) -> Answer:
    try:
        return decode_answer(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise RequestFailed(
            Failure(
                code="unsupported_version",
                message=f"the daemon's answer is not one this client knows: {exc}",
                hint="Client and daemon differ in version: upgrade the older one, then `memoryd restart`.",
            )
        ) from exc


def finish(call: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose transport blocks instead of suspending."""
    try:
        call.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    call.close()
    raise RuntimeError("a blocking transport has suspended")
