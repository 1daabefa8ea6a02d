"""Operations on memories: the steps of one, performed in the writer's transaction; see `memoryd_actors.steps`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import assert_never

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from memoryd.ledger import consenting, edges
from memoryd.ledger.reads import MAX_VARIABLES, last_sequence
from memoryd.ledger.records import Before, decode_before, difference, next_operation, record
from memoryd.ledger.rows import clean, cleaned, from_micros, memory_from, memory_of, memory_row, to_micros
from memoryd.ledger.tables import aliases, changes, doubts, history, memories, memory_tags
from memoryd.ledger.writes import store
from memoryd_actors.admission import content_hash
from memoryd_actors.consent import CONSENT, field_of, replaces
from memoryd_actors.errors import NotFound, Refused
from memoryd_actors.steps import (
    MERGED_INTO,
    SUPERSEDES,
    Absorb,
    Add,
    Applied,
    ChangeState,
    Compared,
    Decide,
    Doubt,
    Merge,
    Patch,
    Relate,
    Revise,
    Settled,
    Step,
    Supersede,
    Undo,
    Unrelate,
)
from memoryd_client.memory import Memory, State
from memoryd_client.messages import Edge

LONGEST_CHAIN = 1_000
"""Steps along which it is followed what superseded a memory."""


def perform(connection: Connection, owner: str, steps: Sequence[Step], actor: str, now: datetime) -> Applied:
    """Perform all steps of one operation.

    Raises:
        NotFound: a step names a memory that the owner does not have.
        Refused: a step cannot be; its docstring says when. Nothing is written then.

    """
    hand = _Hand(connection, clean(owner), actor, now)
    for step in steps:
        hand.perform(step)
    return Applied(
        memories=tuple(hand.standing),
        sequence=last_sequence(connection),
        operation=hand.number if hand.events else 0,
        events=tuple(hand.events),
    )


class _Hand:
    """One operation under way."""

    def __init__(self, connection: Connection, owner: str, actor: str, now: datetime) -> None:
        self._connection = connection
        self._owner = owner
        self._actor = actor
        self._now = from_micros(to_micros(now))
        self.number = next_operation(connection)
        self.standing: list[Memory] = []
        self.events: list[tuple[str, str]] = []

    def perform(self, step: Step) -> None:  # noqa: PLR0912 - one case a step
        match step:
            case Add():
                self.standing.append(self._add(step))
            case Merge():
                self.standing.append(self._merge(step))
            case Absorb():
                self._absorb(step)
            case Revise():
                self.standing.append(self._revise(step))
            case Supersede():
                self._supersede(step)
            case Relate():
                self._relate(step)
            case Unrelate():
                self._unrelate(step)
            case ChangeState():
                self.standing.append(self._change_state(step))
            case Patch():
                self.standing.append(self._patch(step))
            case Decide():
                self.standing.append(self._decide(step))
            case Doubt():
                self._doubt(step)
            case Settled():
                self._settled(step)
            case Compared():
                self._compared(step.ids)
            case Undo():
                self.standing += self._undo(step.operation)
            case _:
                assert_never(step)

    # --- steps

    def _add(self, step: Add) -> Memory:
        standing, events = store(
            self._connection,
            [step.memory],
            self._actor,
            self._now,
            notes=[step.notes],
            operation=self.number,
            compared=step.compared,
        )
        self.events += events
        return standing[0]

    def _merge(self, step: Merge) -> Memory:
        memory = cleaned(step.memory)
        into = self._find(step.into)
        if into is None or not into.active or self._sent_before(memory) or self._twin(memory) is not None:
            return self._add(Add(memory, step.notes, compared=False))
        absorbed = msgspec.structs.replace(memory, state=State.SUPERSEDED, superseded_by=into.id)
        self._create(absorbed, "ADD", step.notes, compared=True)
        self._connection.execute(insert(aliases), {"id": memory.id, "memory_id": into.id, "ts": to_micros(self._now)})
        self._edge(absorbed.id, into.id, MERGED_INTO, 1.0)
        return self._strengthen(into, absorbed, step.content)

    def _absorb(self, step: Absorb) -> None:
        absorbed, into = self._find(step.absorbed), self._find(step.into)
        if absorbed is None or into is None or absorbed.id == into.id or not (absorbed.active and into.active):
            return
        gone = msgspec.structs.replace(absorbed, state=State.SUPERSEDED, superseded_by=into.id)
        self._write(absorbed, gone, "MERGE", {"into": into.id, "reason": step.reason})
        self._edge(absorbed.id, into.id, MERGED_INTO, 1.0)
        self.standing.append(self._strengthen(into, absorbed, step.content))

    def _revise(self, step: Revise) -> Memory:
        wanted = cleaned(step.memory)
        before = self._get(wanted.id)
        if before.revision != wanted.revision:
            raise Refused(
                f"{before.id} has changed meanwhile: it is at revision {before.revision}, not {wanted.revision}",
                f"`memoryd show {before.id}` shows it as it is now; make your change to that.",
            )
        after = msgspec.structs.replace(
            wanted,
            access_count=before.access_count,
            last_accessed_at=before.last_accessed_at,
            created_at=before.created_at,
            updated_at=self._now,
            embedding_model=before.embedding_model,
        )
        ignored = {"updated_at", "revision"}
        if not difference(before, after)[0].keys() - ignored:
            return before
        self._refuse_twin(after)
        after = self._write(before, after, step.event, step.notes)
        if not step.compared:
            self._connection.execute(update(memories).where(memories.c.id == after.id).values(compared=False))
        return after

    def _supersede(self, step: Supersede) -> None:
        old, new = self._get(step.old), self._get(step.new)
        if old.id == new.id:
            raise Refused(f"{old.id} cannot supersede itself", "Name two different memories.")
        if not (old.active and new.active):
            return
        # An active memory may have been superseded once and restored since; what it has been is not what it is.
        seen, link = {new.id}, new
        for _ in range(LONGEST_CHAIN):
            if link.superseded_by == "":
                break
            if link.superseded_by == old.id or link.superseded_by in seen:
                raise Refused(f"{old.id} supersedes {new.id} already", "One of two memories can supersede the other.")
            seen.add(link.superseded_by)
            following = self._find(link.superseded_by)
            if following is None:
                break
            link = following
        self.standing.append(self._retire(old, new, step.reason))

    def _retire(self, old: Memory, new: Memory, reason: str) -> Memory:
        gone = msgspec.structs.replace(old, state=State.SUPERSEDED, superseded_by=new.id)
        gone = self._write(old, gone, "SUPERSEDE", {"by": new.id, "reason": reason})
        self._edge(new.id, old.id, SUPERSEDES, 1.0)
        return gone

    def _relate(self, step: Relate) -> None:
        if step.from_id == step.to_id:
            raise Refused(f"{step.from_id} cannot be related to itself", "Name two different memories.")
        # An edge to a memory that was merged away goes to the one that stands for it.
        source, target = self._get(step.from_id), self._get(step.to_id)
        made = self._edge(source.id, target.id, step.relation, step.strength)
        if made and step.told:
            self._tell(source, "LINK", {"to": target.id, "relation": step.relation})

    def _unrelate(self, step: Unrelate) -> None:
        source = self._get(step.from_id)
        if edges.remove(self._connection, step.from_id, step.to_id, step.relation, self.number):
            self._tell(source, "UNLINK", {"to": clean(step.to_id), "relation": step.relation})

    def _change_state(self, step: ChangeState) -> Memory:
        before = self._get(step.memory_id)
        if before.state is step.state:
            return before
        after = msgspec.structs.replace(
            before,
            state=step.state,
            superseded_by="" if step.state is State.ACTIVE else before.superseded_by,
            purge_at=None if step.state is State.ACTIVE else step.purge_at,
            updated_at=self._now,
        )
        if after.active:
            consenting.refuse_unanswered(self._connection, before)
            self._refuse_twin(after)
            edges.remove_fate(self._connection, before.id, self.number)
            # What it says is to be found under its own id again, not under the one that it was merged into.
            self._connection.execute(delete(aliases).where(aliases.c.id == before.id))
        meta = {"from": before.state.value, "to": after.state.value}
        return self._write(before, after, step.event, meta | ({"reason": step.reason} if step.reason else {}))

    def _patch(self, step: Patch) -> Memory:
        memory = cleaned(step.memory)
        if step.decision == "apply" or self._sent_before(memory) or self._twin(memory) is not None:
            standing = self._add(Add(memory, step.notes, compared=False))
            if step.decision == "apply" and standing.active:
                self._give_way(standing, step.named)
            return standing
        there = consenting.asked_before(self._connection, memory, step.named, self._now)
        if there is not None:
            return self._signal(there, memory, step)
        proposed = msgspec.structs.replace(memory, state=State.PROPOSED)
        meta = {"decision": "proposed", "field": step.named, "reason": step.reason, **step.notes}
        self._create(proposed, CONSENT, meta, compared=False)
        consenting.add(self._connection, proposed, step, self._now)
        return proposed

    def _signal(self, there: Memory, again: Memory, step: Patch) -> Memory:
        """Count a proposal that was made before; what was rejected lately is not asked again."""
        alias = {"id": again.id, "memory_id": there.id, "ts": to_micros(self._now)}
        self._connection.execute(insert(aliases), alias)
        if there.state is not State.PROPOSED or again.session in ("", there.session, *there.sources):
            return there
        after = msgspec.structs.replace(
            there, strength=there.strength + 1, sources=(*there.sources, again.session), updated_at=self._now
        )
        meta = {"decision": "signal", "field": step.named, "session": again.session}
        there = self._write(there, after, CONSENT, meta)
        signals = 1 + len(there.sources)
        if not step.signals or signals < step.signals:
            return there
        return self._settle(there, State.ACTIVE, "applied", f"{signals} sessions agree")

    def _decide(self, step: Decide) -> Memory:
        before = self._get(step.memory_id)
        if before.state is not State.PROPOSED:
            raise Refused(
                f"{before.id} does not wait for consent: it is {before.state.value}",
                "`memoryd consent list` shows what does.",
            )
        if step.approve:
            consenting.refuse_lapsed(self._connection, before, self._now)
        return self._settle(before, State.ACTIVE if step.approve else State.FORGOTTEN, step.decision)

    def _settle(self, before: Memory, state: State, decision: str, reason: str = "") -> Memory:
        """Let a proposal apply or go; with what was gathered without consent, its words go in the end."""
        field = field_of(before.category, before.title)
        after = msgspec.structs.replace(before, state=state, updated_at=self._now, purge_at=None)
        if after.active:
            self._refuse_twin(after)
        else:
            after = msgspec.structs.replace(after, purge_at=self._now + consenting.REMEMBERED)
        meta = {"decision": decision, "field": field} | ({"reason": reason} if reason else {})
        after = self._write(before, after, CONSENT, meta)
        if after.active:
            self._give_way(after, field)
        return after

    def _give_way(self, value: Memory, field: str) -> None:
        """Retire what a field said until now, and the proposals that its new value has overtaken."""
        for other in consenting.of_field(self._connection, value, field):
            if other.state is State.PROPOSED and (replaces(field) or other.content_hash == value.content_hash):
                self._settle(other, State.FORGOTTEN, "overtaken", f"by {value.id}")
            elif other.active and replaces(field):
                self._retire(other, value, f"{field} has a new value")

    def _doubt(self, step: Doubt) -> None:
        older, newer = clean(step.older), clean(step.newer)
        if self._connection.execute(select(doubts.c.id).where(_pair(older, newer)).limit(1)).first() is None:
            self._connection.execute(
                insert(doubts),
                {
                    "owner": self._owner,
                    "older_id": older,
                    "newer_id": newer,
                    "similarity": step.similarity,
                    "reason": clean(step.reason),
                    "created_at": to_micros(self._now),
                },
            )

    def _settled(self, step: Settled) -> None:
        still = _pair(clean(step.older), clean(step.newer)) & doubts.c.decided_at.is_(None)
        decided = {"decided_at": to_micros(self._now), "decision": clean(step.decision)}
        self._connection.execute(update(doubts).where(still, doubts.c.owner == self._owner).values(**decided))

    def _compared(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), MAX_VARIABLES):
            some = ids[start : start + MAX_VARIABLES]
            self._connection.execute(
                update(memories).where(memories.c.id.in_(some), memories.c.owner == self._owner).values(compared=True)
            )

    def _undo(self, operation: int) -> list[Memory]:
        rows = (
            self._connection.execute(
                select(history)
                .where(history.c.operation == operation, history.c.owner == self._owner)
                .order_by(history.c.id.desc())
            )
            .mappings()
            .all()
        )
        if not rows:
            raise Refused(f"there is no operation {operation} to undo", "`memoryd history` shows the numbers.")
        last = {row["memory_id"]: row["id"] for row in reversed(rows)}
        changed: dict[str, Memory] = {}
        for row in rows:
            if not row["undo"]:
                raise Refused(
                    f"operation {operation} cannot be undone: what was there before was not kept",
                    "That is so of a purge, and of what a memoryd before 0.2 wrote.",
                )
            before = decode_before(row["undo"])
            memory = self._get(row["memory_id"])
            if before.created:
                target = msgspec.structs.replace(memory, state=State.FORGOTTEN, updated_at=self._now)
                # Stored as merged away: nobody but this operation knows its id.
                self._connection.execute(delete(aliases).where(aliases.c.id == memory.id))
            elif before.columns:
                self._refuse_rewritten(memory, before, after=last[memory.id])
                target = self._with(memory, before)
                self._refuse_twin(target)
            else:
                continue  # an edge: taken back below
            changed[memory.id] = self._write(memory, target, "UNDO", {"of": str(operation)})
        edges.undo(self._connection, operation, self.number)
        if not changed:
            for row in rows[:1]:
                self._tell(self._get(row["memory_id"]), "UNDO", {"of": str(operation)})
        return list(changed.values())

    # --- parts of steps

    def _sent_before(self, memory: Memory) -> bool:
        renamed = self._connection.execute(select(aliases.c.memory_id).where(aliases.c.id == memory.id)).scalar()
        there = self._connection.execute(select(memories.c.number).where(memories.c.id == memory.id)).scalar()
        return renamed is not None or there is not None

    def _strengthen(self, into: Memory, absorbed: Memory, content: str) -> Memory:
        sources = into.sources
        for session in (absorbed.session, *absorbed.sources):
            if session and session not in (*sources, into.session):
                sources = (*sources, session)
        after = msgspec.structs.replace(
            into,
            strength=into.strength + absorbed.strength,
            sources=sources,
            updated_at=self._now,
            trust=max(into.trust, absorbed.trust),
        )
        if content != into.content:
            worded = msgspec.structs.replace(after, content=clean(content), content_hash=content_hash(content))
            twin = self._twin(worded)
            if twin is None or twin.id == into.id:
                after = worded
        meta = {"same": absorbed.id, "session": absorbed.session}
        return self._write(into, after, "MERGE", meta)

    def _create(self, memory: Memory, event: str, notes: Mapping[str, str], *, compared: bool) -> None:
        self._connection.execute(insert(memories), {**memory_row(memory), "compared": compared})
        self._put_tags(memory)
        self._log(memory, event, Before(created=True), new=memory.content, meta=notes)

    def _write(self, before: Memory, after: Memory, event: str, meta: Mapping[str, str]) -> Memory:
        """Put a memory down with its history; return it as it now stands."""
        after = msgspec.structs.replace(after, revision=before.revision + 1)
        old, new = difference(before, after)
        self._connection.execute(update(memories).where(memories.c.id == before.id).values(**new))
        if State.PROPOSED in {before.state, after.state}:
            consenting.follow(self._connection, after, self._actor, self._now)
        if before.tags != after.tags:
            self._connection.execute(delete(memory_tags).where(memory_tags.c.memory_id == before.id))
            self._put_tags(after)
        self._log(
            after,
            event,
            Before(columns=old),
            old=before.content if before.active and (before.content != after.content or not after.active) else "",
            new=after.content if after.active and (before.content != after.content or not before.active) else "",
            meta=meta,
        )
        return after

    def _tell(self, memory: Memory, event: str, meta: Mapping[str, str]) -> None:
        """Note in the history what changed no column of the memory."""
        self._log(memory, event, Before(), meta=meta)

    def _log(
        self, memory: Memory, event: str, before: Before, *, old: str = "", new: str = "", meta: Mapping[str, str]
    ) -> None:
        row = record(
            memory, event, self._actor, self._now, operation=self.number, before=before, old=old, new=new, meta=meta
        )
        self._connection.execute(insert(history), row)
        self._connection.execute(insert(changes), {"memory_id": memory.id, "event": event, "ts": to_micros(self._now)})
        self.events.append((event, memory.id))

    def _put_tags(self, memory: Memory) -> None:
        if memory.tags:
            rows = [{"memory_id": memory.id, "tag": tag} for tag in dict.fromkeys(memory.tags)]
            self._connection.execute(insert(memory_tags), rows)

    def _edge(self, from_id: str, to_id: str, relation: str, strength: float) -> bool:
        edge = Edge(from_id=from_id, to_id=to_id, relation=relation, strength=strength)
        return edges.add(self._connection, edge, owner=self._owner, operation=self.number, now=self._now)

    def _find(self, memory_id: str) -> Memory | None:
        mine = (memories.c.id == clean(memory_id)) & (memories.c.owner == self._owner)
        row = self._connection.execute(select(memories).where(mine)).mappings().first()
        return None if row is None else memory_of(row)

    def _get(self, memory_id: str) -> Memory:
        memory = self._find(memory_id)
        if memory is None:
            raise NotFound(memory_id)
        return memory

    def _twin(self, memory: Memory) -> Memory | None:
        """Return the active memory that says the very same in the same place."""
        if not memory.content_hash:
            return None
        query = select(memories).where(
            memories.c.owner == memory.owner,
            memories.c.scope == memory.scope.value,
            memories.c.project == memory.project,
            memories.c.content_hash == memory.content_hash,
            memories.c.state == State.ACTIVE.value,
        )
        row = self._connection.execute(query).mappings().first()
        return None if row is None else memory_of(row)

    def _refuse_twin(self, memory: Memory) -> None:
        twin = self._twin(memory) if memory.active else None
        if twin is not None and twin.id != memory.id:
            raise Refused(
                f"{memory.id} says the same as {twin.id}, which is active", f"`memoryd show {twin.id}` shows that one."
            )

    def _refuse_rewritten(self, memory: Memory, before: Before, *, after: int) -> None:
        """Refuse to undo what was written again since: that change would be lost in silence."""
        mine = before.columns.keys() - {"updated_at", "revision"}
        later = self._connection.execute(
            select(history.c.undo, history.c.operation)
            .where(history.c.memory_id == memory.id, history.c.id > after, history.c.operation != self.number)
            .order_by(history.c.id.desc())
        )
        for undo, operation in later:
            if undo and mine & decode_before(undo).columns.keys():
                raise Refused(
                    f"{memory.id} was changed again since, by operation {operation}",
                    f"Undo that one first: memoryd undo {operation}",
                )

    def _with(self, memory: Memory, before: Before) -> Memory:
        return memory_from({**memory_row(memory), **before.columns, "updated_at": to_micros(self._now)})


def _pair(one: str, other: str) -> ColumnElement[bool]:
    """Match a doubt about two memories, whichever is the older."""
    return doubts.c.older_id.in_((one, other)) & doubts.c.newer_id.in_((one, other))
