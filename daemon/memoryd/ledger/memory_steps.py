"""Steps that store memories and change them: each finds what stands there, and writes it with its history."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from memoryd.ledger import candidate_pairs, consenting, edges, spent
from memoryd.ledger.records import difference, shown_changes
from memoryd.ledger.rows import cleaned, to_micros
from memoryd.ledger.tables import aliases, memories
from memoryd.ledger.unit_of_work import UnitOfWork
from memoryd.ledger.writes import store
from memoryd_actors.admission.gate import BY_AGENT, identity
from memoryd_actors.admission.workflow import same_steps
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.lifecycle import last_expiry
from memoryd_actors.memory.settings import BY_USER, PROCEDURES, VERSION
from memoryd_actors.memory.steps import (
    CONTRADICTS,
    MERGED_INTO,
    SUPERSEDES,
    Absorb,
    Add,
    AddEdge,
    ChangeState,
    Merge,
    RemoveEdge,
    Revise,
    Supersede,
)
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.caller import PERSON, Caller
from memoryd_client.wire.memory import Memory, State

LONGEST_NUMBER = 9
"""Digits of a version's number."""


def _number(version: str) -> int:
    """Return the number of a version; 0 for none, as where an agent counts its own way."""
    return int(version) if version.isdecimal() and len(version) <= LONGEST_NUMBER else 0


