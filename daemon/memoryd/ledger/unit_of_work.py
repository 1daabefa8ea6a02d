"""One operation under way, and the writes that its steps consist of."""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from memoryd.ledger import consenting, edges, reads
from memoryd.ledger.records import Before, difference, next_operation, record
from memoryd.ledger.rows import from_micros, memory_of, memory_row, to_micros
from memoryd.ledger.tables import HAS_SAID, changes, history, memories, memory_tags
from memoryd.ledger.writes import put_tags
from memoryd_actors.core.errors import NotFound, Refused
from memoryd_actors.memory.settings import ONE_VALUED
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import Memory, State

LONGEST_CHAIN = 1_000
"""Steps along which it is followed what superseded a memory."""


class UnitOfWork:
    """Reads and writes for one operation of one owner, in the writer's transaction; see `operations` and `undoing`."""

    def __init__(self, connection: Connection, owner: str, actor: str, now: datetime) -> None:
        self.connection = connection
        self.owner = owner
        self.now = from_micros(to_micros(now))
        self.number = next_operation(connection)
        self.results: list[Memory] = []
        self.events: list[tuple[str, str]] = []
        self.actor = actor
        self.created: set[str] = set()
        """Memories that were not there before this operation."""
        self._made: set[tuple[str, str, str]] = set()
        """Edges that it made: from, to and relation."""
        self._known: dict[str, Memory] = {}
        """As they stand now: a look-up takes 0.4 ms, and the steps of one operation name the same few memories."""

    def prefetch(self, ids: Iterable[str]) -> None:
        """Read memories that the operation names, in one query."""
        wanted = list(dict.fromkeys(map(clean, ids)))
        if len(wanted) > 1:
            found = reads.by_id(self.connection, wanted)
            self._known.update({one: memory for one, memory in found.items() if memory.owner == self.owner})

    def know(self, memory: Memory) -> None:
        """Note how a memory of the owner stands, where it was not written by this operation."""
        self._known[memory.id] = memory

    def find(self, memory_id: str) -> Memory | None:
        """Return the owner's memory; None where there is none."""
        wanted = clean(memory_id)
        if wanted not in self._known:
            mine = (memories.c.id == wanted) & (memories.c.owner == self.owner)
            row = self.connection.execute(select(memories).where(mine)).mappings().first()
            if row is None:
                return None
            self._known[wanted] = memory_of(row)
        return self._known[wanted]

    def get(self, memory_id: str) -> Memory:
        """Return the owner's memory.

        Raises:
            NotFound: there is none.
        """
        memory = self.find(memory_id)
        if memory is None:
            raise NotFound(memory_id)
        return memory

    def twin(self, memory: Memory) -> Memory | None:
        """Return the active memory that says the very same in the same place."""
        if not memory.content_hash:
            return None
        query = select(memories).where(
            memories.c.owner == memory.owner,
            memories.c.scope == memory.scope.value,
            memories.c.project == memory.project,
            memories.c.content_hash == memory.content_hash,
            HAS_SAID,
        )
        row = self.connection.execute(query).mappings().first()
        return None if row is None else memory_of(row)

    def refuse_twin(self, memory: Memory) -> None:
        """Refuse to let a memory be active beside another of the same content.

        Raises:
            Refused: there is another.
        """
        twin = self.twin(memory) if memory.active else None
        if twin is not None and twin.id != memory.id:
            raise Refused(
                f"{memory.id} says the same as {twin.id}, which is active", f"`memoryd show {twin.id}` shows that one."
            )

    def namesakes(self, rule: Memory) -> list[Memory]:
        """Return the other active rules, or procedures, of the name of an active one, in its place."""
        if not rule.title:
            return []
        return [other for other in self.beside(rule) if other.title.casefold() == rule.title.casefold()]

    def beside(self, rule: Memory) -> list[Memory]:
        """Return the other active rules, or procedures, of the category of an active one, in its place."""
        if not (rule.active and rule.category in ONE_VALUED):
            return []
        return [other for other in self._in_place(rule, memories.c.state == State.ACTIVE.value) if other.active]

    def once_namesakes(self, rule: Memory) -> list[Memory]:
        """Return the other rules, or procedures, of the name of one in its place, whatever became of them."""
        return [other for other in self._in_place(rule) if other.title.casefold() == rule.title.casefold()]

    def _in_place(self, rule: Memory, *which: ColumnElement[bool]) -> list[Memory]:
        query = select(memories).where(
            memories.c.owner == rule.owner,
            memories.c.scope == rule.scope.value,
            memories.c.project == rule.project,
            memories.c.category == rule.category,
            memories.c.id != rule.id,
            *which,
        )
        rules = [memory_of(row) for row in self.connection.execute(query).mappings()]
        return [self.find(other.id) or other for other in rules]

    def uncompared(self, memory_id: str) -> None:
        """Have a memory compared with its neighbours later: it says something else now."""
        self.connection.execute(update(memories).where(memories.c.id == memory_id).values(compared=False))

    def refuse_circle(self, old: str, new: str) -> None:
        """Refuse to let `new` take the place of `old` where, over however many steps, `old` took that of `new`.

        Raises:
            Refused: it did.
        """
        seen, following = {old}, new
        for _ in range(LONGEST_CHAIN):
            if following in seen:
                raise Refused(f"{old} supersedes {new} already", "One of two memories can supersede the other.")
            seen.add(following)
            link = self.find(following)
            if link is None or not link.superseded_by:
                return
            following = link.superseded_by

    def create(self, memory: Memory, event: str, notes: Mapping[str, str], *, compared: bool) -> None:
        """Put down a memory that was not there."""
        self.connection.execute(insert(memories), {**memory_row(memory), "compared": compared})
        put_tags(self.connection, [memory])
        self.know(memory)
        self._log(memory, event, Before(created=True), new=memory.content, meta=notes)

    def write(self, before: Memory, after: Memory, event: str, meta: Mapping[str, str]) -> Memory:
        """Put a memory down with its history; return it as it now stands."""
        after = msgspec.structs.replace(after, revision=before.revision + 1)
        old, new = difference(before, after)
        self.connection.execute(update(memories).where(memories.c.id == before.id).values(**new))
        self.know(after)
        if State.PROPOSED in {before.state, after.state}:
            consenting.follow(self.connection, after, self.actor, self.now)
        if before.tags != after.tags:
            self.connection.execute(delete(memory_tags).where(memory_tags.c.memory_id == before.id))
            put_tags(self.connection, [after])
        if before.category != after.category:
            of_it = history.c.memory_id == before.id
            self.connection.execute(update(history).where(of_it).values(category=after.category))
        self._log(
            after,
            event,
            Before(columns=old),
            old=before.content if before.active and (before.content != after.content or not after.active) else "",
            new=after.content if after.active and (before.content != after.content or not before.active) else "",
            meta=meta,
        )
        return after

    def tell(self, memory: Memory, event: str, meta: Mapping[str, str]) -> None:
        """Note in the history what changed no column of the memory."""
        self._log(memory, event, Before(), meta=meta)

    def edge(self, from_id: str, to_id: str, relation: str, strength: float, at: datetime | None = None) -> bool:
        """Make an edge, dated now unless it is older; return whether that changed anything."""
        edge = Edge(from_id=from_id, to_id=to_id, relation=relation, strength=strength)
        ends = clean(from_id), clean(to_id)
        # Of what this operation has created there are only its own edges: a look-up takes as long as the edge.
        known = self.created.isdisjoint(ends) or (*ends, relation) in self._made
        self._made.add((*ends, relation))
        return edges.add(
            self.connection, edge, owner=self.owner, operation=self.number, now=at or self.now, known=known
        )

    def note(self, events: Iterable[tuple[str, str]]) -> None:
        """Remember what was written elsewhere on behalf of this operation."""
        self.events += events

    def _log(
        self, memory: Memory, event: str, before: Before, *, old: str = "", new: str = "", meta: Mapping[str, str]
    ) -> None:
        row = record(
            memory, event, self.actor, self.now, operation=self.number, before=before, old=old, new=new, meta=meta
        )
        self.connection.execute(insert(history), row)
        self.connection.execute(insert(changes), {"memory_id": memory.id, "event": event, "ts": to_micros(self.now)})
        self.events.append((event, memory.id))
