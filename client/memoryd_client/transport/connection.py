"""One connection to the daemon, for one request at a time."""

import struct
from contextlib import suppress
from time import monotonic
from typing import Final

import zmq

from memoryd_client.base.errors import DaemonUnreachable, KeyRefused
from memoryd_client.transport.endpoint import Endpoint

_GONE = (
    zmq.Event.DISCONNECTED
    | zmq.Event.CLOSED
    | zmq.Event.CONNECT_RETRIED
    | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
    | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
    | zmq.Event.HANDSHAKE_FAILED_AUTH
)
_EVENT: Final = struct.Struct("=Hi")
GREETING_S: Final = 5.0
"""How long a daemon on a network may take to show that it has its key, and to accept the client's."""


class Connection:
    """One DEALER for one request at a time. Once it is lost or a request on it failed, it is thrown away."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._socket = context.socket(zmq.DEALER)
        # A connection that libzmq mends by itself would hide that a request was lost with the old one.
        self._socket.set(zmq.RECONNECT_IVL, -1)
        self._socket.set(zmq.LINGER, 0)
        try:
            heard = _GONE if endpoint.key is None else _GONE | zmq.Event.HANDSHAKE_SUCCEEDED
            self._monitor = self._socket.get_monitor_socket(heard)
        except zmq.ZMQError:  # this process has no descriptors left
            self._socket.close(0)
            raise
        self._monitor.set(zmq.LINGER, 0)
        self._timeout_ms = -1
        endpoint.connect(self._socket)
        self.fd = self._socket.fileno()

    def greet(self, within_s: float = GREETING_S) -> None:
        """Wait until daemon and client have accepted each other's keys; on this machine there is nothing to wait for.

        Raises:
            DaemonUnreachable: nobody listens there, or nobody answered in time.
            KeyRefused: one of the two does not accept the other's key.
        """
        if self._endpoint.key is None:
            return
        where, until = self._endpoint.where, monotonic() + min(within_s, GREETING_S)
        while (left_s := until - monotonic()) > 0:
            if not self._monitor.poll(max(1, int(left_s * 1000))):
                break
            (event, _) = _EVENT.unpack(self._monitor.recv_multipart()[0])
            match event:
                case zmq.Event.HANDSHAKE_SUCCEEDED:
                    return
                case zmq.Event.CLOSED | zmq.Event.CONNECT_RETRIED:
                    raise DaemonUnreachable(where)
                case zmq.Event.HANDSHAKE_FAILED_AUTH:
                    hint = "`memoryd keys list`, where the daemon runs, shows which keys it knows."
                    raise KeyRefused(where, "the daemon does not know this key", hint)
                case _:
                    hint = "Has the key file the key that `memoryd keys list` shows there? Is the port `ipc.tcp`'s?"
                    raise KeyRefused(where, "whoever listens there is not the daemon of this key file", hint)
        raise DaemonUnreachable(where, "nobody answered")

    def alive(self) -> bool:
        """Return whether the connection has not been lost, as far as is known by now."""
        return not int(self._monitor.get(zmq.EVENTS)) & zmq.POLLIN

    def send(self, frame: bytes) -> bool:
        """Queue a request; return False where the connection was lost before it was of any use."""
        try:
            self._socket.send(frame, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def receive(self, timeout_s: float) -> bytes | None:
        """Return the next reply, or None after `timeout_s` seconds (0: at once)."""
        try:
            if timeout_s <= 0:
                return self._socket.recv(zmq.NOBLOCK)
            timeout_ms = max(1, int(timeout_s * 1000))
            if timeout_ms != self._timeout_ms:
                self._socket.set(zmq.RCVTIMEO, timeout_ms)
                self._timeout_ms = timeout_ms
            return self._socket.recv()
        except zmq.Again:
            return None

    def close(self) -> None:
        """Drop the connection and what was not sent yet."""
        if not self._socket.closed:
            with suppress(zmq.ContextTerminated):
                self._socket.disable_monitor()
            self._monitor.close(0)
            self._socket.close(0)
