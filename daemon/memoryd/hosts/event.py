"""The few things that every host reports, whatever it calls them, and what a host is to the daemon."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, cast

import msgspec

from memoryd.hosts.request import HookRequest, NotARequest

Kind = Literal["begins", "cleared", "prompt", "answer", "tool", "ends"]
"""cleared: what was shown before is no longer in the conversation. answer: what the model said to the user."""


class Event(msgspec.Struct, frozen=True):
    """Something that happened in a session of a host."""

    kind: Kind
    session: str
    name: str = ""
    """What the host calls it."""
    text: str = ""
    """The prompt, the answer, or what a tool brought."""
    prompt: str = ""
    """The prompt's id, where the host gives it one."""
    folder: str = ""
    files: tuple[str, ...] = ()
    """Files that a tool had in hand."""
    failed: bool = False
    """Whether a tool failed."""


class Payload:
    """What a host wrote on the hook's stdin: JSON of unknown shape, read field by field."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    @classmethod
    def of(cls, request: HookRequest) -> "Payload":
        """Read the event of a request.

        Raises:
            NotARequest: it is no JSON object.
        """
        try:
            return cls(msgspec.json.decode(request.body or b"{}", type=dict[str, object]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
            raise NotARequest(f"an event of {request.host} is no JSON object: {wrong}") from wrong

    def text(self, *names: str) -> str:
        """Return the first of these fields that holds text."""
        found = (self._fields.get(name) for name in names)
        return next((value for value in found if isinstance(value, str) and value), "")

    def inner(self, name: str) -> "Payload":
        """Return an object within; an empty one where there is none."""
        value = self._fields.get(name)
        return Payload(cast("dict[str, object]", value)) if isinstance(value, dict) else Payload({})

    def whole(self, name: str) -> str:
        """Return all text in a field, whatever it holds."""
        return "\n".join(_texts(self._fields.get(name)))

    def first(self, name: str) -> str:
        """Return the first text of a list."""
        value = self._fields.get(name)
        return next((one for one in value if isinstance(one, str)), "") if isinstance(value, list) else ""


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
        case _:
            return


class Dialect(msgspec.Struct, frozen=True):
    """How one host speaks."""

    name: str
    read: Callable[[Payload, HookRequest], Event | None]
    """Returns what an event means; None: nothing to us."""
    say: Callable[[str, Event], bytes]
    """Returns what the hook has to print so that a text reaches the model."""
    heard_at: frozenset[Kind] = frozenset({"begins", "cleared", "prompt", "tool"})
    """At which events what the hook prints reaches the model, and does no harm."""
    longest: int = 20_000
    """Characters of a text that arrive whole."""
    counts_bytes: bool = False
    """Whether they are bytes."""


def as_context(text: str, event: Event) -> bytes:
    """Say it as Claude Code wants it, and several hosts after it: nothing else may stand beside it in Codex."""
    said = {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}
    return msgspec.json.encode(said)


def as_it_is(text: str, event: Event) -> bytes:
    """Say it without anything around it."""
    return text.encode()
