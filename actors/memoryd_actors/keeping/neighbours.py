"""What is remembered already and is near to what arrives: what the index has, and what was written just now."""

from collections import deque
from collections.abc import Sequence

import msgspec
import numpy as np

from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.memory.index_text import embedded_text
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.ports.index import Index
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory

MOST = 8
"""Neighbours that are looked at."""
MAX_RECENT = 512
"""Writes that the index may be behind before the oldest are no longer compared with."""


class Neighbour(msgspec.Struct, frozen=True):
    """A memory that is near, and how near."""

    memory: Memory
    cosine: float


def nearest(near: Sequence[Neighbour]) -> float | None:
    """Return the cosine of the nearest neighbour; None where there is none."""
    return near[0].cosine if near else None


class _Recent(msgspec.Struct, frozen=True):
    memory_id: str
    vector: Vector
    sequence: int


class Neighbours:
    """Finds active memories near a text, in the same place: of the same owner, scope and project."""

    def __init__(self, embedder: Embedder, index: Index, indexer: Indexer, ledger: MemoryRepository) -> None:
        self._embedder = embedder
        self._index = index
        self._indexer = indexer
        self._ledger = ledger
        self._recent: deque[_Recent] = deque(maxlen=MAX_RECENT)

    @property
    def as_of(self) -> int:
        """The change up to which what other daemons wrote is looked at, too."""
        return self._indexer.applied

    async def embed(self, memory: Memory) -> Vector:
        """Return the vector that stands for a memory; the indexer finds it ready when its turn comes.

        Raises:
            ModelUnavailable: there is no model.
        """
        self._indexer.expect()
        vector: Vector = (await self._embedder.embed([embedded_text(memory)]))[0]
        self._indexer.expect()
        return vector

    async def find(self, memory: Memory, vector: Vector) -> list[Neighbour]:
        """Return at most `MOST` active memories beside this one, nearest first.

        Raises:
            Unavailable: the index cannot be searched.
        """
        place = Visibility(
            owner=memory.owner, project=memory.project, filters=Filters(scope=memory.scope.value, states=("active",))
        )
        while self._recent and self._recent[0].sequence <= self._indexer.applied:
            self._recent.popleft()
        # Before the search: what the index is given while it searches may be in neither of the two afterwards.
        recent = tuple(one for one in self._recent if len(one.vector) == len(vector))  # of one model
        found = await self._index.search(vector=vector, words="", visible=place, limit=MOST + 1)
        near = {one.id: one.vector_score for one in found}
        if recent:
            # Written, and not in the index yet: two clients may say the same thing at the same time.
            cosines = np.stack([one.vector for one in recent]) @ vector
            near |= {one.memory_id: float(cosine) for one, cosine in zip(recent, cosines, strict=True)}
        near.pop(memory.id, None)
        wanted = sorted(near, key=lambda one: -near[one])[: 2 * MOST]
        known = await self._ledger.get(memory.owner, wanted)
        neighbours = [Neighbour(known[one], near[one]) for one in wanted if one in known]
        return [
            neighbour for neighbour in neighbours if neighbour.memory.active and _same_place(neighbour.memory, memory)
        ][:MOST]

    def note_written(self, memory: Memory, vector: Vector, sequence: int) -> None:
        """Remember an active memory until the index has it, and have the index take it soon.

        Not those that were merged away: sixteen ways to say one thing would hide that one from the seventeenth.
        """
        if sequence > self._indexer.applied:
            self._recent.append(_Recent(memory.id, vector, sequence))
            self._indexer.go_ahead(memory, vector, sequence)


def _same_place(one: Memory, other: Memory) -> bool:
    return (one.scope, one.project) == (other.scope, other.project)
