"""Memories change: their state, what they say, what they are to each other."""

from collections.abc import Mapping

import msgspec
from anyio import to_thread
from msgspec import UNSET

from memoryd_actors.admission.gate import Admitted
from memoryd_actors.core.errors import Refused
from memoryd_actors.keeping.authorship import check_outranked, check_told
from memoryd_actors.keeping.gatekeeper import Gatekeeper, as_new, check_expiry, gate_notes
from memoryd_actors.keeping.merging import plan_revised
from memoryd_actors.keeping.orders import DecideProposal, EditMemory, LinkMemories, SetState
from memoryd_actors.keeping.performing import Operations
from memoryd_actors.keeping.surroundings import NeighbourLookup, NeighboursSeen
from memoryd_actors.memory.consent import ConsentSettings, needs_consent
from memoryd_actors.memory.personal_matters import matter_of
from memoryd_actors.memory.settings import DOCUMENT, KNOWLEDGE, ONE_VALUED, STAMP
from memoryd_actors.memory.steps import (
    MERGED_INTO,
    RESERVED,
    SUPERSEDES,
    Absorb,
    AddEdge,
    ChangeState,
    Decide,
    RemoveEdge,
    Revise,
    Step,
    Supersede,
)
from memoryd_actors.ports.clock import Clock
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.editing import Changes
from memoryd_client.wire.memory import Memory, NewMemory, State


