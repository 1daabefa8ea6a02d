"""Reads the three sockets, a little at a time, and hands on what somebody sent who is served.

The sockets are plain ones, watched through their descriptors and emptied without waiting each time one is readable.
That answers many clients per wake-up where zmq.asyncio makes a future per message. What cannot be read is paid for by a
rest, in which ZeroMQ lets its senders wait: they get a small share of the loop, however fast they send. So is a whole
turn of what can be read.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Final

import anyio
import zmq

from memoryd.ipc import failures
from memoryd.ipc.connections import Connections
from memoryd.ipc.endpoints import Endpoints, Socket
from memoryd.ipc.frames import number_of
from memoryd.ipc.guard import Guard
from memoryd.keys import Grant
from memoryd_client.wire.failures import Failure
from memoryd_client.wire.protocol import topics_for

_log = logging.getLogger(__name__)
_TURN_S: Final = 0.001
"""For how long messages are read in one go before other tasks have their turn; a take needs 0.05 ms."""
_PAUSE_S: Final = 0.002
"""How long a socket rests from which messages were read for a whole turn, so that senders who send as fast as they can
leave two thirds of the loop to what is under way."""
_REST: Final = 3.0
"""How long a socket rests for frames that could not be read, of the time that they took."""
_LONGEST_REST_S: Final = 0.01
_QUIET_S: Final = 0.02
"""Nothing for this long means that all has arrived: ZeroMQ's own thread still reads what the kernel has buffered."""

Take = Callable[[list[bytes], Grant | None], bool]
"""Takes a message, and on a network who sent it; returns whether it could be read."""
Refuse = Callable[[bytes, int, Failure], None]
"""Tells a connection that the request of this number is not answered, and why."""


