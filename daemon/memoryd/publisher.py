"""Whoever listens is told what happens, and to whom: the events socket, and what follows others in the daemon."""

import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar, assert_never

import msgspec

from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import ContextFilled, Event, IndexProgress, PipelineRan, Surfaced, Warned, Wrote
from memoryd_client.wire.traces import Trace

log = logging.getLogger(__name__)

E = TypeVar("E")
_ASK = "`memoryd status` and `memoryd logs` say which."


class EventBus:
    """Tells each listener of the kinds of event that it listens for, in the order in which they came to listen.

    Whoever publishes something has done it already, and the other listeners have to hear of it: one listener's bug is
    theirs no more than the publisher's. `on_bug` counts it.
    """

    def __init__(self, on_bug: Callable[[], None] = lambda: None) -> None:
        self._on_bug = on_bug
        self._listeners: dict[type[Any], list[Callable[[Any], None]]] = defaultdict(list)

    def listen(self, kind: type[E], listener: Callable[[E], None]) -> None:
        """Have a listener told of events of a kind; it must not wait."""
        self._listeners[kind].append(listener)

    def __call__(self, event: Event | ContextUpdate, /) -> None:
        """Tell of an event; a context is told of when it arrives."""
        for listener in self._listeners[type(event)]:
            try:
                listener(event)
            except Exception:  # as at the sockets: see the class
                self._on_bug()
                log.exception("a listener to %s met a bug", type(event).__name__)


def wordless(event: Event) -> Event:
    """Return what may be told of an event where nobody knows who listens: that it was, with ids and numbers.

    Without what was said and found, and without the names of sessions and agents. Who may know them asks.
    """
    match event:
        case PipelineRan(trace, owner):
            told = Trace(
                session="",
                turn=trace.turn,
                at=trace.at,
                trigger=trace.trigger,
                focus="",
                outcome="",
                timings_ms=trace.timings_ms,
            )
            return PipelineRan(told, owner)
        case Surfaced():
            return msgspec.structs.replace(event, session="")
        case ContextFilled():
            return msgspec.structs.replace(event, session="", agent="")
        case Warned():
            return Warned(component=event.component, message="there is trouble", hint=_ASK)
        case Wrote() | IndexProgress():
            return event
        case _:
            assert_never(event)
