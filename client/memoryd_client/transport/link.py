"""What one client holds open in one process: an outbox for pushes, and connections for requests."""

import atexit
import errno
import itertools
import os
import secrets
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakSet

import zmq

from memoryd_client.base.errors import DaemonUnreachable
from memoryd_client.transport.connection import GREETING_S, Connection
from memoryd_client.transport.endpoint import Place, endpoint
from memoryd_client.transport.outbox import PUSH_HIGH_WATER, Outbox

MOST_CONNECTIONS: int = 32
"""Calls of one client that are under way at the same time; more wait for their turn. Each has four descriptors, and
some systems give a process 256."""
_IDLE_CONNECTIONS = 8
_NO_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})


_ALL: WeakSet["Link"] = WeakSet()


class Link:
    """The sockets of one client in one process. Threads share it; a forked child has to make its own.

    Queued pushes have `linger_s` seconds to leave, also where nobody calls `close` before the interpreter ends.
    """

    def __init__(self, place: Place, *, linger_s: float, closed: bool = False) -> None:
        self._rpc, self._push = endpoint(place, "rpc"), endpoint(place, "push")
        self.where = self._rpc.where
        self.client = secrets.token_hex(8)
        self.sequence = itertools.count(1)
        self.requests = itertools.count(1)
        self.pushing = False
        """Whether the push socket is set up, so that `push` touches no file."""
        self._lock = Lock()
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._outbox: Outbox | None = None
        self._linger_s = linger_s
        self._process = os.getpid()
        self._idle: deque[Connection] = deque()
        self._open: set[Connection] = set()
        self._waiting = 0
        """Calls that wait for their turn."""
        self._closed = closed
        _ALL.add(self)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def push(self, frame: bytes) -> bool:
        """Queue a frame and return whether it is queued; where too much waits, the oldest gives way.

        Never waits, never raises.
        """
        with self._lock:
            outbox = self._outbox or self._prepare(self._push.make_later)
        # As long as something waits, this is what it waits in.
        return outbox is not None and outbox.put(frame, self)

    def prepare(self) -> None:
        """Set the push socket up, where its folder is safe; looks at files."""
        with self._lock:
            if self._outbox is None:
                self._prepare(self._push.check_later)

    def _prepare(self, check: Callable[[], None]) -> Outbox | None:
        if self._closed:
            return None
        try:
            check()
            push = self._sockets().socket(zmq.PUSH)
        except (DaemonUnreachable, zmq.ZMQError):
            # Calls that have an answer say why; a push only says no. The other: no descriptors are left.
            return None
        push.set(zmq.SNDHWM, PUSH_HIGH_WATER)
        # Or who forgets to close a client waits here, as it is collected, for a daemon that may never come.
        push.set(zmq.LINGER, int(self._linger_s * 1000))
        push.set(zmq.RECONNECT_IVL, 50)
        push.set(zmq.RECONNECT_IVL_MAX, 1000)
        self._push.connect(push)
        self._outbox = Outbox(push)
        self.pushing = True
        return self._outbox

    def idle(self) -> Connection | None:
        """Return a connection that is still good, if there is one."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was faster
                return None
            if connection.alive():
                return connection
            self.drop(connection)
        return None

    def connect(self, within_s: float = GREETING_S) -> Connection | None:
        """Return a new connection; None where there are as many as there may be, and one will be free.

        Raises:
            DaemonUnreachable: nobody listens, or this client is closed.
            UnsafeSocket: somebody else may be listening.
            KeyRefused: on a network, one of the two does not accept the other's key.
        """
        if len(self._open) >= MOST_CONNECTIONS:
            return None
        try:
            self._rpc.check_listening()
            with self._lock:
                if self._closed:
                    raise DaemonUnreachable(self.where, "this client is closed")
                if len(self._open) >= MOST_CONNECTIONS:
                    return None
                connection = Connection(self._sockets(), self._rpc)
                self._open.add(connection)
        except (OSError, zmq.ZMQError) as exc:
            if exc.errno not in _NO_DESCRIPTORS:
                raise
            if self._open:
                return None
            raise DaemonUnreachable(self.where, "this process has no file descriptors left") from exc
        try:
            connection.greet(within_s)
        except BaseException:  # also where somebody presses Ctrl-C: the connection would be nobody's
            self.drop(connection)
            raise
        return connection

    @contextmanager
    def turn(self) -> Generator[None]:
        """Have connections kept for whoever waits in here, however many are idle."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def release(self, connection: Connection) -> None:
        """Give a connection back after its request was answered."""
        with self._lock:
            if not self._closed and (self._waiting or len(self._idle) < _IDLE_CONNECTIONS):
                self._idle.append(connection)
                return
        self.drop(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection whose request was not answered."""
        self._open.discard(connection)
        connection.close()

    def close(self) -> list[Connection]:
        """Close what is idle; return the connections still in use. Call `terminate` afterwards."""
        with self._lock:
            self._closed = True
            self.pushing = False
        while self._idle:
            self.drop(self._idle.pop())
        return list(self._open)

    def terminate(self) -> None:
        """Wait for what lingers and for connections that other threads still use; their calls fail at once."""
        if self._outbox is not None:
            self._outbox.close(self._linger_s)
        if self._context is not None:
            self._context.term()

    def leave(self) -> None:
        """Hand on what is queued, as far as that goes, where nobody closed this and the interpreter ends."""
        if self._closed or self._process != os.getpid():
            return
        if not self.close():
            self.terminate()
        elif self._outbox is not None:  # other threads will not come to an end any more
            self._outbox.close(self._linger_s)

    def _sockets(self) -> zmq.Context[zmq.Socket[bytes]]:
        if self._context is None:
            self._context = zmq.Context()
        return self._context


@atexit.register
def _leave() -> None:
    for link in list(_ALL):
        link.leave()
