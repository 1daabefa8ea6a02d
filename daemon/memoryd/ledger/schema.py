"""A database brought to the schema that `tables` declares: what is missing is made, then the rows follow.

A change that adds tables, columns with defaults, or indexes needs a new `HEAD` and nothing else. One that concerns rows
has a function in `CHANGES` as well.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import cast

from sqlalchemy import Connection, MetaData, String, Table, insert, inspect, select, update
from sqlalchemy.schema import Column, CreateColumn

from memoryd.ledger.rows import memory_of, to_micros
from memoryd.ledger.tables import aliases, history, memories, metadata
from memoryd_actors.admission.gate import identity

HEAD = "0012"
"""The version of the schema: compared as text, so always of four digits."""
_BATCH = 500
_version = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""One row. The name is that of the tool which made the first ledgers."""


def version_of(connection: Connection) -> str | None:
    """Return the version of a database's schema; None where it holds no ledger."""
    if not inspect(connection).has_table(_version.name):
        return None
    return cast(str | None, connection.execute(select(_version.c.version_num)).scalar())


def upgrade(connection: Connection) -> None:
    """Bring a database to `HEAD`, within the caller's transaction."""
    version = version_of(connection)
    if version is None:
        # A table of the same name is somebody else's: that is an error.
        metadata.create_all(connection, checkfirst=False)
        _version.create(connection)
        connection.execute(insert(_version), {"version_num": HEAD})
        return
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        _complete(connection, table)
    for since, change in CHANGES.items():
        if version < since:
            change(connection)
    connection.execute(update(_version).values(version_num=HEAD))


def _complete(connection: Connection, table: Table) -> None:
    """Add the columns and indexes that a table lacks."""
    there = inspect(connection)
    columns = {column["name"] for column in there.get_columns(table.name)}
    for column in table.columns:
        if column.name not in columns:
            declared = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {declared}")
    indexes = {index["name"] for index in there.get_indexes(table.name)}
    for index in table.indexes:
        if index.name not in indexes:
            index.create(connection)


def _date_aliases(connection: Connection) -> None:
    """Count the age of aliases from now on."""
    connection.execute(update(aliases).values(ts=to_micros(datetime.now(UTC))))


def _number_operations(connection: Connection) -> None:
    """Let every write that is there be an operation of its own."""
    connection.execute(update(history).values(operation=history.c.id))


def _hash_anew(connection: Connection) -> None:
    """Make the hash of every content anew. It tells more apart than the one before: none that were two become one."""
    query = select(memories).where(memories.c.content_hash != "").order_by(memories.c.number).limit(_BATCH)
    done = 0
    while rows := connection.execute(query.where(memories.c.number > done)).mappings().all():
        for row in rows:
            this = memories.c.number == row["number"]
            connection.execute(update(memories).where(this).values(content_hash=identity(memory_of(row))))
        done = rows[-1]["number"]


CHANGES: Mapping[str, Callable[[Connection], None]] = MappingProxyType(
    {"0002": _date_aliases, "0003": _number_operations, "0012": _hash_anew}
)
"""What is done with the rows of a ledger from before that version, in this order."""
