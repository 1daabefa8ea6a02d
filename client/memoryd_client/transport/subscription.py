"""The daemon's events as they happen."""

from types import TracebackType
from typing import Self

import msgspec
import zmq

from memoryd_client.transport.endpoint import Place, endpoint
from memoryd_client.wire.events import Event
from memoryd_client.wire.protocol import decode_event, topics_for


class Subscription:
    """A SUB socket in a context of its own, so that closing the client never waits for whoever listens.

    It reconnects by itself: a restart of the daemon is a pause. Events published meanwhile are not repeated.
    """

    def __init__(self, place: Place, owner: str) -> None:
        """Subscribe to the owner's events and to those that concern everybody.

        Raises:
            DaemonUnreachable, UnsafeSocket: that is not possible.
        """
        events = endpoint(place, "events")
        events.check_listening()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.set(zmq.LINGER, 0)
        for topic in topics_for(owner):
            self._socket.set(zmq.SUBSCRIBE, topic)
        events.connect(self._socket)
        self.fd = self._socket.fileno()

    def next(self) -> Event | None:
        """Return the next event that this version knows, or None where none has arrived."""
        while True:
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return None
            try:
                event: Event = decode_event(frames[-1])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue  # published by a newer daemon
            return event

    def wait(self, timeout_s: float) -> None:
        """Wait until something has arrived, at most `timeout_s` seconds."""
        self._socket.poll(int(timeout_s * 1000))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close(0)
        self._context.term()
