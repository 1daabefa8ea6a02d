"""Memories in the ledger; see `memoryd_actors.ports.ledger.MemoryRepository`."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from sqlalchemy import Connection

from memoryd.ledger import counting, due, edges, listing, operations, reads, recording, sharing, writes
from memoryd.ledger.batches import batches
from memoryd.ledger.database import Database
from memoryd.ledger.edges import OwnedEdge
from memoryd.ledger.recent import RECENT
from memoryd_actors.memory.changes import News
from memoryd_actors.memory.settings import PATH
from memoryd_actors.memory.steps import Applied, Step
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.ledger import LedgerChange
from memoryd_actors.texts.characters import clean
from memoryd_actors.upkeep.sharing import Notice
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory

WRITER = "keeper"


class SqlMemories:
    """Memories, what they are to each other, their history and their changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = self._foreign = 0
        """The newest change when this daemon wrote last, and the newest one that another made; for the writer alone."""
        self._relations: tuple[tuple[int, int], int] | None = None

    async def apply(
        self,
        owner: str,
        steps: Sequence[Step],
        *,
        actor: str,
        node: str = WRITER,
        session: str = "",
        similarity: float | None = None,
        began_s: float | None = None,
    ) -> Applied:
        clock = self._database.clock
        now, began = clock.now(), clock.monotonic() if began_s is None else began_s

        def work(connection: Connection) -> Applied:
            applied = operations.perform(connection, owner, steps, actor, now, foreign=self._newest_foreign(connection))
            if applied.operation:
                recording.write_operation(
                    connection,
                    applied.operation,
                    node,
                    session=session,
                    similarity=similarity,
                    duration_ms=(clock.monotonic() - began) * 1000,
                )
                self._own = applied.sequence
                sharing.tell(connection, Notice.CHANGED, applied.sequence)
            return applied

        return await self._database.write(work)

    async def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        if ids:
            await self._database.write(writes.touch, owner, ids, at)
            await self.read_ahead(ids)  # what is used is found again soonest

    async def set_embedding_model(self, model: str) -> int:
        others = await self._database.read(reads.of_other_models, model)
        for some in batches(others):
            await self._database.write(writes.set_embedding_model, some, model)
        return len(others)

    async def get(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        found, _ = await self._read(ids, ())
        return _owned(found, owner)

    async def get_joined(
        self, owner: str, ids: Sequence[str], *, joined: Sequence[str]
    ) -> tuple[dict[str, Memory], list[Edge]]:
        # The edges of all: which memories are the best is known a moment later than which come up.
        found, at = await self._read(ids, ids)
        return _owned(found, owner), edges.strongest_first(chain.from_iterable(map(at.__getitem__, joined)), owner)

    async def read_ahead(self, ids: Sequence[str]) -> None:
        if self._database.recent.kept:
            await self._read(ids, ids)

    async def read_newest(self) -> None:
        """Read what was stored last, as much as is kept of what was read: no search has to wait for it."""
        await self._database.write(lambda _: None)  # from the first write on it is heard what changes
        if not self._database.recent.kept:
            return
        for some in batches(await self._database.read(reads.newest_ids, limit=RECENT)):
            await self.read_ahead(some)

    async def resolve(self, owner: str, memory_id: str, *, allowed: frozenset[str] | None = None) -> Memory:
        return await self._database.read(reads.resolve, owner, memory_id, allowed)

    async def behind(self, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        return await self._database.read(reads.behind, ids) if ids else {}

    async def foremost(self, visible: Visibility, *, limit: int) -> tuple[list[Memory], int]:
        # What is always in context a hundred sessions ask for at the same time.
        same = "foremost", visible, limit
        return await self._database.read_once(same, lambda connection: reads.foremost(connection, visible, limit))

    async def page(self, visible: Visibility, *, limit: int, before: str = "") -> list[Memory]:
        """Return memories newest first.

        Raises:
            NotFound: there is no memory `before`.
        """
        return await self._database.read(listing.page, visible, limit, before)

    async def by_category(self, visible: Visibility) -> dict[str, int]:
        return await self._database.read(counting.by_category, visible)

    async def files(self, visible: Visibility, *, prefix: str, limit: int, key: str = PATH) -> list[Memory]:
        return await self._database.read(reads.files, visible, prefix, limit, key)

    async def owners_of(self, category: str) -> list[str]:
        return await self._database.read(counting.owners_of, category)

    async def unused(self, owner: str, *, since: datetime, after: int, limit: int) -> list[tuple[int, Memory]]:
        return await self._database.read(due.unused, owner, since, after, limit)

    async def expired(self, at: datetime, *, limit: int) -> list[Memory]:
        return await self._database.read(due.expired, at, limit)

    async def uncompared(self, *, limit: int) -> list[Memory]:
        return await self._database.read(due.uncompared, limit)

    async def edges(self, owner: str, ids: Sequence[str]) -> list[Edge]:
        _, at = await self._read((), ids)
        return edges.strongest_first(chain.from_iterable(at.values()), owner)

    async def history(
        self,
        owner: str,
        *,
        memory_id: str = "",
        limit: int = 50,
        allowed: frozenset[str] | None = None,
        before: int = 0,
    ) -> list[HistoryEntry]:
        return await self._database.read(reads.entries, owner, memory_id, limit, allowed, before=before)

    async def revision(self, owner: str) -> int:
        known, missing = self._database.recent.revisions.find([clean(owner)])
        if missing:
            moment = self._database.recent.revisions.moment
            known = await self._database.read(reads.revisions, missing)
            self._database.recent.revisions.keep(known, moment)
        return known[clean(owner)]

    async def news(self, visible: Visibility, *, after: int, limit: int) -> list[News]:
        return await self._database.read(reads.news, visible, after, limit)

    async def changes_after(self, sequence: int, *, limit: int) -> list[LedgerChange]:
        return await self._database.read(reads.changes_after, sequence, limit)

    async def linked_after(self, line: int, *, limit: int) -> tuple[list[str], int]:
        return await self._database.read(reads.linked_after, line, limit)

    async def last_sequence(self) -> int:
        return await self._database.read(reads.last_sequence)

    async def counts(self) -> dict[str, int]:
        return await self._database.read(counting.by_state)

    async def tallies(self) -> dict[str, int]:
        """Return how many edges there are, and how many pairs in doubt."""
        counted, waiting = await self._database.read(reads.tallies, self._relations)
        self._relations = counted
        return {"relations": counted[1], "doubts": waiting}

    async def _read(
        self, ids: Sequence[str], joined: Sequence[str]
    ) -> tuple[dict[str, Memory], dict[str, tuple[OwnedEdge, ...]]]:
        """Return memories and the edges at some: those that were read lately, and the others as they are read now."""
        recent = self._database.recent
        memories, missing = recent.memories.find(map(clean, ids))
        joins, apart = recent.edges.find(map(clean, joined))
        if missing or apart:
            moments = recent.memories.moment, recent.edges.moment
            fresh, at = await self._database.read(
                lambda connection: (reads.by_id(connection, missing), edges.at(connection, apart))
            )
            recent.memories.keep(fresh, moments[0])
            recent.edges.keep(at, moments[1])
            memories.update(fresh)
            joins.update(at)
        return memories, joins

    def _newest_foreign(self, connection: Connection) -> int:
        """Return the newest change that another daemon made, as far as can be told: rather one of this daemon's own."""
        if self._database.sharing.shared and (newest := reads.last_sequence(connection)) != self._own:
            self._foreign = newest
        return self._foreign


def _owned(found: dict[str, Memory], owner: str) -> dict[str, Memory]:
    mine = clean(owner)
    return {one: memory for one, memory in found.items() if memory.owner == mine}
