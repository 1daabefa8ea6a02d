"""The daemon's end of the wire: three sockets, typed requests in, typed replies and events out."""

from memoryd.ipc.endpoints import SocketsInUse as SocketsInUse
from memoryd.ipc.guard import Guard as Guard
from memoryd.ipc.guard import Network as Network
from memoryd.ipc.server import Server as Server
from memoryd.ipc.statistics import SocketStatistics as SocketStatistics

__all__ = ["Guard", "Network", "Server", "SocketStatistics", "SocketsInUse"]
