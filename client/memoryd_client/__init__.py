"""Talk to memoryd: push what an agent is doing, take what is worth knowing one turn later.

Each name is loaded when it is first used: importing the package costs nothing, and importing messages no sockets.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from memoryd_client.async_client import AsyncClient
    from memoryd_client.base.errors import (
        DaemonUnreachable,
        DeadlineExceeded,
        InvalidArgument,
        KeyRefused,
        MemorydError,
        NotInterrupted,
        RequestFailed,
        UnsafeSocket,
        WrongType,
    )
    from memoryd_client.base.remote import Remote
    from memoryd_client.client import Client
    from memoryd_client.interrupted import Interrupted, PendingCall
    from memoryd_client.wire.context import Message
    from memoryd_client.wire.filters import Filters
    from memoryd_client.wire.memories import MemoryPage
    from memoryd_client.wire.memory import Memory, NewMemory, Scope, Source, State
    from memoryd_client.wire.pending import PendingMemory, RelatedMemory, SurfacedMemory
    from memoryd_client.wire.search import Hit
    from memoryd_client.wire.status import Status
    from memoryd_client.wire.traces import Trace
    from memoryd_client.wire.transcripts import Entry

_MODULES = {
    "async_client": "AsyncClient",
    "client": "Client",
    "base.errors": "DaemonUnreachable DeadlineExceeded InvalidArgument KeyRefused MemorydError NotInterrupted "
    "RequestFailed UnsafeSocket WrongType",
    "base.remote": "Remote",
    "interrupted": "Interrupted PendingCall",
    "wire.context": "Message",
    "wire.filters": "Filters",
    "wire.memories": "MemoryPage",
    "wire.memory": "Memory NewMemory Scope Source State",
    "wire.pending": "PendingMemory RelatedMemory SurfacedMemory",
    "wire.search": "Hit",
    "wire.status": "Status",
    "wire.traces": "Trace",
    "wire.transcripts": "Entry",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
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
    "KeyRefused",
    "Memory",
    "MemoryPage",
    "MemorydError",
    "Message",
    "NewMemory",
    "NotInterrupted",
    "PendingCall",
    "PendingMemory",
    "RelatedMemory",
    "Remote",
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