class SocketReader:
    """Reads the push and the rpc socket, and on a network who listens to events.

    Whoever is above the cap on connections is told so with `refuse`; on a network, where there is a `guard`, so is a
    key that sends too fast, and what comes without a key that is let in is dropped.
    """

    def __init__(
        self,
        endpoints: Endpoints,
        connections: Connections,
        guard: Guard | None,
        *,
        take_update: Take,
        take_request: Take,
        refuse: Refuse,
    ) -> None:
        self._endpoints = endpoints
        self._connections = connections
        self._guard = guard
        self._take_update = take_update
        self._take_request = take_request
        self._refuse = refuse
        self._reading = anyio.CancelScope()
        self._more = anyio.Event()
        self._mixed_up = False
        """Whether ZeroMQ may take one listener on a network for another, until all that they sent was read."""
        self._unreadable_s = 0.0
        """Spent on frames that could not be read, and not rested for yet."""

    async def run(self) -> None:
        """Read until stopped."""
        with self._reading:
            async with anyio.create_task_group() as readers:
                readers.start_soon(self._watch, self._endpoints.push, self._take_update)
                readers.start_soon(self._watch, self._endpoints.rpc, self._take_request)
                readers.start_soon(self._look_again)
                if self._guard is not None:
                    readers.start_soon(self._watch, self._endpoints.events, self._take_subscription)

    def stop(self) -> None:
        """Read no more."""
        self._reading.cancel()

    async def read_what_is_left(self) -> None:
        """Read what has arrived, until nothing more comes."""
        while True:
            taken = await self._empty(self._endpoints.push, self._take_update)
            taken += await self._empty(self._endpoints.rpc, self._take_request)
            if not taken and not self._has_arrived():
                await anyio.sleep(_QUIET_S)
                if not self._has_arrived():
                    return

    def look_after_sending(self, socket: Socket) -> None:
        """Look again for what has arrived: a send on a socket may have swallowed the wake-up for it."""
        if _is_readable(socket):
            self._more.set()

    async def _look_again(self) -> None:
        while True:
            await self._more.wait()
            self._more = anyio.Event()
            await self._empty(self._endpoints.rpc, self._take_request)
            if self._guard is not None:
                await self._empty(self._endpoints.events, self._take_subscription)

    async def _watch(self, socket: Socket, take: Take) -> None:
        descriptor = socket.fileno()
        while True:
            await self._empty(socket, take)
            await self._rest()
            await anyio.wait_readable(descriptor)

    async def _empty(self, socket: Socket, take: Take) -> int:
        """Take every message that has arrived, letting others have their turn now and then; return how many."""
        taken = 0
        while True:
            now = perf_counter()
            until = now + _TURN_S
            while now < until:
                began = now
                try:
                    frames, sender = self._next(socket)
                except zmq.Again:
                    self._all_read(socket)
                    return taken
                taken += 1
                is_readable = bool(frames) and take(frames, sender)
                now = perf_counter()
                if not is_readable:
                    self._unreadable_s += now - began
            await self._rest(_PAUSE_S)

    async def _rest(self, at_least_s: float = 0.0) -> None:
        rest_s, self._unreadable_s = min(_REST * self._unreadable_s, _LONGEST_REST_S), 0.0
        await anyio.sleep(max(rest_s, at_least_s))

    def _next(self, socket: Socket) -> tuple[list[bytes], Grant | None]:
        """Return the next message of a socket, and on a network who sent it; none where its sender is not served."""
        connections, guard = self._connections, self._guard
        if not connections.is_full and guard is None:
            return socket.recv_multipart(zmq.NOBLOCK), None
        parts = socket.recv_multipart(zmq.NOBLOCK, copy=False)
        frames = [part.bytes for part in parts]
        is_rpc = socket is self._endpoints.rpc
        if connections.is_full and connections.is_above(int(parts[-1].get(zmq.SRCFD))):
            if is_rpc:
                setting = "ipc.connections" if guard is None else "ipc.tcp_connections"
                self._refuse(frames[0], number_of(frames[-1]), failures.crowded(connections.most, setting))
            return [], None
        if guard is None:
            return frames, None
        key = _key_of(parts[-1])
        if socket is self._endpoints.events and not _is_subscription(frames):
            self._shut_out(guard, key)
        sender = guard.grant(key)
        # Whoever gives its connection a name of its own could be handed the replies to another one of that name.
        if sender is None or (is_rpc and not frames[0].startswith(b"\0")):
            guard.counts.overstepped += 1
            return [], None
        if not guard.admits(sender, sum(map(len, frames))):
            guard.counts.too_fast += 1
            if is_rpc:
                self._refuse(frames[0], number_of(frames[-1]), failures.too_fast())
            return [], None
        return frames, sender

    def _take_subscription(self, frames: list[bytes], sender: Grant | None) -> bool:
        """Have somebody on a network told of what its key may hear; return whether it may."""
        guard = self._guard
        if guard is None or sender is None or self._mixed_up:
            return False
        kind, topic = frames[0][:1], frames[0][1:]
        if kind == b"\1" and not guard.may_hear(sender, topic):
            guard.counts.overstepped += topic not in topics_for("")  # every client asks for those
            return False
        with suppress(zmq.ZMQError):  # it has left
            self._endpoints.events.set(zmq.SUBSCRIBE if kind == b"\1" else zmq.UNSUBSCRIBE, topic)
        return True

    def _shut_out(self, guard: Guard, key: str) -> None:
        """Have nothing more to do with whoever sends something else than subscriptions where events are listened to.

        Our answer to a subscription goes to the connection that ZeroMQ believes was read last. It counts only those
        that subscribe: after anything else, until all is read, that is another one, which would hear what it may not.
        """
        if guard.grant(key) is not None:
            _log.warning(
                "the key %s is let in no more until the keys are changed: it sent something else than subscriptions "
                "where events are listened to, which no client does; `memoryd keys list` says whose it is",
                key,
            )
            guard.shut_out(key)
            self._connections.cut_all()
        self._mixed_up = True

    def _all_read(self, socket: Socket) -> None:
        """Have all listeners subscribe again whose subscriptions could not be told apart."""
        if self._mixed_up and socket is self._endpoints.events:
            self._mixed_up = False
            self._connections.cut_all()

    def _has_arrived(self) -> bool:
        return any(map(_is_readable, (self._endpoints.push, self._endpoints.rpc)))


def _is_readable(socket: Socket) -> bool:
    return bool(int(socket.get(zmq.EVENTS)) & zmq.POLLIN)


def _is_subscription(frames: list[bytes]) -> bool:
    return len(frames) == 1 and frames[0][:1] in {b"\0", b"\1"}


def _key_of(part: zmq.Frame) -> str:
    """Return the key that the sender of a message has proved to have; nothing where it has none."""
    try:
        return str(part.get("User-Id"))
    except zmq.ZMQError:
        return ""
