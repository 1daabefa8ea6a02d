"""Answers ZeroMQ's question whether a key is let in (RFC 27, ZAP); whoever it refuses is cut off before any message."""

from typing import Final

import zmq
from zmq.utils import z85

from memoryd.ipc.endpoints import DOMAIN, Socket
from memoryd.ipc.guard import Guard

_VERSION: Final = b"1.0"
_KEY_BYTES: Final = 32


class Doorkeeper:
    """Lets in whoever has a key of the guard's list."""

    def __init__(self, socket: Socket, guard: Guard) -> None:
        self._socket = socket
        self._guard = guard
        self.fd = socket.fileno()

    def answer_all(self) -> None:
        """Answer whoever knocks now."""
        while True:
            try:
                asked = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            number = asked[1] if len(asked) > 1 else b""
            key = self._key(asked)
            if key and self._guard.grant(key) is not None:
                self._socket.send_multipart((_VERSION, number, b"200", b"OK", key.encode(), b""))
            else:
                self._guard.counts.strangers += 1
                self._socket.send_multipart((_VERSION, number, b"400", b"no access", b"", b""))

    def _key(self, asked: list[bytes]) -> str:
        """Return the key that is shown; nothing where it is none, or was not proved."""
        if len(asked) != 7:
            return ""
        version, _, domain, _, _, mechanism, key = asked
        if (version, domain, mechanism) != (_VERSION, DOMAIN, b"CURVE") or len(key) != _KEY_BYTES:
            return ""
        return z85.encode(key).decode()