class Changing:
    """Changes memories that are there."""

    def __init__(
        self,
        *,
        ledger: MemoryRepository,
        gate: Gatekeeper,
        operations: Operations,
        surroundings: NeighbourLookup,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._gate = gate
        self._operations = operations
        self._surroundings = surroundings
        self._clock = clock

    async def set_state(self, message: SetState) -> tuple[Memory, ...]:
        """Forget a memory, or bring it back."""
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        self._gate.check_write(message.caller, before.category)
        if before.state is State.PROPOSED and message.state is State.FORGOTTEN:
            return await self.answer(DecideProposal(before.id, False, message.caller))
        if message.state is State.ACTIVE:
            check_return(before, message.caller, self._gate.consent)
            if message.caller.is_agent and before.state is not State.PROPOSED:
                await self._check_matter(before, message.caller)
        event = "DELETE" if message.state is State.FORGOTTEN else "RESTORE"
        stored, _ = await self._operations.perform(
            owner, [ChangeState(before.id, message.state, event)], self._gate.sign(message.caller)
        )
        return stored

    async def _check_matter(self, before: Memory, caller: Caller) -> None:
        """Let an agent bring back what tells of a person's name, home or health only where it forgot that itself.

        Raises:
            Refused: somebody else did, or it was brought in as something that once was.
        """
        if not (matter := await to_thread.run_sync(lambda: matter_of(before, own_word=False))):
            return
        past = await self._ledger.history(caller.owner, memory_id=before.id)
        gone = next((entry.actor for entry in past if entry.event == "DELETE"), None)
        if before.state is not State.FORGOTTEN or gone != self._gate.sign(caller):
            raise Refused(
                f"{before.id} tells of a person's {matter}, and only the user brings it back",
                "Store it again as a memory of its own: it waits for the user's consent.",
            )

    async def answer(self, message: DecideProposal) -> tuple[Memory, ...]:
        """Decide a proposal: the user says yes or no; an agent takes back what it proposed itself."""
        owner, signature = message.caller.owner, self._gate.sign(message.caller)
        before = await self._ledger.resolve(owner, message.memory_id)
        is_withdrawn = not message.approve and before.agent == signature
        if not (message.from_user or message.caller.agent == PERSON or is_withdrawn):
            who = f"`{signature}` is not the user" if signature else "who asks gives no name"
            raise Refused(
                f"{before.id} waits for the user's own yes or no, and {who}",
                "Ask the user: their answer in the conversation counts, and so do `memoryd ui` and, at a terminal, "
                f"`memoryd consent approve {before.id}`.",
            )
        decision = "approved" if message.approve else "rejected"
        if message.from_user:
            decision += " by the user in the conversation"
        step = Decide(before.id, message.approve, decision)
        return (await self._operations.perform(owner, [step], self._gate.sign(message.caller)))[0]

    async def edit(self, message: EditMemory) -> tuple[Memory, ...]:
        """Change what a memory says, or what is said of it."""
        owner = message.caller.owner
        before = await self._ledger.resolve(owner, message.memory_id)
        if message.revision is not None and before.revision != message.revision:
            raise Refused(
                f"{before.id} has changed meanwhile: it is at revision {before.revision}, not {message.revision}",
                f"`memoryd show {before.id}` shows it as it is now; make your change to that.",
            )
        new = changed_memory(before, message.changes)
        if new.expires_at != before.expires_at:
            check_expiry(new.expires_at, self._clock.now())
        after = revised(before, await self._gate.admit_again(before, new, message.caller))
        check_edit(before, after.memory, message.caller, self._gate.consent)
        was, reads = (f"{one.title}\n{one.content}" for one in (before, after.memory))
        await to_thread.run_sync(check_told, before.id, was, reads, message.caller, message.told)
        steps, around = await self._revised(before, after.memory, gate_notes(after))
        similarity = around.similarity if around is not None else None
        stored, sequence = await self._operations.perform(
            owner, steps, self._gate.sign(message.caller), similarity=similarity
        )
        kept = next(one for one in reversed(stored) if one.id == before.id)
        if around is not None and kept.active:
            self._surroundings.note_written(kept, around, sequence)
        # One that says now what another one says is that other one from here on.
        return stored[-1:] if any(isinstance(step, Absorb) for step in steps) else (kept,)

    async def _revised(
        self, before: Memory, after: Memory, notes: Mapping[str, str]
    ) -> tuple[list[Step], NeighboursSeen | None]:
        """Return the steps by which a memory reads anew, compared with its neighbours as a new one would be."""
        said = (after.content, after.category) != (before.content, before.category)
        if not said or not after.active or (after.category in ONE_VALUED and after.title):
            return [Revise(after, notes=notes)], None
        # What it says, it says now: of the two it is the newer.
        now = msgspec.structs.replace(after, created_at=self._clock.now())
        seen = await self._surroundings.find(now)
        if seen is None:
            return [Revise(after, notes=notes, compared=False)], None
        edges = await self._ledger.edges(after.owner, [after.id])
        return [Revise(after, notes=notes), *plan_revised(now, seen.near, seen.compared, edges)], seen

    async def link(self, message: LinkMemories) -> tuple[Memory, ...]:
        """Make an edge, or remove it."""
        owner, relation = message.caller.owner, await self._gate.clean_label(message.relation, message.caller)
        source = await self._ledger.resolve(owner, message.from_id)
        target = await self._ledger.resolve(owner, message.to_id)
        step: Step
        if relation == MERGED_INTO or (message.remove and relation in RESERVED):
            raise Refused(
                f"`{relation}` says what became of a memory, and cannot be made or removed by hand",
                "`memoryd restore` brings a memory back; `memoryd undo` takes an operation back.",
            )
        if message.remove:
            step = RemoveEdge(source.id, target.id, relation)
        elif relation == SUPERSEDES:
            self._gate.check_write(message.caller, target.category)
            _refuse_idle(source, target)
            check_retired(target, message.caller, self._gate.consent)
            if message.caller.agent != PERSON:
                check_outranked(target, source.trust)
            step = Supersede(target.id, source.id, "said by hand")
        else:
            step = AddEdge(source.id, target.id, relation, message.strength, told=True)
        await self._operations.perform(owner, [step], self._gate.sign(message.caller))
        return (await self._ledger.resolve(owner, source.id), await self._ledger.resolve(owner, target.id))


def _refuse_idle(source: Memory, target: Memory) -> None:
    """Refuse to let a memory supersede another where one of them is not active; doing it again is no mistake."""
    if target.superseded_by == source.id:
        return
    for memory in (source, target):
        if not memory.active:
            by = f" by {memory.superseded_by}" if memory.superseded_by else ""
            raise Refused(
                f"{memory.id} is {memory.state.value}{by}, and only an active memory supersedes an active one",
                f"`memoryd why {memory.id}` shows what became of it; `memoryd restore` brings a memory back.",
            )


def changed_memory(before: Memory, changes: Changes) -> NewMemory:
    """Return a memory with its changes, as if it were stored now: it passes the same gate."""
    changed = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    return msgspec.structs.replace(as_new(before), **changed)


def revised(before: Memory, admitted: Admitted) -> Admitted:
    """Return a memory as it reads after a change that the gate let through: what happened to it stays."""
    after = msgspec.structs.replace(
        admitted.memory,
        created_at=before.created_at,
        last_accessed_at=before.last_accessed_at,
        access_count=before.access_count,
        strength=before.strength,
        sources=before.sources,
        state=before.state,
        superseded_by=before.superseded_by,
        embedding_model=before.embedding_model,
        agent=before.agent,
        role=before.role,
        revision=before.revision,
        purge_at=before.purge_at,
        metadata={**admitted.memory.metadata, **_followed(before)},
    )
    return Admitted(after, admitted.notes)


def _followed(before: Memory) -> dict[str, str]:
    """Return which file a document's first passage follows: no edit turns it to another."""
    if before.category != KNOWLEDGE or STAMP not in before.metadata:
        return {}
    return {entry: before.metadata[entry] for entry in (DOCUMENT, STAMP) if entry in before.metadata}


def check_edit(before: Memory, after: Memory, caller: Caller, consent: ConsentSettings) -> None:
    """Let nobody change in silence what only the user may: an edit does not say whose words it has.

    Raises:
        Refused: it is a proposal, or a sensitive field that an agent edits.
    """
    if before.state is State.PROPOSED:
        raise Refused(
            f"{before.id} waits for the user's consent, and is not changed before",
            f"`memoryd consent reject {before.id}`, and propose it as it should be.",
        )
    said = (after.category, after.title, after.content) != (before.category, before.title, before.content)
    if (
        said
        and caller.agent != PERSON
        and any(needs_consent(one.category, one.title, consent) for one in (before, after))
    ):
        raise Refused(
            f"{before.id} is about the user, and only the user changes it",
            "Store the new value under the same category and title: it waits for the user's consent.",
        )


def check_retired(before: Memory, caller: Caller, consent: ConsentSettings) -> None:
    """Let nobody but the user put something else in the place of what is about the user.

    Raises:
        Refused: an agent does.
    """
    if caller.agent != PERSON and needs_consent(before.category, before.title, consent):
        raise Refused(
            f"{before.id} is about the user, and only the user replaces it",
            "Store the new value under the same category and title: it waits for the user's consent.",
        )


def check_return(before: Memory, caller: Caller, consent: ConsentSettings) -> None:
    """Let nobody but the user bring back what is about the user and was replaced.

    Raises:
        Refused: an agent does.
    """
    replaced = before.state in {State.SUPERSEDED, State.ARCHIVED}
    if replaced and caller.agent != PERSON and needs_consent(before.category, before.title, consent):
        raise Refused(
            f"{before.id} is about the user, and only the user brings it back",
            "Store the value again under the same category and title: it waits for the user's consent.",
        )
