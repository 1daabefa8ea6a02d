"""Talk to memoryd: push what an agent is doing, take what is worth knowing one turn later.

Each name is loaded when it is first used: importing the package costs nothing, and importing messages no sockets.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memoryd_client.async_client import AsyncClient as AsyncClient
    from memoryd_client.client import Client as Client
    from memoryd_client.errors import DaemonUnreachable as DaemonUnreachable
    from memoryd_client.errors import DeadlineExceeded as DeadlineExceeded
    from memoryd_client.errors import InvalidArgument as InvalidArgument
    from memoryd_client.errors import MemorydError as MemorydError
    from memoryd_client.errors import NotInterrupted as NotInterrupted
    from memoryd_client.errors import RequestFailed as RequestFailed
    from memoryd_client.errors import UnsafeSocket as UnsafeSocket
    from memoryd_client.errors import WrongType as WrongType
    from memoryd_client.interrupted import Interrupted as Interrupted
    from memoryd_client.interrupted import PendingCall as PendingCall
    from memoryd_client.wire.context import Message as Message
    from memoryd_client.wire.filters import Filters as Filters
    from memoryd_client.wire.memories import MemoryPage as MemoryPage
    from memoryd_client.wire.memory import Memory as Memory
    from memoryd_client.wire.memory import NewMemory as NewMemory
    from memoryd_client.wire.memory import Scope as Scope
    from memoryd_client.wire.memory import Source as Source
    from memoryd_client.wire.memory import State as State
    from memoryd_client.wire.pending import PendingMemory as PendingMemory
    from memoryd_client.wire.pending import RelatedMemory as RelatedMemory
    from memoryd_client.wire.pending import SurfacedMemory as SurfacedMemory
    from memoryd_client.wire.search import Hit as Hit
    from memoryd_client.wire.status import Status as Status
    from memoryd_client.wire.traces import Trace as Trace
    from memoryd_client.wire.transcripts import Entry as Entry

_HOMES = {
    "AsyncClient": "async_client",
    "Client": "client",
    "DaemonUnreachable": "errors",
    "DeadlineExceeded": "errors",
    "Entry": "wire.transcripts",
    "Filters": "wire.filters",
    "Hit": "wire.search",
    "Interrupted": "interrupted",
    "InvalidArgument": "errors",
    "Memory": "wire.memory",
    "MemoryPage": "wire.memories",
    "MemorydError": "errors",
    "Message": "wire.context",
    "NewMemory": "wire.memory",
    "NotInterrupted": "errors",
    "PendingCall": "interrupted",
    "PendingMemory": "wire.pending",
    "RelatedMemory": "wire.pending",
    "RequestFailed": "errors",
    "Scope": "wire.memory",
    "Source": "wire.memory",
    "State": "wire.memory",
    "Status": "wire.status",
    "SurfacedMemory": "wire.pending",
    "Trace": "wire.traces",
    "UnsafeSocket": "errors",
    "WrongType": "errors",
}
__all__ = [
    "AsyncClient",
    "Client",
    "DaemonUnreachable",
    "DeadlineExceeded",
    "Entry",
    "Filters",
    "Hit",
    "Interrupted",
    "InvalidArgument",
    "Memory",
    "MemoryPage",
    "MemorydError",
    "Message",
    "NewMemory",
    "NotInterrupted",
    "PendingCall",
    "PendingMemory",
    "RelatedMemory",
    "RequestFailed",
    "Scope",
    "Source",
    "State",
    "Status",
    "SurfacedMemory",
    "Trace",
    "UnsafeSocket",
    "WrongType",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
