"""The sessions that are in memory."""

import logging
from collections.abc import Sequence

import msgspec
from anyio.abc import TaskGroup

from memoryd_actors.core.errors import ActorStopped
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.live_session import Decide, Key, LiveSession
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.events import Warned
from memoryd_client.wire.traces import Trace

log = logging.getLogger(__name__)

IDLE_S = 1800.0
"""A session unused for this long leaves memory; its state is in the ledger."""


class Sessions:
    """Keeps the sessions that are in use, each with its actor."""

    def __init__(self, decide: Decide, clock: Clock, publish: Publisher) -> None:
        self.tasks: TaskGroup | None = None
        """Where they run; None before the start."""
        self._decide = decide
        self._clock = clock
        self._publish = publish
        self._sessions: dict[Key, LiveSession] = {}

    def known(self, key: Key) -> LiveSession | None:
        """Return a session if it is in memory."""
        return self._sessions.get(key)

    def unsaved(self, caller: Caller) -> list[Trace]:
        """Return the traces of the caller's session that are not in the ledger yet; of all where it names none."""
        return [
            trace
            for (owner, name), session in self._sessions.items()
            if owner == caller.owner and caller.session in {"", name}
            for trace in reversed(session.traces)
        ]

    def purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed, in every session that is in memory."""
        for session in self._sessions.values():
            if session.state is not None:
                session.state.purge(ids)
            # What was asked may say what is destroyed; of what is not saved yet, nobody looks which.
            session.traces = [
                msgspec.structs.replace(
                    trace, focus="", candidates=tuple(one for one in trace.candidates if one.id not in ids)
                )
                for trace in session.traces
            ]

    def forget(self, key: Key) -> None:
        """Let go of a session that is purged, unsaved."""
        session = self._sessions.pop(key, None)
        if session is not None:
            session.traces = []
            session.actor.close()

    def busy(self) -> int:
        """Return how many sessions have a context waiting or under way."""
        counts = [session.actor.statistics() for session in self._sessions.values()]
        return sum(1 for count in counts if count.waiting or count.busy)

    def loaded(self) -> int:
        """Return how many sessions are in memory."""
        return len(self._sessions)

    def evict_idle(self) -> int:
        """Let sessions go that nobody used for a while; return how many."""
        horizon = self._clock.monotonic() - IDLE_S
        idle = [key for key, session in self._sessions.items() if session.used < horizon and not session.traces]
        for key in idle:
            self._sessions.pop(key).actor.close()
        return len(idle)

    async def drain(self) -> None:
        """Take no more contexts and see those accepted through."""
        sessions = list(self._sessions.values())
        for session in sessions:
            session.actor.close()
        for session in sessions:
            await session.actor.stopped.wait()

    def of(self, key: Key) -> LiveSession:
        """Return a session, new where it is not in memory."""
        session = self._sessions.get(key)
        if session is None:
            if self.tasks is None:
                raise ActorStopped("the memory actor")
            session = LiveSession(key, self._clock.monotonic(), self._decide, self._crashed)
            self._sessions[key] = session
            self.tasks.start_soon(self._run, session, name=session.actor.name)
        session.used = self._clock.monotonic()
        return session

    async def _run(self, session: LiveSession) -> None:
        """Run a session's actor; one that keeps crashing is put out of service alone, not with the daemon."""
        try:
            await session.actor.run()
        except ActorStopped as stopped:
            log.exception("a session keeps crashing")
            self._publish(Warned(component="sessions", message=str(stopped), hint="`memoryd logs` has the reason."))
            if self._sessions.get(session.key) is session:
                del self._sessions[session.key]

    def _crashed(self, name: str, bug: Exception) -> None:
        log.error("%s crashed on a context and was rebuilt", name, exc_info=bug)
        self._publish(Warned(component="sessions", message=f"{name} crashed: {type(bug).__name__}"))
