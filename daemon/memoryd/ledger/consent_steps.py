"""Steps that wait for a person's consent: a proposal, the signals for it, and the answer."""

from msgspec.structs import replace
from sqlalchemy import insert

from memoryd.ledger import consenting, spent
from memoryd.ledger.memory_steps import MemorySteps
from memoryd.ledger.rows import cleaned, to_micros
from memoryd.ledger.tables import aliases
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.consent import CONSENT, field_of, replaces
from memoryd_actors.memory.settings import BY_USER
from memoryd_actors.memory.steps import Absorb, Add, Decide, Patch
from memoryd_client.wire.memory import Memory, Source, State


class ConsentSteps(MemorySteps):
    """The steps of an operation that propose what is about a person, and decide it."""

    def _patch(self, step: Patch) -> Memory:
        self._refuse_other_owner(step.memory)
        memory = cleaned(step.memory)
        spent.refuse_spent(self.connection, [memory.id])
        if step.decision == "apply" or self._sent_before(memory) or self.twin(memory) is not None:
            stored = self._add(Add(memory, step.notes, compared=False))
            if step.decision == "apply" and stored.active:
                self._give_way(stored, step.named)
            return stored
        there = consenting.asked_before(self.connection, memory, step.named, self.now)
        if there is not None:
            return self._signal(there, memory, step)
        proposed = replace(memory, state=State.PROPOSED)
        meta = {"decision": "proposed", "field": step.named, "reason": step.reason, **step.notes}
        self.create(proposed, CONSENT, meta, compared=False)
        consenting.add(self.connection, proposed, step, self.now)
        return proposed

    def _signal(self, there: Memory, again: Memory, step: Patch) -> Memory:
        """Count a proposal that was made before; what was rejected lately is not asked again."""
        alias = {"id": again.id, "memory_id": there.id, "ts": to_micros(self.now)}
        self.connection.execute(insert(aliases), alias)
        if there.state is not State.PROPOSED or again.session in ("", there.session, *there.sources):
            return there
        # An agent that says it again in another session is no second witness; what conversations bring again is one.
        if again.source is Source.AGENT and there.source is Source.AGENT and again.agent == there.agent:
            return there
        after = replace(
            there, strength=there.strength + 1, sources=(*there.sources, again.session), updated_at=self.now
        )
        meta = {"decision": "signal", "field": step.named, "session": again.session}
        there = self.write(there, after, CONSENT, meta)
        signals = 1 + len(there.sources)
        if not step.signals or signals < step.signals:
            return there
        return self._settle(there, State.ACTIVE, "applied", f"{signals} sessions agree")

    def _decide(self, step: Decide) -> Memory:
        before = self.get(step.memory_id)
        if before.state is not State.PROPOSED:
            raise Refused(
                f"{before.id} does not wait for consent: it is {before.state.value}",
                "`memoryd consent list` shows what does.",
            )
        if not step.approve:
            return self._settle(before, State.FORGOTTEN, step.decision)
        consenting.refuse_lapsed(self.connection, before, self.now)
        return self._settle(before, State.ACTIVE, step.decision, trust=max(before.trust, BY_USER))

    def _settle(
        self, before: Memory, state: State, decision: str, reason: str = "", *, trust: float | None = None
    ) -> Memory:
        """Let a proposal apply or go; with what was gathered without consent, its words go in the end."""
        field = field_of(before.category, before.title)
        trust = before.trust if trust is None else trust
        after = replace(before, state=state, trust=trust, updated_at=self.now, purge_at=None)
        if after.active:
            self.refuse_twin(after)
            after = self._next_version(after)
        else:
            after = replace(after, purge_at=self.now + consenting.REMEMBERED)
        meta = {"decision": decision, "field": field} | ({"reason": reason} if reason else {})
        after = self.write(before, after, CONSENT, meta)
        if after.active:
            self._give_way(after, field)
            after = self._meet_equals(after)
        return after

    def _meet_equals(self, value: Memory) -> Memory:
        """Let what is in force now meet the others of its name, or with its steps, as if it were stored now."""
        for other in self._same_procedures(value):
            kept, gone = (other, value) if other.pinned or other.trust > value.trust else (value, other)
            self._absorb(Absorb(gone.id, kept.id, kept.content, "the same steps"))
        value = self.find(value.id) or value
        return self._displace(value, value.trust) if value.active else value

    def _give_way(self, value: Memory, field: str) -> None:
        """Retire what a field said until now, and the proposals that its new value has overtaken."""
        for other in consenting.of_field(self.connection, value, field):
            if other.state is State.PROPOSED and (replaces(field) or other.content_hash == value.content_hash):
                self._settle(other, State.FORGOTTEN, "overtaken", f"by {value.id}")
            elif other.active and replaces(field):
                self._retire(other, value, f"{field} has a new value")
