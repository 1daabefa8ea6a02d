"""The states of sessions in the ledger, of which other daemons may save some, too."""

from collections.abc import Callable

from memoryd_actors.core.errors import DiskFull
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.live_session import LiveSession
from memoryd_actors.recall.session import SessionState, decode_state, encode_state
from memoryd_client.wire.events import Warned


class SavedSessions:
    """Reads and saves the states of sessions."""

    def __init__(self, ledger: Ledger, clock: Clock, publish: Publisher, *, shared: bool) -> None:
        """Prepare; `shared` says whether other daemons serve the same sessions: then it is asked each time."""
        self.shared = shared
        self._ledger = ledger
        self._clock = clock
        self._publish = publish

    async def state(self, session: LiveSession) -> SessionState:
        """Return how a session stands, read from the ledger where it is not known."""
        if session.state is None:
            async with session.loading:
                if session.state is None:
                    saved = await self._ledger.sessions.load(*session.key)
                    state = decode_state(saved.state) if saved else SessionState()
                    if state.told is None:
                        state.told = await self._ledger.memories.revision(session.key[0])
                    session.version, session.saved = (saved.version, saved.state) if saved else (0, b"")
                    session.state = state
                    return state
        if self.shared:
            async with session.saving:
                await self._refresh(session, session.state)
        return session.state

    async def _refresh(self, session: LiveSession, state: SessionState) -> None:
        """Take in what another daemon made of a session, where it did; the caller holds `saving`."""
        saved = await self._ledger.sessions.load(*session.key, known=session.version)
        if saved is None:
            return
        other, unsaved = decode_state(saved.state), encode_state(state) != session.saved
        state.join(other) if unsaved else state.become(other)
        session.version, session.saved = saved.version, saved.state
        # What was purged there meanwhile must not be saved once more here.
        held = state.held()
        if held:
            state.purge(held - (await self._ledger.memories.get(session.key[0], sorted(held))).keys())

    async def save(self, session: LiveSession) -> None:
        """Save a session's state. On a full disk the daemon goes on serving: only a restart would forget it."""
        if session.state is None:
            return
        try:
            if not self.shared:
                await self._ledger.sessions.save(*session.key, encode_state(session.state), self._clock.now())
                return
            async with session.saving:
                while not await self._save_version(session, encode_state(session.state)):
                    await self._refresh(session, session.state)
        except DiskFull as full:
            self._publish(Warned(component="ledger", message=str(full), hint=full.hint))

    async def _save_version(self, session: LiveSession, state: bytes) -> bool:
        """Save a state over the one that is known; return False where there is another by now."""
        now = self._clock.now()
        version = await self._ledger.sessions.save(*session.key, state, now, version=session.version)
        if version is None:
            return False
        session.version, session.saved = version, state
        return True

    async def hand_over(self, session: LiveSession, version: int, change: Callable[[SessionState], object]) -> bool:
        """Change and save a state from which something is given away: to one only, of however many daemons ask for it.

        Return False, and leave it as it is, where it is no longer at `version`.

        Raises:
            DiskFull: nothing is given away, as nobody could be kept from giving it away once more.

        """
        if session.state is None:
            return False
        if not self.shared:
            change(session.state)
            await self.save(session)
            return True
        async with session.saving:
            after = decode_state(encode_state(session.state))
            change(after)
            if session.version != version or not await self._save_version(session, encode_state(after)):
                return False
            change(session.state)
        return True
