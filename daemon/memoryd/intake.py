"""Where contexts come in: into the transcript, past whoever listens, and to the session that they are of."""

from memoryd.publisher import EventBus
from memoryd_actors.access.switch import Switches
from memoryd_actors.admission.names import are_names
from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.recall.memory_actor import MemoryActor
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.events import Warned
from memoryd_client.wire.pending import Taken


class Intake:
    """Takes contexts in, in one order: what was said is kept also where it comes too late to be recalled for."""

    def __init__(self, scribe: Scribe, publish: EventBus, recall: MemoryActor, switches: Switches) -> None:
        self._scribe = scribe
        self._publish = publish
        self._recall = recall
        self._switches = switches

    def offer(self, update: ContextUpdate) -> bool:
        """Take a context in without waiting; return whether it is recalled for."""
        if not self._is_welcome(update):
            return False
        self._scribe.offer(update)
        return self._hand_on(update)

    async def push(self, update: ContextUpdate, deadline_s: float) -> bool:
        """Take a context in durably; return whether it is recalled for."""
        if not self._is_welcome(update):
            return False
        await self._scribe.push(update, deadline_s=deadline_s)
        return self._hand_on(update)

    async def turn(self, update: ContextUpdate, take_id: str, wait_s: float) -> Taken:
        """Take a context in, wait a little for what it brings up, and hand over what is pending."""
        if self._switches.off(update.caller.owner, update.caller.project) is not None:
            return Taken()
        if self.offer(update):
            await self._recall.wait_for(update, wait_s)
        return await self._recall.take(update.caller, take_id)

    def _hand_on(self, update: ContextUpdate) -> bool:
        # What a user asks to have remembered does not go stale: listeners hear of it first.
        self._publish(update)
        return self._recall.offer(update)

    def _is_welcome(self, update: ContextUpdate) -> bool:
        if not are_names(update.caller):
            hint = "A push under such a name is dropped. Name it without one."
            self._publish(Warned(component="sessions", message="owner, session or project holds a secret", hint=hint))
            return False
        return not self._switches.drops(update.caller)
