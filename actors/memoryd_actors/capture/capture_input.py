"""A message that is looked at: what it says, what was said before it, and where."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypeVar

import msgspec

from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import Message

SPOKEN = frozenset({"user", "assistant"})
M = TypeVar("M", bound=Message)


class DatedMessage(Message, frozen=True, omit_defaults=True):
    """A message in a transcript."""

    at: datetime | None = None
    """When it was said, where that is long ago."""


class CaptureInput(msgspec.Struct, frozen=True):
    """A user's message that may have something to remember, and the message before it."""

    message: str
    before: Message | None
    caller: Caller
    key: int
    purges: int
    """The newest purge of the owner that was known when it was heard: there may have been later ones before that."""
    again: bool = False
    """Whether it was found in a transcript, and may have been dealt with before."""
    at: datetime | None = None
    """When it was said, where that is long ago."""


def user_messages(messages: Iterable[M]) -> Iterator[tuple[M, M | None]]:
    """Return what users said, each with what was said before it."""
    before: M | None = None
    for message in messages:
        if message.role not in SPOKEN:
            continue
        if message.role == "user":
            yield message, before
        before = message


def key_of(said: str, before: Message | None, caller: Caller) -> int:
    """Return what tells a message from others in the life of a daemon."""
    return hash((caller.owner, caller.session, caller.project, said, before.content if before else None))
