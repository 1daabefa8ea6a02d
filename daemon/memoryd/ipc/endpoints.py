"""The three sockets: made in a folder of this user's alone, inherited from systemd, or ports of a network."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import zmq

from memoryd.ipc.frames import HARD_LIMIT_BYTES
from memoryd.keys import ServerKey
from memoryd.private_folder import private_folder
from memoryd_actors.core.errors import Refused
from memoryd_client.base.errors import UnsafeSocket
from memoryd_client.base.paths import Paths, address
from memoryd_client.transport.socket_files import check_path, listening

Socket = zmq.Socket[bytes]
DOMAIN: Final = b"memoryd"
"""The name under which ZeroMQ asks whether a key is let in."""
_BACKLOG = 512
_PUSHED_AHEAD = 1024
"""Context updates of one client that may have arrived and not been looked at, which are as much memory: four clients
that push 50 kB as fast as they can take 876 MB with 4,096 and 270 with 1,024, until they have left.

ZeroMQ reads on for as long as there is room, and forgets what the kernel still holds of a client that has left when
there is none: with room for 64, an agent that pushed 300 messages and ended lost up to 235 of them.
"""
_HANDSHAKE_MS = 5_000
"""How long somebody may take to say that they speak ZeroMQ: whoever says nothing keeps no connection."""
_BEAT_MS = 30_000
"""How often it is looked whether whoever is on a network is still there, and how long that may take."""
_LONGEST_TOPIC = 4096
"""Bytes that somebody on a network may send to subscribe, and to greet: ZeroMQ keeps a topic as a tree, which is many
times as large."""
_LINGER_MS = 250
"""How long the last replies may take to leave when the daemon stops; a stopped client must not hold it up."""


class SocketsInUse(Refused):
    """Raised when another process listens where this daemon is to listen, or nobody can."""


class Endpoints(msgspec.Struct, frozen=True):
    """The daemon's bound sockets, and the context they live in."""

    context: zmq.Context[Socket]
    push: Socket
    rpc: Socket
    events: Socket
    files: tuple[Path, ...] = ()
    """Those that this daemon made."""
    ports: frozenset[int] = frozenset()
    """Those that are on a network."""
    door: Socket | None = None
    """Where ZeroMQ asks whether a key is let in."""

    def close(self) -> None:
        """Close them; waits a moment for what is still to be sent."""
        # Before the sockets: whoever binds there next must not lose its own files.
        for file in self.files:
            file.unlink(missing_ok=True)
        for socket in (self.push, self.rpc, self.events):
            socket.close(_LINGER_MS)
        if self.door is not None:
            self.door.close(0)
        self.context.term()


def bind(paths: Paths, inherited: Mapping[str, int]) -> Endpoints:
    """Bind the three sockets. Those in `inherited` (push, rpc, events: descriptors) are taken over as they are.

    An inherited socket's file belongs to whoever made it, and stays when the daemon stops.

    Raises:
        FolderUnsafe: the runtime folder cannot be kept from others.
        SocketsInUse: a process listens there already, or the path is too long; the message says which.
    """
    private_folder(paths.runtime)
    context: zmq.Context[Socket] = zmq.Context()
    try:
        push = _made(context, zmq.PULL)
        push.set(zmq.RCVHWM, _PUSHED_AHEAD)
        rpc = _made(context, zmq.ROUTER)
        rpc.set(zmq.RCVHWM, 64)
        rpc.set(zmq.SNDHWM, 64)
        events = _made(context, zmq.PUB)
        events.set(zmq.SNDHWM, 256)
        _bind(push, paths.push_socket, inherited.get("push"))
        _bind(rpc, paths.rpc_socket, inherited.get("rpc"))
        _bind(events, paths.events_socket, inherited.get("events"))
    except BaseException:  # whatever it is, no socket stays open behind it
        context.destroy(0)
        raise
    made = {"push": paths.push_socket, "rpc": paths.rpc_socket, "events": paths.events_socket}
    files = tuple(path for name, path in made.items() if name not in inherited)
    return Endpoints(context, push, rpc, events, files)


