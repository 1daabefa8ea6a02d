"""A session in memory: its contexts, one at a time and only the newest, and what is known of it."""

from collections.abc import Awaitable, Callable

import anyio

from memoryd_actors.core.actor import Actor, ActorRef, RestartLimit
from memoryd_actors.recall.focus import Focus
from memoryd_actors.recall.session import SessionState
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.traces import Trace

Key = tuple[str, str]
"""Owner and session."""


class LiveSession:
    """One session in memory."""

    def __init__(self, key: Key, now: float, decide: "Decide", on_crash: Callable[[str, Exception], None]) -> None:
        self.key = key
        self.used = now
        self.actor: ActorRef[ContextUpdate, Trace] = ActorRef(
            f"session {key[1] or '(unnamed)'}",
            lambda: _Decider(self, decide),
            on_crash=on_crash,
            limit=RestartLimit(restarts=10, window_s=60.0),
        )
        self.state: SessionState | None = None
        """None: not read from the ledger yet."""
        self.loading = anyio.Lock()
        self.saving = anyio.Lock()
        self.version = 0
        """Of the state that was read or saved last."""
        self.saved = b""
        """That state, where another daemon may save one, too."""
        self.focus: Focus | None = None
        """What it talked about last; never written to disk."""
        self.traces: list[Trace] = []
        """Not in the ledger yet."""
        self.looked: dict[str, int] = {}
        """The ledger's change at which what is always in context was last looked at; by agent and project."""
        self.queried_on = -1
        """The turn on which it asked for memory last."""


Decide = Callable[[LiveSession, ContextUpdate], Awaitable[Trace]]
"""Runs the pipeline for one context of one session."""


class _Decider(Actor[ContextUpdate, Trace]):
    """Runs the pipeline for the contexts of one session."""

    def __init__(self, session: LiveSession, decide: Decide) -> None:
        self._session = session
        self._decide = decide

    async def handle(self, message: ContextUpdate) -> Trace:
        """Decide one context, publish the trace, save the state."""
        return await self._decide(self._session, message)
