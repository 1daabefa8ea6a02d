"""What is handed over: what was found and still holds, what stands in the context, what has changed, what to ask."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from memoryd_actors.access.categories import Categories
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.changes import News, header, of_others
from memoryd_actors.memory.render import NOTHING_STANDING, StandingText, render, standing_text
from memoryd_actors.memory.settings import DERIVED, RecallSettings
from memoryd_actors.memory.standing import Standing
from memoryd_actors.memory.visibility import is_allowed
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.recall.session_state import SessionState, whose_context
from memoryd_actors.recall.standing_memory import StandingMemory, as_told
from memoryd_actors.searching.related import checked_again
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.consent import Consent
from memoryd_client.wire.memory import Memory, State
from memoryd_client.wire.pending import PendingMemory, SurfacedMemory

log = logging.getLogger(__name__)

MOST_NEWS = 200
"""Writes that are looked at for the change header."""
MOST_QUESTIONS = 200


class Offer(msgspec.Struct, frozen=True):
    """What the ledger had for a take when it was asked."""

    waiting: frozenset[str]
    """What was found: nobody has looked whether what is found later still holds."""
    known: Mapping[str, Memory]
    """As it is now."""
    standing: Standing | None
    """None where it cannot have changed."""
    asked: tuple[Consent, ...]
    news: tuple[News, ...]
    since: int
    """The revision after which changes are news."""
    revision: int
    """The revision up to which they are."""


class Handed(msgspec.Struct, frozen=True):
    """What a take hands over, and what that makes of the state."""

    pending: PendingMemory | None
    rule: Callable[[SessionState], SessionState]
    complete: bool
    """Whether the next take has nothing of this left to tell."""


class Handover:
    """Reads what there is to hand over, and makes an answer of it."""

    def __init__(
        self, ledger: Ledger, clock: Clock, categories: Categories, standing: StandingMemory, settings: RecallSettings
    ) -> None:
        self.standing = standing
        self._ledger = ledger
        self._clock = clock
        self._categories = categories
        self._settings = settings

    async def offer(self, caller: Caller, state: SessionState, *, due: bool, about: str) -> Offer:
        """Read what a take may hand over; where it is `due`, also what stands in the context and what to ask.

        `about`: what the session is about.
        """
        standing = await self.standing.choose(caller, about) if due else None
        asked = await self._questions(caller) if due else []
        waiting = state.waiting()
        beside = {one.id for memory in state.best() for one in memory.related}
        known = await self._ledger.memories.get(caller.owner, sorted(waiting | beside)) if waiting else {}
        news, since, revision = await self.news(caller, state)
        return Offer(
            waiting=frozenset(waiting),
            known=known,
            standing=standing,
            asked=tuple(one for one in asked if one.id not in state.consents),
            news=tuple(news),
            since=since,
            revision=revision,
        )

    def hand_over(self, offer: Offer, state: SessionState, caller: Caller, take_id: str) -> Handed:
        """Return what a take is answered with. Nothing here waits."""
        whose = whose_context(caller)
        before = state.in_force.get(whose)
        told = self._standing_text(offer.standing, before, state)
        ids = {memory.id for memory in told.memories}
        relied_on = state.known(whose)
        # Told meanwhile by another answer: no news any more.
        news = offer.news if state.told == offer.since else ()
        notices = state.notices()
        changes = self.header(news, state, caller, state.waiting() | ids, notices)
        checked = [memory for memory in self._checked(offer, state, caller) if memory.id not in ids]
        asked = [one for one in offer.asked if one.id not in state.consents]
        # What is only told of conversations waits for company.
        pressing = bool(notices) or (
            bool(changes) and any(one.memory.category not in DERIVED or one.memory.id in relied_on for one in news)
        )
        pending = None
        if checked or told.lines or asked or pressing:
            pending = render(
                checked,
                turn=state.turn,
                budget_tokens=self._settings.budget_tokens,
                standing=told,
                changes=changes,
                consents=asked,
            )
        gone = {one for one in offer.waiting if not _holds(offer.known.get(one))} | ids
        in_force = None if offer.standing is None else offer.standing.known(before, ids, state.written)

        def rule(state: SessionState) -> SessionState:
            after = state.withdraw(gone)
            if in_force is not None:
                after = after.note_in_force(whose, in_force)
            if pending is None:
                return after
            announced = {one.memory.id for one in news}
            return after.take(take_id, pending, revision=offer.revision, announced=announced)

        return Handed(pending, rule, complete=pending is None or len(pending.consents) == len(asked))

    def preview(self, offer: Offer, state: SessionState, caller: Caller) -> PendingMemory | None:
        """Return what the next take would hand over of what was found."""
        checked = self._checked(offer, state, caller)
        return render(checked, turn=state.turn, budget_tokens=self._settings.budget_tokens)

    def header(
        self,
        news: Sequence[News],
        state: SessionState,
        caller: Caller,
        handed: Collection[str],
        notices: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return the change header for an answer that hands over these memories."""
        shown = state.known(whose_context(caller))
        return header(news, since=state.revision, known=handed, shown=shown, notices=notices)

    async def news(self, caller: Caller, state: SessionState) -> tuple[list[News], int, int]:
        """Return what was written since the session was told last, since when that is, and up to when.

        A session hears of what happens while it lasts, not of what was there before it.
        """
        revision = await self._ledger.memories.revision(caller.owner)
        if state.told is None or state.told >= revision:
            return [], revision, revision
        visible = self._categories.visible(caller)
        news = await self._ledger.memories.news(visible, after=state.told, limit=MOST_NEWS)
        return of_others(news, stored=state.written, changed=state.changed), state.told, revision

    async def touch(self, owner: str, ids: Sequence[str]) -> None:
        """Count that memories were handed over."""
        try:
            await self._ledger.memories.touch(owner, ids, self._clock.now())
        except Refused as refused:
            log.info("an access was not counted: %s", refused)

    async def _questions(self, caller: Caller) -> list[Consent]:
        """Return the proposals that only the user's yes decides; what waits for another signal asks nobody."""
        waiting = await self._ledger.consents.waiting(self._categories.visible(caller), limit=MOST_QUESTIONS)
        return [one for one in self._categories.asked_through(caller, waiting) if not one.needs]

    def _standing_text(
        self, standing: Standing | None, before: Mapping[str, str] | None, state: SessionState
    ) -> StandingText:
        if standing is None:
            return NOTHING_STANDING
        return standing_text(
            [as_told(memory) for memory in standing.untold(before, state.written)],
            tokens=self._settings.standing_tokens,
            counts=standing.counts if before is None else {},
            known=None if before is None else {one for one, read in before.items() if read},
        )

    def _checked(self, offer: Offer, state: SessionState, caller: Caller) -> list[SurfacedMemory]:
        """Return what was found and still holds, best first.

        What another agent of this session may not see waits for the one that may.
        """
        seen = self._categories.visible(caller)
        best = [one for one in state.best() if one.id in offer.waiting and _holds(offer.known.get(one.id))]
        best = [one for one in best if is_allowed(offer.known[one.id].category, seen)]
        return checked_again(best, offer.known, seen, hidden=state.known(whose_context(caller)))


def _holds(memory: Memory | None) -> bool:
    return memory is not None and memory.state is State.ACTIVE
