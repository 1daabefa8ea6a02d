"""What an agent is doing now: the messages that it pushes."""

from typing import Annotated, Literal

import msgspec

from memoryd_client.wire.caller import Caller
from memoryd_client.wire.request import PROTOCOL_VERSION, Done, Request

MAX_TURN = 2**31


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation."""

    role: str
    """user, assistant, system or tool."""
    content: str
    name: str = ""
    """Who spoke, or which tool."""


Trigger = Literal["turn", "output", "file", "error", "design"]
"""Why a context was pushed: the user's turn, N tokens of output, another file type, an
error, a design discussion."""


class ContextUpdate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="context"):
    """What an agent is doing now: the end of its conversation, newest last."""

    caller: Caller
    messages: tuple[Message, ...]
    trigger: Trigger = "turn"
    files: tuple[str, ...] = ()
    """Files in hand, as paths; a model that judges is told of them."""
    turn: Annotated[int, msgspec.Meta(ge=0, le=MAX_TURN)] | None = None
    """The agent's own count; the daemon counts user turns where it is missing."""
    sequence: int = 0
    """Counts the updates of one client; an older one that arrives late is dropped."""
    client: str = ""
    """Random id of the sending client, the frame of reference for `sequence`."""
    sent_at: float = 0.0
    """Seconds since the epoch."""
    v: int = PROTOCOL_VERSION


class Push(Request[Done], frozen=True, kw_only=True, tag="push"):
    """A context update whose sender wants to know that it arrived (the command line)."""

    needs_memory = True

    update: ContextUpdate
