"""How many memories there are: the database counts them as they come and go, in `memory_counts`."""

from sqlalchemy import Connection, func, select

from memoryd.ledger.conditions import kind_of, of_kind
from memoryd.ledger.tables import memory_counts
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.memory import State

_PASSAGE, _DOCUMENT = "passage", "document"
"""Kinds in `memory_counts`: a document is counted by its first passage. Other memories are of none."""


def owners_of(connection: Connection, category: str) -> list[str]:
    """Return who has memories of a category."""
    query = select(memory_counts.c.owner).where(memory_counts.c.category == category).distinct()
    return list(connection.execute(query).scalars())


def by_category(connection: Connection, visible: Visibility) -> dict[str, int]:
    """Return how many memories there are of each category, of the places, states and categories that are visible."""
    total = func.sum(memory_counts.c.total).label("total")
    query = select(memory_counts.c.category, total).where(*of_kind(visible, kind_of(memory_counts)))
    return {row.category: int(row.total) for row in connection.execute(query.group_by(memory_counts.c.category))}


def by_state(connection: Connection) -> dict[str, int]:
    """Return how many memories there are in each state.

    Active passages of documents are counted apart, with their documents, as `passages` and `documents`.
    """
    state, kind = memory_counts.c.state, memory_counts.c.kind
    query = select(state, kind, func.sum(memory_counts.c.total).label("total")).group_by(state, kind)
    rows = connection.execute(query).all()
    found = {row.state: int(row.total) for row in rows if not row.kind}
    active = {row.kind: int(row.total) for row in rows if row.kind and row.state == State.ACTIVE.value}
    documents = active.get(_DOCUMENT, 0)
    passages = active.get(_PASSAGE, 0) + documents
    return found | ({"passages": passages, "documents": documents} if passages else {})
