"""What a search brings up, without a daemon: the real model's vectors in the real index, fused but not ranked yet.

The rules behind it (ranking, the judge) are pure, so one set of pools serves to measure many variants of them.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.recall.data import Asked, DataSet, memories
from benchmarks.vectors import MODEL, Embeddings
from memoryd.config import Config
from memoryd.embedding.model import MINILM_DIMENSIONS
from memoryd.index import LanceIndex
from memoryd_actors.admission.gate import content_hash
from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Ranked, fuse
from memoryd_actors.memory.index_text import embedded_text, index_text, parts
from memoryd_actors.memory.settings import RecallSettings
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.index import IndexPassage, IndexRow
from memoryd_actors.searching.search import LONGEST_QUERY
from memoryd_actors.texts.stems import stem_set, stems
from memoryd_client.wire.memory import Memory, Scope

OWNER = "local"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Pool:
    """A question put to one conversation."""

    question: Asked
    group: str
    """The conversation it is put to: not always the one it is about."""
    evidence: frozenset[str]
    """Of the answer, in this conversation; ids of memories."""
    found: tuple[tuple[Ranked, Memory], ...]
    """Best first by meaning and words alone."""


class Library:
    """A data set in an index."""

    def __init__(self, index: LanceIndex, stored: dict[str, Memory], held_by: dict[str, str]) -> None:
        self._index = index
        self.stored = stored
        self._held_by = held_by
        self._stems: dict[str, tuple[int, Counter[str]]] = {}

    async def pool(self, question: Asked, vector: Vector, group: str) -> Pool:
        """Return what the daemon's search would rank for a question in a conversation."""
        settings = RecallSettings()
        found = await self._index.search(
            vector=vector,
            words=question.query[:LONGEST_QUERY],
            visible=Visibility(owner=OWNER, project=group),
            limit=settings.candidates,
        )
        fused = fuse(found, vector_weight=settings.vector_weight, minimum_cosine=settings.minimum_cosine)
        evidence = {self._held_by[one] for one in question.relevant if one in self._held_by}
        here = frozenset(one for one in evidence if self.stored[one].project == group)
        return Pool(question, group, here, tuple((one, self.stored[one.id]) for one in fused))

    def statistics(self, question: str, group: str) -> StoreStatistics:
        """Return how rare a question's words are in a conversation, as the daemon's index knows it."""
        if group not in self._stems:
            texts = [index_text(memory) for memory in self.stored.values() if memory.project == group]
            self._stems[group] = len(texts), Counter(stem for text in texts for stem in stem_set(text))
        n, df = self._stems[group]
        return StoreStatistics(n, {stem: df[stem] for stem in stems(question)})


@asynccontextmanager
async def library(data: DataSet, embeddings: Embeddings) -> AsyncGenerator[Library]:
    """Put every message of a data set into an index of its own, for as long as the context lasts."""
    stored, held_by = memories_of(data)
    kept = list(stored.values())
    vectors = embeddings.of([embedded_text(one) for one in kept])
    passages = [_passages(one, embeddings) for one in kept]
    with TemporaryDirectory() as folder:
        index = LanceIndex(Path(folder) / "index", Config().index)
        await index.open(model=MODEL, dimensions=MINILM_DIMENSIONS)
        numbered = enumerate(zip(kept, vectors, passages, strict=True), 1)
        rows = [_row(one, vector, n, more) for n, (one, vector, more) in numbered]
        for at in range(0, len(rows), _BATCH):
            batch = rows[at : at + _BATCH]
            await index.apply(batch, removed=[], sequence=batch[-1].sequence)
        await index.optimise()
        try:
            yield Library(index, stored, held_by)
        finally:
            await index.close()


def memories_of(data: DataSet) -> tuple[dict[str, Memory], dict[str, str]]:
    """Return the messages as the ledger would hold them, by id, and which of them holds each message.

    Each has its message's id and its conversation as project. What a conversation says twice is one memory.
    """
    stored: dict[str, Memory] = {}
    held_by: dict[str, str] = {}
    for group in data.groups():
        said = [one for one in data.messages if one.group == group]
        first: dict[str, str] = {}
        for message, new in zip(said, memories(said), strict=True):
            held_by[message.id] = holder = first.setdefault(content_hash(new.content), message.id)
            if holder == message.id:
                stored[message.id] = Memory(
                    id=message.id,
                    owner=OWNER,
                    content=new.content,
                    speaker=new.speaker,
                    project=group,
                    occurred_at=new.occurred_at,
                    session=new.source_session,
                    source_messages=new.source_messages,
                    created_at=NOW,
                    updated_at=NOW,
                )
    return stored, held_by


async def own_pools(data: DataSet, embeddings: Embeddings) -> list[Pool]:
    """Return the pool of every answerable question in its own conversation."""
    asked = data.answerable()
    vectors = embeddings.of([one.query for one in asked])
    async with library(data, embeddings) as shelves:
        return [await shelves.pool(one, vector, one.group) for one, vector in zip(asked, vectors, strict=True)]


def fused_order(pool: Pool) -> Sequence[str]:
    """Return the floor: the order of meaning and words alone."""
    return [one.id for one, _ in pool.found]


def _passages(memory: Memory, embeddings: Embeddings) -> tuple[IndexPassage, ...]:
    further = parts(memory)[1:]
    vectors = embeddings.of([one.embedded for one in further])
    return tuple(
        IndexPassage(one.start, one.end, vector, one.indexed) for one, vector in zip(further, vectors, strict=True)
    )


def _row(memory: Memory, vector: Vector, sequence: int, passages: tuple[IndexPassage, ...]) -> IndexRow:
    return IndexRow(
        id=memory.id,
        vector=vector,
        text=parts(memory)[0].indexed if passages else index_text(memory),
        owner=OWNER,
        scope=Scope.PROJECT,
        project=memory.project,
        category=memory.category,
        state=memory.state,
        session="",
        tags=(),
        pinned=False,
        sequence=sequence,
        passages=passages,
    )
