"""Every row of a ledger, whichever tables it has: read at one moment, and put into a ledger that is made anew."""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    LargeBinary,
    MetaData,
    Table,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError

from memoryd.ledger import opening, progressing
from memoryd.ledger.failures import of_database, translated
from memoryd.ledger.sharing import LEADER
from memoryd.ledger.tables import (
    HEAD,
    checkpoints,
    consents,
    core_sections,
    core_writes,
    entries,
    erased_transcripts,
    history,
    memories,
    memory_counts,
    metadata,
    progress,
    transcripts,
)
from memoryd_actors.core.errors import Refused, Unavailable
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION

LEFT = frozenset({"purges", memory_counts.name, transcripts.name, entries.name, erased_transcripts.name})
"""Tables that say something about this database alone, as which of its files still have bytes of what was purged; what
it counts by itself; and transcripts, which travel line by line."""
_SAID = (memories, history, core_sections, core_writes, checkpoints, consents, transcripts)
"""A ledger without rows in these has nothing that anybody would miss."""
_ROWS = 500
"""In one statement."""
_BYTES = 4 * 1024 * 1024
"""In one statement, of texts and blobs: a checkpoint has 3.5 MiB."""
_VALUES = (str, int, float, bytes, type(None))
Row = dict[str, Any]


@contextmanager
def opened(path_or_url: Path | str, backups: Path) -> Generator[Engine]:
    """Yield the engine of a ledger; what goes wrong with it is translated."""
    url, file = opening.parse(path_or_url)
    where = str(file) if file else url.render_as_string(hide_password=True)
    with translated(where, file, backups):
        if file is not None:
            opening.check_file(file, backups)
        engine = opening.create(url, readers=1)
    with of_database(where, file, backups):
        try:
            yield engine
        finally:
            engine.dispose()


# --- out


@contextmanager
def moment(engine: Engine) -> Generator[Connection]:
    """Yield a connection that sees one moment of the ledger.

    Raises:
        Unavailable: its tables are not those of this memoryd.
        Refused: a purge of what is in transcripts is not finished.
    """
    server = engine.dialect.name == "postgresql"
    if opening.version(engine) != HEAD:
        raise Unavailable(
            "the ledger is of another version of memoryd", "Start this one's daemon once, then try again."
        )
    with (engine.execution_options(isolation_level="REPEATABLE READ") if server else engine).begin() as connection:
        if server:
            # Whoever reads may be kept waiting by the disk that is written to.
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        if any(progressing.of(connection, job) for job in (PURGED_ENTRIES, PURGED_SESSION)):
            raise Refused(
                "a purge is not finished: what was purged still stands in transcripts",
                "`memoryd status` says what keeps it; a started daemon finishes it.",
            )
        yield connection


def purges_begun(engine: Engine) -> int:
    """Return how many purges there ever were in a ledger."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            query = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM purges_id_seq"
        else:
            query = "SELECT seq FROM sqlite_sequence WHERE name = 'purges'"
        return connection.execute(text(query)).scalar() or 0


def rows(connection: Connection, tables: Collection[str] = tuple(metadata.tables)) -> Iterator[tuple[str, Row]]:
    """Yield every row of these tables with the table's name, in the order of their keys.

    How far jobs have come with transcripts that stand in files of homes which share the ledger is left out.
    """
    there = set(inspect(connection).get_table_names())
    for name in sorted(there.intersection(tables) - LEFT):
        table = Table(name, MetaData(), autoload_with=connection)
        query = select(*(table.c[column] for column in sorted(table.c.keys()))).order_by(*table.primary_key)
        if name == progress.name:
            query = query.where(~table.c.job.contains(progressing.AT_HOME))
        for found in connection.execute(query.execution_options(yield_per=_ROWS)).mappings():
            yield name, dict(found)


# --- in


def is_empty(engine: Engine) -> bool:
    """Return whether a ledger has nothing that anybody would miss; its tables may be missing, too."""
    if opening.version(engine) is None:
        return True
    opening.migrate(engine, engine.url.render_as_string(hide_password=True))
    with engine.begin() as connection:
        return not any(connection.execute(select(table.c[0]).select_from(table).limit(1)).first() for table in _SAID)


@contextmanager
def replacing(engine: Engine, schema: str) -> Generator[Connection]:
    """Make the ledger anew with the tables of a version, give them to be filled, then bring them up to date.

    All of it is one transaction.

    Raises:
        Unavailable: the version is not known, or another daemon is at work on the ledger.
    """
    with engine.execution_options(memoryd_writes=True).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            if not connection.execute(select(func.pg_try_advisory_xact_lock(LEADER))).scalar():
                raise Unavailable("another daemon is at work on this ledger", "Stop it: an import needs it for itself.")
        metadata.drop_all(connection)
        connection.execute(text("DROP TABLE IF EXISTS alembic_version"))
        opening.upgrade(connection, schema)
        yield connection
        opening.upgrade(connection, HEAD)


class Filling:
    """Puts rows into empty tables, many at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.tables: dict[str, Table] = {}
        """Those that were named so far."""
        self._name = ""
        self._waiting: list[Row] = []
        self._bytes = 0

    def add(self, name: str, row: Row) -> None:
        """Put one more row in; `finish` has to follow the last one.

        Raises:
            Refused: there is no such table, or it has other columns.
        """
        if name != self._name:
            self.flush()
            self._name = name
        table = self._table(name)
        if row.keys() != set(table.c.keys()) or not all(isinstance(value, _VALUES) for value in row.values()):
            raise Refused(f"the archive has a row of {name} that does not fit this version of the ledger")
        row = dict(row)
        for column in table.c:
            value = row[column.name]
            if isinstance(value, str):
                self._bytes += len(value)
                if isinstance(column.type, LargeBinary):
                    row[column.name] = _decoded(value, name)
        self._waiting.append(row)
        if len(self._waiting) == _ROWS or self._bytes >= _BYTES:
            self.flush()

    def flush(self) -> None:
        """Put in what waits."""
        if self._waiting:
            try:
                self._connection.execute(insert(self._table(self._name)), self._waiting)
            except IntegrityError as exc:
                raise Refused(
                    f"two rows of {self._name} say that they are the same one",
                    "Does --project-map make one project of two? Then give each a folder of its own.",
                ) from exc
        self._waiting = []
        self._bytes = 0

    def finish(self) -> None:
        """Put in what waits, and have the database count on from there."""
        self.flush()
        if self._connection.dialect.name != "postgresql":
            return
        for name, table in self.tables.items():
            for column in table.primary_key:
                counter = self._connection.execute(select(func.pg_get_serial_sequence(name, column.name))).scalar()
                if counter:
                    self._connection.execute(select(func.setval(counter, select(func.max(column)).scalar_subquery())))

    def _table(self, name: str) -> Table:
        if name not in self.tables:
            if name in LEFT or not inspect(self._connection).has_table(name):
                raise Refused(f"the archive has rows of {name!r}, which is no table of this version of the ledger")
            self.tables[name] = Table(name, MetaData(), autoload_with=self._connection)
        return self.tables[name]


def _decoded(value: str, name: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (NotBase64, ValueError) as exc:
        raise Refused(f"the archive has a row of {name} with bytes that cannot be read: {exc}") from exc
