"""Memories newest first, a page at a time.

A page is read along an index that has memories in this order: those of a tag, the pinned ones, those of some categories
or of a place. Whatever else is asked is looked at on the way, so it is the shortest of these that is walked.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    func,
    literal_column,
    select,
    tuple_,
    union_all,
)

from memoryd.ledger.conditions import seen
from memoryd.ledger.rows import memory_of
from memoryd.ledger.tables import IS_GLOBAL, IS_PROJECTS, memories, memory_tags
from memoryd_actors.core.errors import NotFound
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.memory import Memory

_COUNTED = 5_000
"""So many entries of a way are counted to find the shortest: .3 ms, and walking through them takes 5."""
_MOST_RANGES = 50
"""Categories of which each is a range of its own."""


class _Range(NamedTuple):
    """A part of an index in which memories stand in the order of their dates."""

    table: Table
    condition: ColumnElement[bool]


_Way = Sequence[_Range]
"""Ranges in which, together, all stands that is asked for."""


def page(connection: Connection, visible: Visibility, limit: int, before: str) -> list[Memory]:
    """Return memories newest first; among those of one instant, the one stored last.

    Raises:
        NotFound: there is no memory `before`.
    """
    after = _place(connection, visible.owner, before) if before else None
    way = _shortest(connection, list(_ways(visible)))
    if not way:
        return []
    parts = [_part(one, visible, after) for one in way]
    if len(parts) == 1:
        query: Any = parts[0].order_by(*_newest_first(way[0].table.c))
    else:
        if connection.dialect.name == "postgresql":
            # It would read all of each. SQLite reads from each in turn, as far as the page goes.
            ordered = (part.order_by(*_newest_first(memories.c)) for part in parts)
            parts = [select(part.limit(limit).subquery()) for part in ordered]
        query = union_all(*parts)
        query = query.order_by(*_newest_first(query.selected_columns))
    return [memory_of(row) for row in connection.execute(query.limit(limit)).mappings()]


def _newest_first(columns: Any) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    return columns.created_at.desc(), columns.number.desc()


def _place(connection: Connection, owner: str, memory_id: str) -> tuple[int, int]:
    query = select(memories.c.created_at, memories.c.number)
    query = query.where(memories.c.id == clean(memory_id), memories.c.owner == clean(owner))
    found = connection.execute(query).first()
    if found is None:
        raise NotFound(memory_id)
    return found[0], found[1]


def _ways(visible: Visibility) -> Iterator[_Way]:
    """Yield the ways along which all of it stands, of those that are too long to be counted the likeliest first."""
    owner, filters = clean(visible.owner), visible.filters
    mine = memories.c.owner == owner
    for tag in filters.tags:
        yield [_Range(memory_tags, and_(memory_tags.c.owner == owner, memory_tags.c.tag == clean(tag)))]
    if filters.pinned:
        # The very condition of the index.
        yield [_Range(memories, and_(mine, memories.c.pinned))]
    named = {clean(name) for name in filters.categories} or visible.allowed
    if named is not None:
        names = sorted((named if visible.allowed is None else named & visible.allowed) - visible.without)
        if len(names) <= _MOST_RANGES:
            yield [_Range(memories, and_(mine, memories.c.category == name)) for name in names]
    here = and_(IS_PROJECTS, memories.c.project == clean(visible.project))
    places = {"project": [here], "global": [IS_GLOBAL], "all": [here, IS_GLOBAL], "everywhere": []}[filters.scope]
    yield [_Range(memories, and_(mine, place)) for place in places] or [_Range(memories, mine)]


def _shortest(connection: Connection, ways: Sequence[_Way]) -> _Way:
    if len(ways) == 1:
        return ways[0]
    return min(ways, key=lambda way: min(sum(_length(connection, one) for one in way), _COUNTED))


def _length(connection: Connection, one: _Range) -> int:
    """Return how many entries a range has, as far as that is counted."""
    entries = select(literal_column("1")).select_from(one.table).where(one.condition).limit(_COUNTED).subquery()
    return connection.execute(select(func.count()).select_from(entries)).scalar_one()


def _part(one: _Range, visible: Visibility, after: tuple[int, int] | None) -> Select[Any]:
    query = select(memories).where(one.condition, *seen(visible, walked=True))
    if one.table is memory_tags:
        query = query.select_from(memory_tags.join(memories, memories.c.number == memory_tags.c.number))
    if after is not None:
        key = tuple_(one.table.c.created_at, one.table.c.number)
        query = query.where(key < tuple_(*after, types=(BigInteger, BigInteger)))
    return query