def bind_network(host: str, port: int, key: ServerKey) -> Endpoints:
    """Bind three ports, each behind the daemon's key: `port` for requests, the next for pushes, and one for events.

    Raises:
        SocketsInUse: that is not possible; the message says why.
    """
    context: zmq.Context[Socket] = zmq.Context()
    try:
        door = context.socket(zmq.REP)  # first: whoever comes before it is there is turned away
        door.bind("inproc://zeromq.zap.01")
        rpc = _made(context, zmq.ROUTER)
        rpc.set(zmq.RCVHWM, 64)
        rpc.set(zmq.SNDHWM, 64)
        push = _made(context, zmq.PULL)
        push.set(zmq.RCVHWM, 64)
        # Whoever listens is told only of what its key may hear: each subscription is looked at.
        events = _made(context, zmq.XPUB)
        events.set(zmq.XPUB_MANUAL, 1)
        events.set(zmq.MAXMSGSIZE, _LONGEST_TOPIC)
        events.set(zmq.SNDHWM, 256)
        for beyond, socket in enumerate((rpc, push, events)):
            _bind_port(socket, f"tcp://{f'[{host}]' if ':' in host else host}:{port + beyond}", key)
    except BaseException:  # whatever it is, no socket stays open behind it
        context.destroy(0)
        raise
    return Endpoints(context, push, rpc, events, ports=frozenset(range(port, port + 3)), door=door)


def _bind_port(socket: Socket, url: str, key: ServerKey) -> None:
    socket.set(zmq.CURVE_SERVER, 1)
    socket.set(zmq.CURVE_PUBLICKEY, key.public.encode())
    socket.set(zmq.CURVE_SECRETKEY, key.secret.encode())
    socket.set(zmq.ZAP_DOMAIN, DOMAIN)
    socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)  # where nobody answers for the keys, nobody is let in
    socket.set(zmq.IPV6, int("[" in url))
    socket.set(zmq.HEARTBEAT_IVL, _BEAT_MS)
    socket.set(zmq.HEARTBEAT_TIMEOUT, _BEAT_MS)
    try:
        socket.bind(url)
    except zmq.ZMQError as exc:
        raise SocketsInUse(
            f"cannot listen at {url}: {exc.strerror}",
            "HOST is an address of this machine, and PORT and the two above it are free: see `ipc.tcp`.",
        ) from exc


def _made(context: zmq.Context[Socket], kind: zmq.SocketType) -> Socket:
    socket = context.socket(kind)
    socket.set(zmq.MAXMSGSIZE, HARD_LIMIT_BYTES)
    socket.set(zmq.BACKLOG, _BACKLOG)
    socket.set(zmq.LINGER, _LINGER_MS)
    socket.set(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
    return socket


def _bind(socket: Socket, path: Path, inherited: int | None) -> None:
    if inherited is not None:
        # ZeroMQ closes the descriptor with the socket; the original stays open, and its owner decides.
        own = os.dup(inherited)
        os.set_blocking(own, False)
        os.set_inheritable(own, False)
        socket.set(zmq.USE_FD, own)
        path = _name(inherited, path)
    else:
        check_vacant(path)
    before = os.umask(0o177)
    try:
        socket.bind(address(path))
    except zmq.ZMQError as exc:
        raise SocketsInUse(f"cannot listen at {path}: {exc.strerror}", "Is another memoryd starting there?") from exc
    finally:
        os.umask(before)
    if inherited is None:
        path.chmod(0o600)


def check_vacant(path: Path) -> None:
    """Raise SocketsInUse unless a socket may be made at `path`: whoever binds there replaces what is there unasked."""
    try:
        check_path(path)
    except UnsafeSocket as exc:
        raise SocketsInUse(str(exc), exc.hint) from exc
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketsInUse(f"{path} is not a socket", "Move it away.")
    if listening(path):
        raise SocketsInUse(
            f"another process listens at {path}",
            "Stop it (`memoryd status` says which), or set MEMORYD_RUNTIME_DIR to another folder.",
        )


def _name(descriptor: int, otherwise: Path) -> Path:
    """Return the path that an inherited socket is bound to."""
    import socket

    with socket.socket(fileno=os.dup(descriptor)) as inherited:
        name = inherited.getsockname()
    return Path(name if isinstance(name, str) else os.fsdecode(name)) if name else otherwise
