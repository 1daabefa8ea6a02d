"""Context updates on their way to the daemon: in order, without waiting, the newest first to be kept."""

import select
from collections import deque
from threading import Lock, Thread
from time import monotonic
from typing import Final

import zmq

PUSH_HIGH_WATER: Final = 8
"""Context updates that the socket itself holds for a daemon that is away."""
MOST_WAITING_BYTES: Final = 4 << 20
"""What may wait behind them: some eighty turns of a usual agent, and at least the newest update."""
_LOOK_S: Final = 1.0
"""The thread that hands on is woken by the socket; it looks by itself where a push of another thread took the call."""


class Outbox:
    """The push socket, and behind it what it has no room for.

    What a socket has taken cannot be taken back, and a second one would overtake the first. So the socket holds few,
    the others wait here, where the oldest give way, and a thread hands them on for as long as there are any: none is
    started as long as the daemon keeps up. Threads share an outbox; a forked child needs one of its own.
    """

    def __init__(self, socket: "zmq.Socket[bytes]") -> None:
        self._socket = socket
        self._descriptor = socket.fileno()
        self._lock = Lock()
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._handing_on = False
        self._closed = False

    def put(self, frame: bytes, owner: object = None) -> bool:
        """Queue a frame and return whether it is queued: not once this is closed. Never waits, never raises.

        The `owner` is not collected as long as frames wait here.
        """
        with self._lock:
            if self._closed:
                return False
            if self._waiting and not self._handing_on:
                self._send()
            if not self._waiting and self._sent(frame):
                return True
            self._waiting.append(frame)
            self._bytes += len(frame)
            while self._bytes > MOST_WAITING_BYTES and len(self._waiting) > 1:
                self._bytes -= len(self._waiting.popleft())
            if not self._handing_on:
                self._handing_on = self._begin(owner)
            return True

    def close(self, linger_s: float) -> None:
        """Send what waits as far as that goes within `linger_s` seconds, then close the socket."""
        until = monotonic() + linger_s
        with self._lock:
            self._closed = True
        # From here on the socket is this thread's alone.
        self._send()
        while self._waiting and (left_s := until - monotonic()) > 0:
            _wait(self._descriptor, left_s)
            self._send()
        self._socket.close(max(0, int((until - monotonic()) * 1000)))

    def _send(self) -> None:
        """Send what waits, as far as there is room now."""
        # Asking what is possible makes the socket look at what has happened meanwhile; a send alone need not.
        while self._waiting and int(self._socket.get(zmq.EVENTS)) & zmq.POLLOUT and self._sent(self._waiting[0]):
            self._bytes -= len(self._waiting.popleft())

    def _sent(self, frame: bytes) -> bool:
        try:
            self._socket.send(frame, zmq.NOBLOCK)
        except zmq.ZMQError:  # Again: full. Whatever else it may be, it waits.
            return False
        return True

    def _begin(self, owner: object) -> bool:
        try:
            Thread(target=self._hand_on, args=(owner,), name="memoryd-outbox", daemon=True).start()
        except RuntimeError:  # no thread to be had, or the interpreter is ending: the next push tries again
            return False
        return True

    def _hand_on(self, _owner: object) -> None:
        while True:
            _wait(self._descriptor, _LOOK_S)
            with self._lock:
                if not self._closed:
                    self._send()
                if self._closed or not self._waiting:
                    self._handing_on = False
                    return


def _wait(descriptor: int, timeout_s: float) -> None:
    """Wait until ZeroMQ has something to tell of a socket."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll(timeout_s * 1000)
