"""Edges between memories. One that is removed stays in its row, so that it can come back."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from sys import intern
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, insert, or_, select, union_all, update

from memoryd.ledger.batches import MAX_VARIABLES, batches
from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import relations
from memoryd_actors.memory.steps import MERGED_INTO, SUPERSEDES
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.edges import Edge

_LIVING = relations.c.removed_by.is_(None)
# Written once; two look-ups by index, where an OR would walk the table.
_AT = union_all(
    *(
        select(relations, column.label("at")).where(column.in_(bindparam("ids", expanding=True)), _LIVING)
        for column in (relations.c.from_id, relations.c.to_id)
    )
)


class OwnedEdge(NamedTuple):
    """An edge, the number of its row, and whose it is."""

    number: int
    owner: str
    edge: Edge


def add(connection: Connection, edge: Edge, *, owner: str, operation: int, now: datetime, known: bool = True) -> bool:
    """Make an edge and return whether that changed anything; one that is there keeps the greater strength.

    Where it is not `known` to anybody, nothing is looked up.
    """
    there = _living(connection, edge.from_id, edge.to_id, edge.relation) if known else None
    if there is not None:
        if edge.strength <= there["strength"]:
            return False
        # A row of its own, so that the operation can be undone.
        _remove(connection, there["id"], operation)
    row = {
        "owner": owner,
        "from_id": clean(edge.from_id),
        "to_id": clean(edge.to_id),
        "relation_type": clean(edge.relation),
        "strength": edge.strength,
        "created_at": to_micros(now) if there is None else there["created_at"],
        "operation": operation,
    }
    connection.execute(insert(relations), row)
    return True


def remove(connection: Connection, from_id: str, to_id: str, relation: str, operation: int) -> bool:
    """Remove an edge and return whether there was one."""
    here = _edge(from_id, to_id, relation) & _LIVING
    return connection.execute(update(relations).where(here).values(removed_by=operation)).rowcount > 0


def remove_fate(connection: Connection, memory_id: str, operation: int) -> list[str]:
    """Remove the edges that say what superseded a memory or what it was merged into; return what superseded it."""
    one = clean(memory_id)
    replaced = (relations.c.relation_type == SUPERSEDES) & (relations.c.to_id == one) & _LIVING
    by = list(connection.execute(select(relations.c.from_id).where(replaced)).scalars())
    fate = or_(
        and_(relations.c.relation_type == SUPERSEDES, relations.c.to_id == one),
        and_(relations.c.relation_type == MERGED_INTO, relations.c.from_id == one),
    )
    connection.execute(update(relations).where(fate, _LIVING).values(removed_by=operation))
    return by


def undo(connection: Connection, operation: int, by: int) -> bool:
    """Take back what an operation did to edges: those it made go, those it removed come back.

    An edge that is not any more as the operation left it stays as it is. Return whether anything was changed.
    """
    made = connection.execute(select(relations).where(relations.c.operation == operation)).mappings().all()
    gone = connection.execute(select(relations).where(relations.c.removed_by == operation)).mappings().all()
    changed = False
    for row in made:
        there = _living(connection, row["from_id"], row["to_id"], row["relation_type"])
        if there is not None and there["strength"] == row["strength"]:
            _remove(connection, there["id"], by)
            changed = True
    for row in gone:
        if _living(connection, row["from_id"], row["to_id"], row["relation_type"]) is None:
            # A row of its own again: this undo may be undone as well.
            again = {key: value for key, value in row.items() if key not in {"id", "removed_by"}}
            connection.execute(insert(relations), {**again, "operation": by})
            changed = True
    return changed


def disown(connection: Connection, operation: int) -> None:
    """Let no operation have made or removed these edges: nobody can undo it."""
    connection.execute(update(relations).where(relations.c.operation == operation).values(operation=0))
    connection.execute(update(relations).where(relations.c.removed_by == operation).values(removed_by=0))


def at(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[OwnedEdge, ...]]:
    """Return the edges that begin or end at each of the memories."""
    found: dict[str, list[OwnedEdge]] = {one: [] for one in ids}
    for some in batches(ids, MAX_VARIABLES // 2):
        for row in connection.execute(_AT, {"ids": some}).mappings():
            found[row["at"]].append(_owned(row))
    return {one: tuple(edges) for one, edges in found.items()}


def strongest_first(edges: Iterable[OwnedEdge], owner: str) -> list[Edge]:
    """Return the edges of an owner, each once; of equal ones the first that was made first."""
    whose = clean(owner)
    mine = {one.number: one.edge for one in edges if one.owner == whose}
    return [edge for _, edge in sorted(mine.items(), key=lambda each: (-each[1].strength, each[0]))]


def _owned(row: RowMapping) -> OwnedEdge:
    # Those read lately stay in memory, and a memory has many: the same words once take half of it.
    edge = Edge(
        from_id=intern(row["from_id"]),
        to_id=intern(row["to_id"]),
        relation=intern(row["relation_type"]),
        strength=row["strength"],
        at=from_micros(row["created_at"]).isoformat(),
    )
    return OwnedEdge(row["id"], intern(row["owner"]), edge)


def _living(connection: Connection, from_id: str, to_id: str, relation: str) -> RowMapping | None:
    query = select(relations).where(_edge(from_id, to_id, relation) & _LIVING)
    return connection.execute(query).mappings().first()


def _remove(connection: Connection, row_id: int, operation: int) -> None:
    connection.execute(update(relations).where(relations.c.id == row_id).values(removed_by=operation))


def _edge(from_id: str, to_id: str, relation: str) -> ColumnElement[bool]:
    return and_(
        relations.c.from_id == clean(from_id),
        relations.c.to_id == clean(to_id),
        relations.c.relation_type == clean(relation),
    )
