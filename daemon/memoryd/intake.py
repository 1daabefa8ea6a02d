"""Where contexts come in, into transcript and session, and where what they brought up is taken."""

from typing import assert_never

from memoryd.publisher import EventBus
from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.names import are_names
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.conversations.session_access import SessionAccess
from memoryd_actors.core.errors import Refused
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate, Push
from memoryd_client.wire.events import Warned
from memoryd_client.wire.pending import Cleared, Recall, Take, Taken, Turn
from memoryd_client.wire.request import Done
from memoryd_client.wire.traces import Traces, Why

IntakeRequest = Push | Take | Turn | Cleared | Recall | Why
TURN_SHARE = 0.8
"""Of the deadline that a turn waits for what it brings up; the rest is for taking it."""


class Intake:
    """Takes contexts in, in one order: what was said is kept also where it comes too late to be recalled for."""

    def __init__(
        self, scribe: Scribe, publish: EventBus, recall: MemoryActor, switches: Switches, access: SessionAccess
    ) -> None:
        self._scribe = scribe
        self._publish = publish
        self._recall = recall
        self._switches = switches
        self._access = access

    def offer(self, update: ContextUpdate) -> bool:
        """Take a context in without waiting; return whether it is recalled for."""
        if not self._is_welcome(update):
            return False
        recalled = self._hand_on(update)
        self._scribe.offer(update)  # second: who waits for what is recalled does not wait for the transcript
        return recalled

    def drops(self, caller: Caller) -> bool:
        """Return whether nothing that is said there is kept: memory is off."""
        return self._switches.drops(caller)

    async def decide(self, update: ContextUpdate, wait_s: float = 0.0) -> None:
        """Decide a context that whoever sends it writes down by itself; wait a little for what it brings up."""
        if self._is_welcome(update) and self._recall.offer(update) and wait_s:
            await self._recall.wait_for(update, wait_s)

    def take_now(self, request: Take, caller: Caller) -> Taken | None:
        """Hand over what is pending where that needs no disk; None where it does, or the caller's name is none."""
        if not are_names(caller):
            return None
        return Taken() if self._is_off(caller) else self._recall.take_now(caller, request.take_id)

    async def answer(self, request: IntakeRequest, caller: Caller, deadline_s: float) -> Done | Taken | Traces:
        """Answer a request within its deadline.

        Raises:
            Refused: a context is another owner's, or too old; or the agent may not look into the session.
        """
        match request:
            case Push():
                await self._push(request.update, caller, deadline_s)
                return Done("queued")
            case Take():
                return Taken() if self._is_off(caller) else await self._recall.take(caller, request.take_id)
            case Turn():
                return await self._turn(request, caller, min(request.wait_s, TURN_SHARE * deadline_s))
            case Cleared():
                await self._recall.clear(caller)
                return Done()
            case Recall():
                return Taken(await self._recall.recall(caller, request.messages))
            case Why():
                await self._access.check(caller, caller.session)
                return Traces(traces=tuple(await self._recall.traces(caller, limit=request.limit)))
            case _:
                assert_never(request)

    async def _push(self, update: ContextUpdate, caller: Caller, deadline_s: float) -> None:
        """Take a context in durably."""
        _check_owner(update, caller)
        if self._is_welcome(update):
            await self._scribe.push(update, deadline_s=deadline_s)
            if self._hand_on(update):
                return
        raise Refused("the context is too old", "Push it when it is said; see `recall.stale_s`.")

    async def _turn(self, request: Turn, caller: Caller, wait_s: float) -> Taken:
        """Take a context in, wait a little for what it brings up, and hand over what is pending."""
        update = request.update
        _check_owner(update, caller)
        if self._is_off(update.caller):
            return Taken()
        if self.offer(update):
            await self._recall.wait_for(update, wait_s)
        return await self._recall.take(update.caller, request.take_id)

    def _hand_on(self, update: ContextUpdate) -> bool:
        # What a user asks to have remembered does not go stale: listeners hear of it first.
        self._publish(update)
        return self._recall.offer(update)

    def _is_welcome(self, update: ContextUpdate) -> bool:
        if not are_names(update.caller):
            hint = "A push under such a name is dropped. Name it without one."
            self._publish(Warned(component="sessions", message="owner, session or project holds a secret", hint=hint))
            return False
        return not self.drops(update.caller)

    def _is_off(self, caller: Caller) -> bool:
        return self._switches.off(caller.owner, caller.project) is not None


def _check_owner(update: ContextUpdate, caller: Caller) -> None:
    if update.caller.owner != caller.owner:
        raise Refused("a context belongs to whoever pushes it", "Push it under its own owner.")
