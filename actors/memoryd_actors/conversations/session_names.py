"""The names of sessions in an answer: an agent that may see some categories only learns those that it may look into."""

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from memoryd_actors.conversations.session_access import SessionAccess
from memoryd_actors.memory.described import SESSION
from memoryd_actors.memory.render import SESSION_IN_HEAD
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory
from memoryd_client.wire.pending import PendingMemory, ShownMemory
from memoryd_client.wire.session_context import ContextSection

T = TypeVar("T", bound=Struct)
NAMED = "session"
"""What everything on the wire calls the field, or the key, that names a session."""


class SessionNames:
    """Takes out of answers which sessions there are."""

    def __init__(self, access: SessionAccess) -> None:
        self._access = access

    async def for_caller(self, reply: T, caller: Caller) -> T:
        """Return a reply as the caller may have it: without the names of sessions that it may not look into."""
        if self._access.sees_all(caller):
            return reply
        hidden = {name for name in set(named(reply)) if not await self._access.is_open(caller, name)}
        return without(reply, hidden) if hidden else reply


def named(reply: Struct) -> Iterator[str]:
    """Yield the names of the sessions in a reply, also those in its text: there they may be cut."""
    match reply:
        case Memory():
            yield from reply.sources
        case ShownMemory():
            yield reply.provenance.partition(SESSION)[2]
        case PendingMemory() | ContextSection():
            yield from (head[2] for head in SESSION_IN_HEAD.finditer(reply.text))
        case _:
            pass
    for field, value in asdict(reply).items():
        match value:
            case str() if field == NAMED:
                yield value
            case Mapping() if isinstance(name := value.get(NAMED), str):  # a trace has how long a stage took there
                yield name
            case Struct():
                yield from named(value)
            case (Struct(), *_):
                for one in value:
                    yield from named(one)
            case _:
                pass


def without(reply: T, hidden: Collection[str]) -> T:
    """Return a reply without these names of sessions."""
    changes: dict[str, object] = {}
    match reply:
        case Memory():
            changes["sources"] = tuple(one for one in reply.sources if one not in hidden)
        case ShownMemory():
            voice, _, session = reply.provenance.partition(SESSION)
            changes["provenance"] = voice if session in hidden else reply.provenance
        case PendingMemory() | ContextSection():
            changes["text"] = SESSION_IN_HEAD.sub(lambda head: head[1] if head[2] in hidden else head[0], reply.text)
        case _:
            pass
    for field, value in asdict(reply).items():
        match value:
            case str() if field == NAMED and value in hidden:
                changes[field] = ""
            case Mapping() if value.get(NAMED) in hidden:
                changes[field] = {**value, NAMED: ""}
            case Struct():
                changes[field] = without(value, hidden)
            case (Struct(), *_):
                changes[field] = tuple(without(one, hidden) for one in value)
            case _:
                pass
    return replace(reply, **changes)
