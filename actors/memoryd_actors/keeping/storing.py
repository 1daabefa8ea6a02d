"""Memories come in: beside their neighbours where somebody waits for one, in bulk otherwise."""

from collections.abc import Sequence

from msgspec.structs import replace

from memoryd_actors.access.view import MemoryView
from memoryd_actors.admission.gate import Admitted
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.changing import check_retired
from memoryd_actors.keeping.gatekeeper import Gatekeeper, gate_notes
from memoryd_actors.keeping.merging import plan
from memoryd_actors.keeping.orders import Adopt, Store, StoreFindings
from memoryd_actors.keeping.performing import Operations
from memoryd_actors.keeping.surroundings import NeighbourLookup
from memoryd_actors.memory.settings import ONE_VALUED
from memoryd_actors.memory.steps import Add, AddEdge, Patch, Step, Supersede, UnlessPurged
from memoryd_client.wire.caller import PERSON
from memoryd_client.wire.memory import Memory


class Storing:
    """Stores memories."""

    def __init__(
        self, *, gate: Gatekeeper, view: MemoryView, operations: Operations, surroundings: NeighbourLookup
    ) -> None:
        self._gate = gate
        self._view = view
        self._operations = operations
        self._surroundings = surroundings

    async def store(self, message: Store) -> tuple[Memory, ...]:
        """Store memories: all of them or none."""
        admitted = await self._gate.admit_all(message.memories, message.caller)
        if hidden := await self._view.hidden(message.caller, [one.memory.id for one in admitted]):
            # What an id stands for belongs to those who may see it.
            raise Refused(
                f"the agent `{message.caller.agent}` may not see {len(hidden)} of what has these ids",
                "Leave the ids out.",
            )
        actor = self._gate.sign(message.caller)
        own_word = message.from_user or message.caller.agent == PERSON
        links = [
            replace(link, relation=await self._gate.clean_label(link.relation, message.caller))
            for link in message.links
        ]
        patches = await self._gate.consents_of(admitted, own_word=own_word, told=message.told)
        if message.replaces:
            return await self._store_in_place(admitted[0], patches[0], message, actor, links, own_word=own_word)
        if len(admitted) == 1:
            return await self._store_one(admitted[0], patches[0], actor, links, message.guards)
        # Several are compared with what is there afterwards, in the background: an import waits for the disk only.
        steps = [
            patch or Add(one.memory, gate_notes(one), compared=False)
            for one, patch in zip(admitted, patches, strict=True)
        ]
        return (await self._operations.perform(admitted[0].memory.owner, [*message.guards, *steps], actor))[0]

    async def bring(self, message: StoreFindings) -> tuple[Memory, ...]:
        """Store what a job found, and how far the job is."""
        # Compared afterwards, in the background, as everything that nobody waits for.
        steps = [
            self._gate.consent_step(admitted) or Add(admitted.memory, gate_notes(admitted), compared=False)
            for admitted in message.admitted
        ]
        stored, _ = await self._operations.perform(
            message.caller.owner,
            [message.unless_purged, *steps, *message.advances],
            self._gate.sign(message.caller),
            message.node,
        )
        return stored

    async def adopt(self, message: Adopt) -> tuple[Memory, ...]:
        """Store what was admitted as whole as it came."""
        steps = [
            Add(one.memory, {**message.notes, **gate_notes(one)}, compared=False, confirm=False)
            for one in message.admitted
        ]
        return (await self._operations.perform(message.owner, steps, message.actor))[0]

    async def _store_in_place(
        self,
        admitted: Admitted,
        patch: Patch | None,
        message: Store,
        actor: str,
        links: Sequence[AddEdge],
        *,
        own_word: bool,
    ) -> tuple[Memory, ...]:
        """Store a memory in the place of another. Its neighbours are looked at afterwards, in the background."""
        new = admitted.memory
        steps: list[Step] = [*message.guards, patch or Add(new, gate_notes(admitted), compared=False)]
        if patch is None or patch.decision == "apply":  # what waits for a yes takes nobody's place before
            if not own_word:
                there = await self._view.resolve(message.caller, message.replaces)
                check_retired(there, message.caller, self._gate.consent)
            steps += [Supersede(message.replaces, new.id, "replaced as it was stored"), *links]
        return (await self._operations.perform(new.owner, steps, actor))[0]

    async def _store_one(
        self,
        admitted: Admitted,
        patch: Patch | None,
        actor: str,
        links: Sequence[AddEdge],
        guards: Sequence[UnlessPurged],
    ) -> tuple[Memory, ...]:
        """Store a memory beside its neighbours; where that needs what is not there, it is compared later."""
        if patch is not None:
            linked = links if patch.decision == "apply" else ()
            return (await self._operations.perform(patch.memory.owner, [*guards, patch, *linked], actor))[0][:1]
        memory, notes = admitted.memory, gate_notes(admitted)
        if memory.category in ONE_VALUED and memory.title:
            added: list[Step] = [*guards, Add(memory, notes), *links]
            return (await self._operations.perform(memory.owner, added, actor))[0][:1]
        seen = await self._surroundings.find(memory)
        steps: list[Step] = [Add(memory, notes, compared=False)]
        if seen is not None:
            steps = plan(memory, seen.near, seen.compared, notes)
            steps = [replace(step, as_of=seen.as_of) if isinstance(step, Add) else step for step in steps]
        similarity = seen.similarity if seen is not None else None
        stored, sequence = await self._operations.perform(
            memory.owner, [*guards, *steps, *links], actor, similarity=similarity
        )
        # As it stands at the end: a correction may have taken its place.
        kept = next(one for one in reversed(stored) if one.id == stored[0].id)
        if seen is not None and kept.id == memory.id and kept.active:
            self._surroundings.note_written(kept, seen, sequence)
        return (kept,)
