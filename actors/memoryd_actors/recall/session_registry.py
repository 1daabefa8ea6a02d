"""The sessions that are in memory: made when they are needed, let go when nobody uses them, seen through at the end."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Final

from anyio.abc import TaskGroup

from memoryd_actors.core.errors import ActorStopped
from memoryd_actors.ports.clock import Clock
from memoryd_actors.recall.session import Key, Session
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.traces import Trace

IDLE_S = 1800.0
"""A session unused for this long leaves memory; its state is in the ledger."""
MOST: Final = 256
"""Sessions from which those leave memory that were unused for"""
SPARE_S: Final = 120.0
"""this long. Each has some 30 KB: thousands of short ones within half an hour would have 100 MB and more."""


class SessionRegistry:
    """Keeps the sessions that are in use."""

    def __init__(self, build: Callable[[Key], Session], clock: Clock) -> None:
        self.tasks: TaskGroup | None = None
        """Where they run; None before the start."""
        self._build = build
        self._clock = clock
        self._sessions: dict[Key, Session] = {}

    def of(self, caller: Caller) -> Session:
        """Return a caller's session, new where it is not in memory."""
        key = caller.owner, caller.session
        session = self._sessions.get(key)
        if session is None:
            if self.tasks is None:
                raise ActorStopped("the memory actor")
            if len(self._sessions) >= MOST:
                self.evict_idle()
            session = self._sessions[key] = self._build(key)
            self.tasks.start_soon(session.mailbox.run, name=session.mailbox.name)
        session.use()
        return session

    def start(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Let something run beside the sessions."""
        if self.tasks is None:
            raise ActorStopped("the memory actor")
        self.tasks.start_soon(work, name="save")

    def known(self, caller: Caller) -> Session | None:
        """Return a caller's session if it is in memory."""
        return self._sessions.get((caller.owner, caller.session))

    async def wait_traced(self, caller: Caller) -> None:
        """Wait until all that can be taken by the caller's session has its trace; by all where it names none."""
        for session in self._named(caller):
            await session.wait_traced()

    def unsaved_traces(self, caller: Caller) -> list[Trace]:
        """Return the traces of the caller's session that are not in the ledger yet; of all where it names none."""
        return [trace for session in self._named(caller) for trace in session.unsaved_traces()]

    def _named(self, caller: Caller) -> list[Session]:
        return [
            session
            for (owner, name), session in self._sessions.items()
            if owner == caller.owner and caller.session in {"", name}
        ]

    def purge(self, ids: Sequence[str]) -> None:
        """Forget memories that are about to be destroyed, in every session that is in memory."""
        for session in self._sessions.values():
            session.purge(ids)

    def forget(self, key: Key) -> None:
        """Let go of a session that is purged, unsaved."""
        session = self._sessions.pop(key, None)
        if session is not None:
            session.abandon()

    def busy(self) -> int:
        """Return how many sessions have a context waiting or under way."""
        counts = [session.mailbox.statistics() for session in self._sessions.values()]
        return sum(1 for count in counts if count.waiting or count.busy)

    def loaded(self) -> int:
        """Return how many sessions are in memory."""
        return len(self._sessions)

    def evict_idle(self) -> int:
        """Let sessions go that nobody used for a while; return how many."""
        horizon = self._clock.monotonic() - (IDLE_S if len(self._sessions) < MOST else SPARE_S)
        idle = [key for key, session in self._sessions.items() if session.is_idle(horizon)]
        for key in idle:
            self._sessions.pop(key).mailbox.close()
        return len(idle)

    async def drain(self) -> None:
        """Take no more contexts and see those accepted through."""
        sessions = list(self._sessions.values())
        for session in sessions:
            session.mailbox.close()
        for session in sessions:
            await session.finish()
