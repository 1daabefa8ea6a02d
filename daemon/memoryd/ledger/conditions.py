"""Which memories a `Visibility` means, as conditions in SQL."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, Text, and_, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from memoryd.ledger.rows import to_micros
from memoryd.ledger.tables import memories, memory_tags
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Scope

_KIND = ("owner", "scope", "project", "state", "category")


class Unindexed(FunctionElement[str]):
    """A column of text as it is, written so that SQLite serves by no index what is asked of it.

    PostgreSQL knows how much there is of what, and chooses well by itself.
    """

    inherit_cache = True
    type = Text()


@compiles(Unindexed)
def _plainly(element: Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(Unindexed, "sqlite")
def _with_a_sign(element: Unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return "+" + compiler.process(element.clauses, **options)


def owned_by(owner: str) -> ColumnElement[bool]:
    """Return the condition for memories of an owner that are looked up by their ids.

    No index serves it: beside a few ids SQLite would rather walk all that the owner has, which took 25 ms for 20 ids
    among 100,000 memories instead of 0.3.
    """
    return Unindexed(memories.c.owner) == clean(owner)


def newest(visible: Visibility) -> Select[Any]:
    """Return the query for what is visible, newest first."""
    query = select(memories).where(*seen(visible))
    return query.order_by(memories.c.created_at.desc(), memories.c.number.desc())


def seen(visible: Visibility, *, walked: bool = False) -> list[ColumnElement[bool]]:
    """Return the conditions for what is visible; where an index is `walked` already, none that would take another."""
    filters = visible.filters
    columns = kind_of(memories)
    if walked:
        columns = {name: Unindexed(column) for name, column in columns.items()}
    conditions = of_kind(visible, columns)
    if filters.pinned is not None:
        conditions.append(memories.c.pinned == filters.pinned)
    named = (
        (memories.c.agent, filters.agent),
        (memories.c.session, filters.session),
        (memories.c.speaker, filters.speaker),
        (memories.c.role, filters.role),
    )
    conditions += [column == clean(wanted) for column, wanted in named if wanted]
    conditions += _bounds(filters)
    conditions += [_tagged(clean(tag)) for tag in filters.tags]
    if visible.least_trust:
        conditions.append(or_(memories.c.trust >= visible.least_trust, memories.c.pinned))
    return conditions


def of_kind(visible: Visibility, columns: Mapping[str, ColumnElement[str]]) -> list[ColumnElement[bool]]:
    """Return what is asked of owner, place, state and category, of these columns."""
    filters = visible.filters
    here = and_(columns["scope"] == Scope.PROJECT.value, columns["project"] == clean(visible.project))
    for_all = columns["scope"] == Scope.GLOBAL.value
    conditions = [columns["owner"] == clean(visible.owner)]
    match filters.scope:
        case "all":
            conditions.append(or_(here, for_all))
        case "project":
            conditions.append(here)
        case "global":
            conditions.append(for_all)
        case "everywhere":
            pass
    if filters.states:
        conditions.append(columns["state"].in_(filters.states))
    match filters.categories:
        case ():
            pass
        case (one,):
            # So that SQLite takes the index by category; of several it prefers to walk all that the owner has.
            conditions.append(columns["category"] == clean(one))
        case several:
            conditions.append(columns["category"].in_([clean(one) for one in several]))
    if visible.allowed is not None:
        conditions.append(columns["category"].in_(sorted(visible.allowed)))
    if visible.without:
        conditions.append(columns["category"].not_in(sorted(visible.without)))
    return conditions


def kind_of(table: Table) -> Mapping[str, ColumnElement[str]]:
    """Return the columns of a table that say of which kind memories are."""
    return {name: table.c[name] for name in _KIND}


def _bounds(filters: Filters) -> Iterator[ColumnElement[bool]]:
    if filters.importance_min is not None:
        yield memories.c.importance >= filters.importance_min
    if filters.importance_max is not None:
        yield memories.c.importance <= filters.importance_max
    if filters.updated_after is not None:
        yield memories.c.updated_at >= to_micros(filters.updated_after)
    if filters.updated_before is not None:
        yield memories.c.updated_at < to_micros(filters.updated_before)


def _tagged(tag: str) -> ColumnElement[bool]:
    # By another name: these tags may be what is walked.
    tags = memory_tags.alias("tagged")
    return select(tags.c.tag).where(tags.c.memory_id == memories.c.id, tags.c.tag == tag).exists()
