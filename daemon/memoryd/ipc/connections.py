"""How many clients are connected, and what becomes of those above the cap.

At the limit of descriptors ZeroMQ cannot accept and aborts the process, so the cap lies well below it, and ZeroMQ has
to wait with accepting until we have heard of those that it has accepted. Whoever comes above the cap is told so, as far
as there is room for that, and is disconnected.
"""

import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import zmq

from memoryd.ipc.endpoints import Socket
from memoryd.ipc.statistics import SocketStatistics

MOST_TOLD: Final = 64
"""Connections above the cap that stay for a moment, to be told why they are not served; others are cut at once."""
TOLD_S: Final = 1.0
_CROWD: Final = 250
"""Connections whose memory is worth handing back: each takes 27 kB."""
_EVENT = struct.Struct("=Hi")
_HEARD: Final = zmq.Event.ACCEPTED | zmq.Event.DISCONNECTED
_UNHEARD: Final = 510
"""Of the connections that a socket has accepted, so many can we not have heard of; two more are on their way.

ZeroMQ waits where its queue of events is full. That has room for what its end may send, 1,000, and what ours may
receive, unless our end says once more, when it is connected, what it may receive: then for the two numbers that it has
said. The first has to be more than half of the thousand, as room is told of when that many were read.
"""


class Connections:
    """The connections of some sockets, by the descriptors that ZeroMQ reports."""

    def __init__(
        self, sockets: Sequence[Socket], most: int, counts: SocketStatistics, ports: frozenset[int] = frozenset()
    ) -> None:
        """Begin to listen. `monitors` are to be read at all times: ZeroMQ waits where too many events are unread."""
        self.most = most
        self._ports = ports
        self._counts = counts
        self._sockets = tuple(sockets)
        self.monitors: tuple[Socket, ...] = tuple(map(_monitor, sockets))
        # Of each socket by itself: what one reports as closed another may have reported as accepted again before.
        self._open: dict[Socket, set[int]] = {monitor: set() for monitor in self.monitors}
        self._told: dict[int, float] = {}
        """Those above the cap, and since when they are told."""
        self._peak = 0
        """The most there were since memory was last handed back."""

    def stop(self) -> None:
        """Have nothing more reported."""
        for one, monitor in zip(self._sockets, self.monitors, strict=True):
            self.hear_all(monitor, 0.0)  # or ZeroMQ might wait for room, and this for ZeroMQ
            one.disable_monitor()

    def close(self) -> None:
        """Close what was listened to."""
        for monitor in self.monitors:
            monitor.close(0)

    @property
    def is_full(self) -> bool:
        """Whether somebody is connected who is not to be served."""
        return bool(self._told)

    def is_above(self, descriptor: int) -> bool:
        """Return whether a connection is one too many."""
        return descriptor in self._told

    def hear_all(self, monitor: Socket, now: float) -> None:
        """Take note of all connections that were made or lost."""
        while True:
            try:
                frames = monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            event, descriptor = _EVENT.unpack(frames[0])
            if event == zmq.Event.ACCEPTED:
                self._made(monitor, descriptor, now)
            else:
                self._open[monitor].discard(descriptor)
                self._told.pop(descriptor, None)
            self._counts.connections = sum(map(len, self._open.values()))

    def _made(self, monitor: Socket, descriptor: int, now: float) -> None:
        self._open[monitor].add(descriptor)
        if sum(map(len, self._open.values())) <= self.most:
            return
        self._counts.turned_away += 1
        if len(self._told) < MOST_TOLD:
            self._told[descriptor] = now
        else:
            self._cut(descriptor)

    def crowd_has_left(self) -> bool:
        """Return, once, whether many have left whose memory nobody needs."""
        now = self._counts.connections
        if now > self._peak - _CROWD:
            self._peak = max(self._peak, now)
            return False
        self._peak = now
        return True

    def cut_told(self, now: float) -> None:
        """Disconnect those who have been told for long enough."""
        for descriptor in [one for one, since in self._told.items() if now - since >= TOLD_S]:
            del self._told[descriptor]
            self._cut(descriptor)

    def cut_all(self) -> None:
        """Disconnect everybody. Whoever may come comes back."""
        for descriptor in [one for there in self._open.values() for one in there]:
            self._cut(descriptor)

    def _cut(self, descriptor: int) -> None:
        """End a connection, of which ZeroMQ then closes the descriptor. It may have done so already."""
        with suppress(OSError):
            connection = socket.socket(fileno=descriptor)
            try:
                if self._is_ours(connection):
                    connection.shutdown(socket.SHUT_RDWR)
            finally:
                connection.detach()

    def _is_ours(self, connection: socket.socket) -> bool:
        if not self._ports:
            return connection.family == socket.AF_UNIX
        return connection.family != socket.AF_UNIX and connection.getsockname()[1] in self._ports


def _monitor(socket: Socket) -> Socket:
    """Return where a socket tells who has connected, and waits until that is read."""
    address = f"inproc://monitor-{socket.underlying:x}"
    socket.monitor(address, _HEARD)
    monitor: Socket = socket.context.socket(zmq.PAIR)
    monitor.set(zmq.RCVHWM, _UNHEARD)
    monitor.connect(address)
    monitor.set(zmq.RCVHWM, 1)
    return monitor
