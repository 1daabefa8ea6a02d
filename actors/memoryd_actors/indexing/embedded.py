"""Changes of the ledger on their way into an index: embedded, as the rows that it takes."""

from collections.abc import Sequence

import msgspec
from anyio import to_thread

from memoryd_actors.memory.index_text import embedded_text, index_text, parts
from memoryd_actors.memory.visibility import micros
from memoryd_actors.ports.embedder import Embedder, Vector
from memoryd_actors.ports.index import IndexPassage, IndexRow
from memoryd_actors.ports.ledger import LedgerChange
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, Memory


class Batch(msgspec.Struct, frozen=True):
    """Changes, ready to be written."""

    rows: list[IndexRow]
    removed: list[str]
    sequence: int
    changes: int


async def embedded(changes: Sequence[LedgerChange], embedder: Embedder, *, background: bool = False) -> Batch:
    """Return the batch of one or more changes.

    Raises:
        ModelUnavailable: there is no model.
    """
    living = [(change.sequence, change.memory) for change in changes if change.memory is not None]
    rows: list[IndexRow] = []
    if living:
        divided = [
            parts(memory) if len(memory.content) <= MAX_CONTENT_BYTES else await to_thread.run_sync(parts, memory)
            for _, memory in living
        ]
        texts = [embedded_text(memory) for _, memory in living] + [one.embedded for each in divided for one in each[1:]]
        vectors = await embedder.embed(texts, background=background)
        of_parts = iter(vectors[len(living) :])
        for n, (sequence, memory) in enumerate(living):
            row = row_of(memory, vectors[n], sequence)
            if divided[n]:
                first, *further = divided[n]
                passages = tuple(IndexPassage(one.start, one.end, next(of_parts), one.indexed) for one in further)
                row = msgspec.structs.replace(row, text=first.indexed, passages=passages)
            rows.append(row)
    removed = [change.memory_id for change in changes if change.memory is None]
    return Batch(rows, removed, sequence=changes[-1].sequence, changes=len(changes))


def row_of(memory: Memory, vector: Vector, sequence: int) -> IndexRow:
    """Return what the index holds of a memory that is not divided."""
    return IndexRow(
        id=memory.id,
        vector=vector,
        text=index_text(memory),
        owner=memory.owner,
        scope=memory.scope.value,
        project=memory.project,
        category=memory.category,
        state=memory.state.value,
        session=memory.session,
        tags=memory.tags,
        pinned=memory.pinned,
        sequence=sequence,
        agent=memory.agent,
        role=memory.role,
        speaker=memory.speaker,
        importance=memory.importance,
        updated_at=micros(memory.updated_at),
    )