class MemorySteps(UnitOfWork):
    """The steps of an operation that are about memories and their edges."""

    def __init__(self, connection: Connection, owner: str, actor: str, now: datetime, foreign: int) -> None:
        """Begin; `foreign` is the newest change that another daemon made."""
        super().__init__(connection, owner, actor, now)
        self._foreign = foreign
        self._stands_for: dict[str, str] = {}
        """Of memories that this operation was to store, or merged away: which one stands for it."""
        self._linked = False

    def _add(self, step: Add) -> Memory:
        """Store a memory; of two procedures with the same steps the one trusted more stays in force, else the older."""
        memory = cleaned(step.memory)
        known = not step.confirm or self._sent_before(memory) or self.twin(memory) is not None
        same = [] if known else self._same_procedures(memory)
        if same and (same[0].pinned or same[0].trust >= step.memory.trust):
            return self._merge(Merge(step.memory, same[0].id, same[0].content, step.notes))
        stored = self._added([step])[0]
        for other in same:
            self._absorb(Absorb(other.id, stored.id, stored.content, "the same steps"))
        return self.find(stored.id) or stored

    def _same_procedures(self, memory: Memory) -> list[Memory]:
        """Return the procedures in another one's place that have its steps, what is pinned or trusted most first."""
        if memory.category not in PROCEDURES:
            return []
        same = [other for other in self.beside(memory) if same_steps(memory.content, other.content)]
        return sorted(same, key=lambda other: (not other.pinned, -other.trust))

    def _added(self, steps: Sequence[Add]) -> list[Memory]:
        """Store memories as one: their steps are alike."""
        for step in steps:
            self._refuse_other_owner(step.memory)
        steps = self._numbered(steps)
        like = steps[0]
        stored, events = store(
            self.connection,
            [step.memory for step in steps],
            self.actor,
            self.now,
            notes=[step.notes for step in steps],
            operation=self.number,
            compared=like.compared and (like.as_of is None or like.as_of >= self._foreign),
            confirm=like.confirm,
        )
        self.note(events)
        self.created.update(memory_id for event, memory_id in events if event == "ADD")
        for step, memory in zip(steps, stored, strict=True):
            self.know(memory)
            if memory.id != (given := clean(step.memory.id)):
                self._stands_for[given] = memory.id
            else:
                self._displace(memory, memory.trust, by_age=not like.confirm)
        return [self.find(memory.id) or memory for memory in stored]

    def _numbered(self, steps: Sequence[Add]) -> list[Add]:
        """Return the steps with the versions of what is stored, those of one name counted in their order."""
        counted: dict[tuple[object, ...], int] = {}
        done: list[Add] = []
        for step in steps:
            memory = self._next_version(step.memory, whole=not step.confirm)
            name = (memory.scope, memory.project, memory.category, memory.title.casefold())
            if step.confirm and (number := _number(memory.metadata.get(VERSION, ""))):
                counted[name] = max(number, counted.get(name, 0) + 1)
                memory = replace(memory, metadata={**memory.metadata, VERSION: str(counted[name])})
            done.append(replace(step, memory=memory))
        return done

    def _next_version(self, memory: Memory, *, whole: bool = False) -> Memory:
        """Return a procedure with the number of its version: one more than any of its name ever had, retired or not.

        One that is brought in `whole` keeps the number that it has, and stays without one where it takes nobody's
        place.
        """
        own = memory.metadata.get(VERSION, "")
        if memory.category not in PROCEDURES or not memory.title or (own and (whole or not _number(own))):
            return memory
        twin = self.twin(memory)
        if (twin is not None and twin.id != memory.id) or (whole and not self.namesakes(memory)):
            return memory
        before = max((_number(one.metadata.get(VERSION, "")) or 1 for one in self.once_namesakes(memory)), default=0)
        if _number(own) > before:
            return memory
        return replace(memory, metadata={**memory.metadata, VERSION: str(before + 1)})

    def _merge(self, step: Merge) -> Memory:
        self._refuse_other_owner(step.memory)
        memory = cleaned(step.memory)
        spent.refuse_spent(self.connection, [memory.id])
        into = self.find(step.into)
        if into is None or not into.active or self._sent_before(memory) or self.twin(memory) is not None:
            return self._add(Add(memory, step.notes, compared=False))
        absorbed = replace(memory, state=State.SUPERSEDED, superseded_by=into.id)
        self.create(absorbed, "ADD", step.notes, compared=True)
        self.connection.execute(insert(aliases), {"id": memory.id, "memory_id": into.id, "ts": to_micros(self.now)})
        self.edge(absorbed.id, into.id, MERGED_INTO, 1.0)
        self._stands_for[absorbed.id] = into.id
        return self._strengthen(into, absorbed, step.content)

    def _absorb(self, step: Absorb) -> list[Memory]:
        absorbed, into = self.find(step.absorbed), self.find(step.into)
        if absorbed is None or into is None or absorbed.id == into.id or not (absorbed.active and into.active):
            return []
        gone = replace(absorbed, state=State.SUPERSEDED, superseded_by=into.id)
        self.write(absorbed, gone, "MERGE", {"into": into.id, "reason": step.reason})
        self.edge(absorbed.id, into.id, MERGED_INTO, 1.0)
        self._stands_for[absorbed.id] = into.id
        return [self._strengthen(into, absorbed, step.content)]

    def _revise(self, step: Revise) -> Memory:
        wanted = cleaned(step.memory)
        before = self.get(wanted.id)
        if before.revision != wanted.revision:
            raise Refused(
                f"{before.id} has changed meanwhile: it is at revision {before.revision}, not {wanted.revision}",
                f"`memoryd show {before.id}` shows it as it is now; make your change to that.",
            )
        after = replace(
            wanted,
            owner=before.owner,
            access_count=before.access_count,
            last_accessed_at=before.last_accessed_at,
            created_at=before.created_at,
            updated_at=self.now,
            embedding_model=before.embedding_model,
            # What becomes of a memory has steps of its own, which see to its edges.
            state=before.state,
            superseded_by=before.superseded_by,
            purge_at=before.purge_at,
        )
        ignored = {"updated_at", "revision"}
        if not difference(before, after)[0].keys() - ignored:
            return before
        self.refuse_twin(after)
        if after.title.casefold() != before.title.casefold():
            after = self._next_version(after)
        after = self.write(before, after, step.event, shown_changes(before, after) | dict(step.notes))
        if not step.compared:
            self.uncompared(after.id)
        if after.content != before.content:
            candidate_pairs.ask_again(self.connection, after.id)
        return self._displace(after, after.trust)

    def _supersede(self, step: Supersede) -> None:
        old, new = self.get(step.old), self.get(self._surviving_id(step.new, merged=False))
        if clean(step.old) == clean(step.new):
            raise Refused(f"{old.id} cannot supersede itself", "Name two different memories.")
        if old.id == new.id or not (old.active and new.active):
            return
        self.refuse_circle(old.id, new.id)
        self.results.append(self._retire(old, new, step.reason))

    def _retire(self, old: Memory, new: Memory, reason: str) -> Memory:
        gone = replace(old, state=State.SUPERSEDED, superseded_by=new.id)
        gone = self.write(old, gone, "SUPERSEDE", {"by": new.id, "reason": reason})
        self.edge(new.id, old.id, SUPERSEDES, 1.0)
        return gone

    def _relate(self, step: AddEdge) -> None:
        if clean(step.from_id) == clean(step.to_id):
            raise Refused(f"{step.from_id} cannot be related to itself", "Name two different memories.")
        # An edge to a memory that this operation merged away goes to the one that stands for it.
        source, target = self.get(self._surviving_id(step.from_id)), self.get(self._surviving_id(step.to_id))
        if source.id == target.id:
            return
        made = self.edge(source.id, target.id, step.relation, step.strength, step.at)
        self._linked = self._linked or made
        if made and step.told:
            self.tell(source, "LINK", {"to": target.id, "relation": step.relation})

    def _unrelate(self, step: RemoveEdge) -> None:
        source = self.get(step.from_id)
        if edges.remove(self.connection, step.from_id, step.to_id, step.relation, self.number):
            self.tell(source, "UNLINK", {"to": clean(step.to_id), "relation": step.relation})

    def _change_state(self, step: ChangeState) -> Memory:
        before = self.get(step.memory_id)
        if before.state is step.state:
            return before
        after = replace(
            before,
            state=step.state,
            superseded_by="" if step.state is State.ACTIVE else before.superseded_by,
            purge_at=None if step.state is State.ACTIVE else step.purge_at,
            updated_at=self.now,
        )
        replaced_by: list[str] = []
        if after.active:
            consenting.refuse_unanswered(self.connection, before)
            self.refuse_twin(after)
            replaced_by = edges.remove_fate(self.connection, before.id, self.number)
            # What it says is to be found under its own id again, not under the one that it was merged into.
            self.connection.execute(delete(aliases).where(aliases.c.id == before.id))
        meta = {"from": before.state.value, "to": after.state.value}
        after = self.write(before, after, step.event, meta | ({"reason": step.reason} if step.reason else {}))
        by_agent = Caller(agent=self.actor).is_agent
        # Whoever wrote it, that it is to hold again is the word of who restores it.
        after = self._displace(after, min(after.trust, BY_AGENT) if by_agent else after.trust)
        for memory_id in replaced_by:
            self._oppose(memory_id, after)
        return after

    def _oppose(self, memory_id: str, restored: Memory) -> None:
        """Say that what took the place of a memory contradicts it, now that it is back: one of them is not so."""
        other = self.find(memory_id)
        if (
            other is not None
            and other.active
            and restored.active
            and self.edge(other.id, restored.id, CONTRADICTS, 1.0)
        ):
            self.tell(other, "LINK", {"to": restored.id, "relation": CONTRADICTS})

    # --- parts of steps

    def _displace(self, rule: Memory, word: float, *, by_age: bool = False) -> Memory:
        """Retire the other rules of a name, which has one value, and return the rule as it then stands.

        The one that came or came back last stands, or with `by_age` the one that is dated last. What is pinned or
        trusted more than the `word` of who brought that one stands against it, unless that is the user.
        """
        there = [rule, *self.namesakes(rule)]
        stands = max(there, key=lambda memory: (memory.created_at, memory.id)) if by_age else rule
        word = word if stands.id == rule.id else stands.trust
        if self.actor != PERSON and word < BY_USER:
            above = [other for other in there if other.id != stands.id and (other.pinned or other.trust > word)]
            stands = max(above, key=lambda memory: (memory.pinned, memory.trust, memory.created_at), default=stands)
        kind = "procedure" if rule.category in PROCEDURES else "rule"
        for other in there:
            if other.id == stands.id:
                continue
            came = other.id == rule.id and not by_age
            reason = "has a value that stands against it" if came else "has a new value"
            self._retire(other, stands, f"the {kind} `{rule.title}` {reason}")
        return self.find(rule.id) or rule

    def _surviving_id(self, memory_id: str, *, merged: bool = True) -> str:
        """Return the memory that stands for one which this operation was to store, or has `merged` away."""
        given = clean(memory_id)
        stands = self._stands_for.get(given, given)
        return stands if merged or self.find(given) is None else given

    def _refuse_other_owner(self, memory: Memory) -> None:
        if clean(memory.owner) != self.owner:
            raise Refused(f"{memory.id} is not {self.owner}'s", "Store it under its own owner.")

    def _sent_before(self, memory: Memory) -> bool:
        renamed = self.connection.execute(select(aliases.c.memory_id).where(aliases.c.id == memory.id)).scalar()
        there = self.connection.execute(select(memories.c.number).where(memories.c.id == memory.id)).scalar()
        return renamed is not None or there is not None

    def _strengthen(self, into: Memory, absorbed: Memory, content: str) -> Memory:
        sources = into.sources
        for session in (absorbed.session, *absorbed.sources):
            if session and session not in (*sources, into.session):
                sources = (*sources, session)
        after = replace(
            into,
            strength=into.strength + absorbed.strength,
            sources=sources,
            updated_at=self.now,
            trust=max(into.trust, absorbed.trust),
            expires_at=last_expiry(into, absorbed),
        )
        if content != into.content:
            worded = replace(after, content=clean(content))
            worded = replace(worded, content_hash=identity(worded))
            twin = self.twin(worded)
            if twin is None or twin.id == into.id:
                after = worded
        meta = {"same": absorbed.id, "session": absorbed.session}
        return self.write(into, after, "MERGE", meta)
