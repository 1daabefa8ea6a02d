"""Memories come in: beside their neighbours where somebody waits for one, in bulk otherwise."""

from collections.abc import Callable
from dataclasses import replace

import anyio

from memoryd_actors.admission.gate import Admitted
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.consolidation import plan
from memoryd_actors.keeping.gatekeeper import Gatekeeper, told
from memoryd_actors.keeping.operations import Operations
from memoryd_actors.keeping.orders import PERSON, Adopt, Bring, Store
from memoryd_actors.keeping.surroundings import Surroundings
from memoryd_actors.memory.consent import decide
from memoryd_actors.memory.steps import Add, Step, Supersede
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import Ledger
from memoryd_actors.ports.publisher import Publisher
from memoryd_client.wire.events import Wrote
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory

RULE = "rule"
MOST_RULES = 500


class Storing:
    """Stores memories."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        gate: Gatekeeper,
        operations: Operations,
        surroundings: Surroundings,
        publish: Publisher,
        on_change: Callable[[int], None],
    ) -> None:
        self._ledger = ledger
        self._gate = gate
        self._operations = operations
        self._surroundings = surroundings
        self._publish = publish
        self._on_change = on_change

    async def store(self, message: Store) -> tuple[Memory, ...]:
        """Store memories: all of them or none."""
        admitted = await self._gate.admitted(message.memories, message.caller)
        stored: tuple[Memory, ...] = ()

        async def tell() -> None:
            if message.on_admitted is not None:
                await message.on_admitted([one.memory.id for one in admitted])

        # Beside the storing, which waits for the model: one after the other, two commits took 6 ms more of 42.
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(tell)
                stored = await self._store(message, admitted)
        except BaseExceptionGroup as failed:
            # One of the two failed, and the other was cancelled.
            raise failed.exceptions[0] from None
        return stored

    async def _store(self, message: Store, admitted: list[Admitted]) -> tuple[Memory, ...]:
        actor = self._gate.signed(message.caller)
        own_word = message.heard or message.caller.agent == PERSON
        if len(admitted) == 1:
            return await self._store_one(admitted[0], actor, own_word=own_word)
        watched = [decide(one.memory, self._gate.consent, own_word=own_word) for one in admitted]
        if any(watched) or any(one.memory.category == RULE for one in admitted):
            steps = [
                self._gate.patch(one, own_word=own_word) or Add(one.memory, told(one), compared=False)
                for one in admitted
            ]
            return (await self._operations.perform(admitted[0].memory.owner, steps, actor))[0]
        # Several are compared with what is there afterwards, in the background: an import waits for the disk only.
        notes = [told(one) for one in admitted]
        stored, sequence = await self._ledger.insert([one.memory for one in admitted], actor=actor, notes=notes)
        self._on_change(sequence)
        for memory, (asked, _) in zip(stored, admitted, strict=True):
            event = "ADD" if memory.id == asked.id else "MERGE"
            self._publish(Wrote(event=event, memory_id=memory.id, owner=memory.owner))
        return tuple(stored)

    async def bring(self, message: Bring) -> tuple[Memory, ...]:
        """Store what a job found, as far as it is admitted, and how far the job is."""
        steps: list[Step] = []
        for new in message.memories:
            try:
                (admitted,) = await self._gate.admitted((new,), message.caller)
            except Refused as refused:
                message.refused(new, refused)
            else:
                # Compared afterwards, in the background, as everything that nobody waits for.
                steps.append(self._gate.patch(admitted) or Add(admitted.memory, told(admitted), compared=False))
        standing, _ = await self._operations.perform(
            message.caller.owner, [*steps, *message.advances], self._gate.signed(message.caller), message.node
        )
        return standing

    async def adopt(self, message: Adopt) -> tuple[Memory, ...]:
        """Store what was admitted as whole as it came."""
        notes = [{**message.notes, **told(one)} for one in message.admitted]
        memories = [one.memory for one in message.admitted]
        stored, sequence = await self._ledger.insert(memories, actor=message.actor, notes=notes, confirm=False)
        self._on_change(sequence)
        for memory, asked in zip(stored, memories, strict=True):
            if memory.id == asked.id:
                self._publish(Wrote(event="ADD", memory_id=memory.id, owner=message.owner))
                if memory.category == RULE and memory.title:
                    await self._settle_rules(memory, message.actor)
        return tuple(stored)

    async def _store_one(self, admitted: Admitted, actor: str, *, own_word: bool) -> tuple[Memory, ...]:
        """Store a memory beside its neighbours; where that needs what is not there, it is compared later."""
        patch = self._gate.patch(admitted, own_word=own_word)
        if patch is not None:
            return (await self._operations.perform(patch.memory.owner, [patch], actor))[0]
        memory, notes = admitted.memory, told(admitted)
        if memory.category == RULE and memory.title:
            standing, _ = await self._operations.perform(memory.owner, [Add(memory, notes)], actor)
            await self._settle_rules(standing[0], actor)
            return standing[:1]
        seen = await self._surroundings.look(memory)
        steps: list[Step] = [Add(memory, notes, compared=False)]
        if seen is not None:
            steps = plan(memory, seen.near, seen.compared, notes)
            steps = [replace(one, as_of=seen.as_of) if isinstance(one, Add) else one for one in steps]
        standing, sequence = await self._operations.perform(memory.owner, steps, actor)
        if seen is not None and standing[0].id == memory.id:
            self._surroundings.wrote(standing[0], seen, sequence)
        return standing[:1]

    async def _same_rule(self, rule: Memory) -> list[Memory]:
        """Return the other active rules of the same name in the same place."""
        place = Visibility(
            owner=rule.owner,
            project=rule.project,
            filters=Filters(scope=rule.scope.value, categories=(RULE,)),
        )
        rules = await self._ledger.page(place, limit=MOST_RULES)
        name = rule.title.casefold()
        return [one for one in rules if one.title.casefold() == name and one.content_hash != rule.content_hash]

    async def _settle_rules(self, rule: Memory, actor: str) -> None:
        """Retire all but the newest rule of a name, where another daemon stored one at the same time.

        Whoever looks last sees both; who looks at the same time comes to the same end.
        """
        others = await self._same_rule(rule)
        if not others or not rule.active:
            return
        newest = max((*others, rule), key=lambda one: (one.created_at, one.id))
        reason = f"the rule `{rule.title}` has a new value"
        steps = [Supersede(one.id, newest.id, reason) for one in (*others, rule) if one.id != newest.id]
        await self._operations.perform(rule.owner, steps, actor)
