"""What was found is handed over: to one who asks, and once, with what is always there and what has changed."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.always import MOST_ALWAYS, fingerprint, in_order, named
from memoryd_actors.memory.changes import News, header
from memoryd_actors.memory.described import surfaced
from memoryd_actors.memory.render import render
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_actors.recall.live_session import LiveSession
from memoryd_actors.recall.saved_sessions import SavedSessions
from memoryd_actors.recall.session import SessionState, handed_over
from memoryd_actors.recall.sessions import Sessions
from memoryd_actors.searching.related import checked_again
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.events import Surfaced
from memoryd_client.wire.memory import Memory, State
from memoryd_client.wire.pending import PendingMemory, SurfacedMemory, Taken

log = logging.getLogger(__name__)

MOST_STANDING = 64
"""Callers of whom it is kept what is always in their context, until something is written: each context asks for it, and
two queries for each of a hundred sessions at once took a third of the time that their contexts took."""
MOST_NEWS = 200
"""Writes that are looked at for the change header."""


class HandingOver:
    """Hands over what is pending."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        saved: SavedSessions,
        ledger: Ledger,
        clock: Clock,
        publish: Publisher,
        categories: Categories,
        budget_tokens: int,
        sequence: Callable[[], int],
    ) -> None:
        """Prepare; `sequence` returns the number of the ledger's newest change, as far as it is known here."""
        self._sessions = sessions
        self._saved = saved
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._categories = categories
        self._budget_tokens = budget_tokens
        self._sequence = sequence
        self._standing: OrderedDict[tuple[str, str, str], tuple[int, list[Memory]]] = OrderedDict()
        """What is always in the context of an owner's agent in a project, and as of which change."""

    def take_now(self, caller: Caller, take_id: str) -> Taken | None:
        """Answer a take without waiting where nothing has to be written: None where it has to be."""
        session = self._sessions.known((caller.owner, caller.session))
        if session is None or session.state is None:
            return None
        session.used = self._clock.monotonic()
        last = session.state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        if self._saved.shared:
            return None
        return None if session.state.found or self._may_be_due(session, _whose(caller)) else Taken()

    async def take(self, caller: Caller, take_id: str) -> Taken:
        """Hand over what is pending, exactly once; it counts as surfaced from here on, across restarts."""
        session = self._sessions.of((caller.owner, caller.session))
        while (taken := await self._take(session, caller, take_id)) is None:
            pass
        return taken

    async def _take(self, session: LiveSession, caller: Caller, take_id: str) -> Taken | None:
        """Hand over what is pending; None, and nothing handed over, where another daemon was first."""
        state = await self._saved.state(session)
        version = session.version
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        whose, now = _whose(caller), self._sequence()
        due = self._may_be_due(session, whose)
        standing = await self.standing(caller) if due else []
        shown = fingerprint(standing)
        asked = [one for one in await self._questions(caller) if one.id not in state.consents] if due else []
        if not state.found and not standing and not asked:
            if due:
                state.note_standing(whose, shown)
                session.looked[whose] = now
            return Taken()
        waiting = state.waiting()
        beside = {one.id for memory in state.best() for one in memory.related}
        known = await self._ledger.memories.get(caller.owner, sorted(waiting | beside))
        news, since, revision = await self._news(caller, state)
        # From here to `state.take` nothing awaits: two clients cannot take the same, and one that asks twice at a time
        # gets one answer twice.
        last = state.repeated_take(take_id)
        if last is not None:
            return Taken(last.pending)
        state.withdraw(one for one in waiting if one not in known or known[one].state is not State.ACTIVE)
        # What was found while the ledger answered is for the next take: nobody has looked whether it is still true.
        # What another agent of this session may not see waits for the one that may.
        seen = self._categories.visible(caller)
        checked = [one for one in state.best() if one.id in waiting and is_allowed(known[one.id].category, seen)]
        checked = checked_again(checked, known, seen, hidden=state.surfaced.keys() | state.written.keys())
        always: list[SurfacedMemory] = []
        if due and state.standing.get(whose, "") != shown:
            always = [surfaced(named(memory), score=1.0, reason="always in context") for memory in standing]
        changes = header(news, since=since, known=state.written.keys() | state.waiting(), shown=state.surfaced)
        pending = render(
            checked,
            turn=state.turn,
            budget_tokens=self._budget_tokens,
            always=always,
            changes=changes,
            consents=[one for one in asked if one.id not in state.consents],
        )

        def hand_over(state: SessionState) -> None:
            if due:
                state.note_standing(whose, shown)
            if pending is not None:
                state.take(take_id, pending, revision=revision)

        if pending is None:
            hand_over(state)
        elif not await self._saved.hand_over(session, version, hand_over):
            return None
        if due and (pending is None or len(pending.consents) == len(asked)):
            session.looked[whose] = now  # otherwise the next take asks about the others
        if pending is None:
            return Taken()
        ids = tuple(handed_over(pending))
        if ids:
            self._publish(Surfaced(session=caller.session, turn=pending.turn, memories=ids, owner=caller.owner))
        await self.touch(caller.owner, (*ids, *(memory.id for memory in pending.always)))
        return Taken(pending)

    async def peek(self, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found, and leave it waiting."""
        state = await self._saved.state(self._sessions.of((caller.owner, caller.session)))
        if not state.found:
            return None
        best = state.best()
        beside = {one.id for memory in best for one in memory.related}
        known = await self._ledger.memories.get(caller.owner, sorted({memory.id for memory in best} | beside))
        seen = self._categories.visible(caller)
        checked = [
            one for one in best if one.id in known and known[one.id].active and is_allowed(known[one.id].category, seen)
        ]
        checked = checked_again(checked, known, seen, hidden=state.surfaced.keys() | state.written.keys())
        return render(checked, turn=state.turn, budget_tokens=self._budget_tokens)

    async def hear(self, caller: Caller, handed: Collection[str]) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories, and count it as told.

        Without a session there is nobody to remember what was told.
        """
        if not caller.session:
            return ()
        session = self._sessions.of((caller.owner, caller.session))
        state = await self._saved.state(session)
        version = session.version
        news, since, revision = await self._news(caller, state)
        # From here on nothing awaits: of two clients that ask at a time one is told.
        if not news or state.told != since:
            return ()
        changes = header(news, since=since, known=state.written.keys() | set(handed), shown=state.surfaced)
        told = await self._saved.hand_over(session, version, lambda state: state.tell(since, revision))
        return changes if told else ()

    async def standing(self, caller: Caller) -> list[Memory]:
        """Return what is always in a caller's context, in order."""
        whose, now = (caller.owner, caller.agent, caller.project), self._sequence()
        as_of, known = self._standing.get(whose, (-1, []))
        # What another daemon changes is heard of a moment later.
        if as_of == now and not self._saved.shared:
            return list(known)
        # One by one: the ledger finds a single category without walking through all.
        pages = [await self._ledger.memories.page(one, limit=MOST_ALWAYS) for one in self._categories.standing(caller)]
        found = in_order(memory for page in pages for memory in page)
        self._standing[whose] = now, found
        if len(self._standing) > MOST_STANDING:
            self._standing.popitem(last=False)
        return list(found)

    def forget(self) -> None:
        """Keep no memory in mind: some are about to be destroyed."""
        self._standing.clear()

    async def _questions(self, caller: Caller) -> list[Consent]:
        """Return the proposals that only the user's yes decides; what waits for another signal asks nobody."""
        waiting = await self._ledger.consents.waiting(self._categories.visible(caller), limit=MOST_ALWAYS)
        return [one for one in waiting if not one.needs]

    async def _news(self, caller: Caller, state: SessionState) -> tuple[list[News], int, int]:
        """Return what was written since the session was told last, since when that is, and up to when.

        A session hears of what happens while it lasts, not of what was there before it.
        """
        revision = await self._ledger.memories.revision(caller.owner)
        if state.told is None or state.told >= revision:
            return [], revision, revision
        visible = self._categories.visible(caller)
        return await self._ledger.memories.news(visible, after=state.told, limit=MOST_NEWS), state.told, revision

    def _may_be_due(self, session: LiveSession, whose: str) -> bool:
        """Return whether something may have changed in what is always in context since it was last looked at."""
        state = session.state
        return state is None or whose not in state.standing or session.looked.get(whose) != self._sequence()

    async def touch(self, owner: str, ids: Sequence[str]) -> None:
        """Count that memories were handed over."""
        try:
            await self._ledger.memories.touch(owner, ids, self._clock.now())
        except Refused as refused:
            log.info("an access was not counted: %s", refused)


def _whose(caller: Caller) -> str:
    """Return for whom it is kept what is always in context: agents may see different things, so may projects."""
    return f"{caller.agent}\n{caller.project}"
