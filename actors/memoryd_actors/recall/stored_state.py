"""The state of a session as it is in memory, beside the ledger's copy, which other daemons may save, too."""

from collections.abc import Callable, Sequence

import anyio

from memoryd_actors.core.errors import DiskFull
from memoryd_actors.recall.session_parts import SessionParts
from memoryd_actors.recall.session_state import SessionState, decode_state, encode_state
from memoryd_client.wire.events import Warned
from memoryd_client.wire.traces import Trace

Rule = Callable[[SessionState], SessionState]
"""Returns the state that follows from another."""


class StoredState:
    """The state of one session: read from the ledger once, changed in memory, saved where something depends on it.

    Where several daemons serve one session, each saves over the version that it knows, and joins the other's state
    with its own where there is a newer one.
    """

    def __init__(self, owner: str, session: str, parts: SessionParts) -> None:
        self._key = owner, session
        self._parts = parts
        self._state: SessionState | None = None
        self._version = 0
        self._saved = b""
        """The state that was read or saved last, where another daemon may save one, too."""
        self._loading = anyio.Lock()
        self._saving = anyio.Lock()

    @property
    def known(self) -> SessionState | None:
        """The state; None where it is not read from the ledger yet."""
        return self._state

    @property
    def version(self) -> int:
        """The version that was read or saved last; 0 where the ledger has none."""
        return self._version

    def change(self, rule: Rule) -> SessionState:
        """Replace the state by what follows from it."""
        self._state = self._next(rule)
        return self._state

    async def update(self, rule: Rule) -> None:
        """Change the state, and save it."""
        await self.current()
        self.change(rule)
        await self.save()

    async def current(self) -> SessionState:
        """Return the state, read from the ledger where it is not known."""
        if self._state is None:
            async with self._loading:
                if self._state is None:
                    return await self._load()
        if self._parts.shared:
            async with self._saving:
                await self._refresh()
        return self._state

    async def save(self, *, used: Sequence[str] = (), trace: Trace | None = None) -> bool:
        """Save the state, that memories were `used`, and the trace of a decision; return whether there was space.

        On a full disk the daemon goes on serving: only a restart would forget it.
        """
        if self._state is None:
            return False
        parts = self._parts
        try:
            if not parts.shared:
                state, now = encode_state(self._state), parts.clock.now()
                self._version = await parts.ledger.sessions.save(*self._key, state, now, used=used, trace=trace) or 0
                return True
            async with self._saving:
                while not await self._save_version(encode_state(self._state), trace=trace):
                    await self._refresh()
        except DiskFull as full:
            parts.publish(Warned(component="ledger", message=str(full), hint=full.hint))
            return False
        return True

    async def give(self, version: int, rule: Rule, *, used: Sequence[str] = ()) -> bool:
        """Change and save a state from which something is given away: to one only, of however many daemons ask for it.

        In the same write it is counted that memories are `used`.

        Return False, and leave it as it is, where it is no longer at `version`.

        Raises:
            DiskFull: nothing is given away, as nobody could be kept from giving it away once more.
        """
        if self._state is None:
            return False
        if not self._parts.shared:
            self.change(rule)
            await self.save(used=used)
            return True
        async with self._saving:
            if self._version != version or not await self._save_version(encode_state(self._next(rule)), used=used):
                return False
            self.change(rule)
        return True

    def _next(self, rule: Rule) -> SessionState:
        """Return what follows from the state, without what was destroyed while the rule was found."""
        state = rule(self._state or SessionState())
        purged = self._parts.purged.ids()
        return state.purge(purged) if purged else state

    async def _load(self) -> SessionState:
        ledger, (owner, session) = self._parts.ledger, self._key
        saved = await ledger.sessions.load(owner, session)
        state = decode_state(saved.state) if saved else SessionState()
        if state.told is None:
            state = state.tell(await ledger.memories.revision(owner))
        self._version, self._saved = (saved.version, saved.state) if saved else (0, b"")
        return self.change(lambda _: state)

    async def _refresh(self) -> None:
        """Take in what another daemon made of the session, where it did; the caller holds `_saving`."""
        saved = await self._parts.ledger.sessions.load(*self._key, known=self._version)
        if saved is None or self._state is None:
            return
        other, unsaved = decode_state(saved.state), encode_state(self._state) != self._saved
        self._state = self._state.join(other) if unsaved else self._state.become(other)
        self._version, self._saved = saved.version, saved.state
        # What was purged there meanwhile must not be saved once more here.
        held = self._state.held()
        if held:
            gone = held - (await self._parts.ledger.memories.get(self._key[0], sorted(held))).keys()
            self.change(lambda state: state.purge(gone))

    async def _save_version(self, state: bytes, *, used: Sequence[str] = (), trace: Trace | None = None) -> bool:
        """Save a state over the one that is known; return False where there is another by now."""
        now = self._parts.clock.now()
        version = await self._parts.ledger.sessions.save(
            *self._key, state, now, version=self._version, used=used, trace=trace
        )
        if version is None:
            return False
        self._version, self._saved = version, state
        return True
