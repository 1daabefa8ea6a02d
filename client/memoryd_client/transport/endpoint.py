"""One of the daemon's three sockets as a client reaches it: a file on this machine, or a port behind a key."""

from pathlib import Path
from typing import Literal

import msgspec
import zmq

from memoryd_client.base.paths import Paths, address
from memoryd_client.base.remote import ClientKey, Remote
from memoryd_client.transport.socket_files import check_later, check_listening, check_path, make_later

Place = Paths | Remote
"""Where a daemon is."""
Purpose = Literal["rpc", "push", "events"]
_PORTS: dict[Purpose, int] = {"rpc": 0, "push": 1, "events": 2}
"""How far each port lies above the first."""
_BEAT_MS = 30_000
"""How often it is looked whether the other side is still there, and how long that may take."""


class Endpoint(msgspec.Struct, frozen=True):
    """Where to connect, and what to look at and to say before."""

    url: str
    path: Path | None = None
    """Of a socket on this machine."""
    key: ClientKey | None = None
    """For a port on a network."""

    @property
    def where(self) -> str:
        """Return where it is, for people."""
        return str(self.path or self.url)

    def check_path(self) -> None:
        """Raise UnsafeSocket where no such socket can be."""
        if self.path is not None:
            check_path(self.path)

    def check_listening(self) -> None:
        """Raise DaemonUnreachable, or UnsafeSocket, where it is known at once that no daemon of this user's listens."""
        if self.path is not None:
            check_listening(self.path)

    def check_later(self) -> None:
        """As `check_listening`, but a daemon may come later."""
        if self.path is not None:
            check_later(self.path)

    def make_later(self) -> None:
        """As `check_later`, and the folder is made where somebody else could make it before."""
        if self.path is not None:
            make_later(self.path)

    def connect(self, socket: "zmq.Socket[bytes]") -> None:
        """Connect a socket; on a network both sides show their keys first."""
        if self.key is not None:
            socket.set(zmq.CURVE_SERVERKEY, self.key.server.encode())
            socket.set(zmq.CURVE_PUBLICKEY, self.key.public.encode())
            socket.set(zmq.CURVE_SECRETKEY, self.key.secret.encode())
            socket.set(zmq.IPV6, int("[" in self.url))
            socket.set(zmq.HEARTBEAT_IVL, _BEAT_MS)
            socket.set(zmq.HEARTBEAT_TIMEOUT, _BEAT_MS)
        socket.connect(self.url)


def endpoint(place: Place, purpose: Purpose) -> Endpoint:
    """Return one of the sockets of a daemon."""
    if isinstance(place, Remote):
        return Endpoint(place.url(_PORTS[purpose]), key=place.key)
    paths = {"rpc": place.rpc_socket, "push": place.push_socket, "events": place.events_socket}
    return Endpoint(address(paths[purpose]), path=paths[purpose])
