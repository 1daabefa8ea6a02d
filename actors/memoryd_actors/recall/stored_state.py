"""The state of a session as it is in memory, beside the ledger's copy, which other daemons may save, too."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import anyio

from memoryd_actors.core.errors import Refused
from memoryd_actors.recall.session_parts import SessionParts
from memoryd_actors.recall.session_state import SessionState, decode_state, encode_state
from memoryd_client.wire.events import Warned
from memoryd_client.wire.traces import Trace

Rule = Callable[[SessionState], SessionState]
"""Returns the state that follows from another."""
SAVED_WITHIN_S: Final = 0.2
"""How long it is waited for a save, which takes some milliseconds; a client gives a take half a second."""
AGAIN_S: Final = 1.0
"""How long after a save that failed the next one is tried."""
UNSAVED_TRACES: Final = 50


class StoredState:
    """The state of one session: read from the ledger once, changed in memory, saved where something depends on it.

    A save goes on beside whoever asked for it and is tried until it is done, so that nobody waits for a ledger that is
    locked or has no space. What is not saved yet is forgotten only where the daemon ends.

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
        self._saver: anyio.CancelScope | None = None
        """Of the task that saves; None where all is saved."""
        self._changed = False
        """Whether there is something to save of which no save is under way."""
        self._fails = False
        self._tried = anyio.Event()
        """Set once the next save to begin was made or has failed."""
        self._used: list[str] = []
        """Memories whose use is not counted in the ledger yet."""
        self._traces: list[Trace] = []
        """Those that are not in the ledger yet, oldest first."""

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

    async def save(self, *, used: Sequence[str] = (), trace: Trace | None = None) -> None:
        """Save the state, that memories were `used`, and the trace of a decision; wait a moment until that is done."""
        if self._state is None:
            return
        self._used += used
        self._traces += () if trace is None else (trace,)
        self._changed, tried = True, self._tried
        if self._saver is None:
            self._saver = anyio.CancelScope()
            self._parts.start(partial(self._save_changes, self._saver))
        with anyio.move_on_after(None if self._parts.shared else SAVED_WITHIN_S):
            if not self._fails:
                await tried.wait()

    @property
    def is_saved(self) -> bool:
        """Whether nothing is left to be saved."""
        return self._saver is None

    async def saved(self) -> None:
        """Wait until nothing is left to be saved, however long that takes."""
        while self._saver is not None:
            await self._tried.wait()

    def unsaved_traces(self) -> list[Trace]:
        """Return the traces that are not in the ledger yet, newest first."""
        return self._traces[::-1]

    def rewrite_traces(self, rule: Callable[[Trace], Trace]) -> None:
        """Replace the traces that are not in the ledger yet."""
        self._traces = list(map(rule, self._traces))

    def abandon(self) -> None:
        """Save nothing more."""
        self._traces = []
        if self._saver is not None:
            self._saver.cancel()

    async def _save_changes(self, saver: anyio.CancelScope) -> None:
        """Save until nothing is left to be saved."""
        try:
            with saver:
                while self._changed:
                    tried, self._tried = self._tried, anyio.Event()
                    self._changed = False
                    self._fails = not await self._save_once(told=self._fails)
                    tried.set()
                    if self._fails:
                        self._changed = True
                        await anyio.sleep(AGAIN_S)
        finally:
            self._saver, self._fails = None, False
            self._tried.set()
            self._tried = anyio.Event()

    async def _save_once(self, *, told: bool) -> bool:
        """Save what there is; return False where that is to be tried again, and tell of it unless it was `told`."""
        parts, used, traces = self._parts, tuple(self._used), tuple(self._traces)
        try:
            await self._write(used, traces)
        except Refused as refused:
            del self._traces[:-UNSAVED_TRACES]
            if not told:
                parts.publish(Warned(component="ledger", message=str(refused), hint=refused.hint))
            return False
        except Exception as bug:  # nobody waits here who could be told, and the next save may do
            parts.on_crash(f"saving session {self._key[1] or '(unnamed)'}", bug)
        del self._used[: len(used)], self._traces[: len(traces)]
        return True

    async def _write(self, used: Sequence[str], traces: Sequence[Trace]) -> None:
        parts, state = self._parts, self._state or SessionState()
        if not parts.shared:
            saved = await parts.ledger.sessions.save(
                *self._key, encode_state(state), parts.clock.now(), used=used, traces=traces
            )
            self._version = saved or 0
            return
        async with self._saving:
            while not await self._save_version(encode_state(self._state or state), used=used, traces=traces):
                await self._refresh()

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

    async def _save_version(self, state: bytes, *, used: Sequence[str] = (), traces: Sequence[Trace] = ()) -> bool:
        """Save a state over the one that is known; return False where there is another by now."""
        now = self._parts.clock.now()
        version = await self._parts.ledger.sessions.save(
            *self._key, state, now, version=self._version, used=used, traces=traces
        )
        if version is None:
            return False
        self._version, self._saved = version, state
        return True
