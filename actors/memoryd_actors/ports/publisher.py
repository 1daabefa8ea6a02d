"""Whoever listens is told what happens."""

from typing import Protocol

from memoryd_client.wire.events import Event


class Publisher(Protocol):
    """Tells whoever listens what is happening. Never waits, never fails."""

    def __call__(self, event: Event, /) -> None:
        """Publish an event."""
        ...
