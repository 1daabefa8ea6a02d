"""What was read lately, and holds: SQLite itself says which rows a write changes, whoever writes them.

A search looks at a hundred memories and their edges. Reading them takes 3 to 6 ms, as long as the model takes for the
question; from here it takes 0.1.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from sqlalchemy import Connection

from memoryd.ledger.edges import OwnedEdge
from memoryd_client.wire.memory import Memory

T = TypeVar("T")
RECENT = 4096
"""Memories of a few hundred characters: 8 MB."""
_FUNCTION = "memoryd_changed"


class RecentRows(Generic[T]):
    """What rows say that were read lately, by the key under which they are asked for."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[str, T] = OrderedDict()
        self._changing: set[str] = set()
        self.kept = False
        self._lock = Lock()
        self.moment = 0
        """Moves on with each transaction that changed a row. To be noted before reading, see `keep`."""

    def find(self, keys: Iterable[str]) -> tuple[dict[str, T], list[str]]:
        """Return what is known, and the keys of which nothing is; each once."""
        found: dict[str, T] = {}
        missing: dict[str, None] = {}
        with self._lock:
            for key in keys:
                if key in self._known:
                    self._known.move_to_end(key)
                    found[key] = self._known[key]
                else:
                    missing[key] = None
        return found, list(missing)

    def keep(self, read: Mapping[str, T], moment: int) -> None:
        """Keep what was read after that moment, unless it may have changed since."""
        with self._lock:
            if not self.kept or moment != self.moment:
                return
            self._known.update({key: value for key, value in read.items() if key not in self._changing})
            while len(self._known) > self._size:
                self._known.popitem(last=False)

    def watch(self, connection: Connection, table: str, *columns: str) -> None:
        """Hear of every row of a table that is written through this connection; `columns` hold the keys."""
        name = f"{_FUNCTION}_{table}"
        connection.connection.create_function(name, 1, self._note)
        for event, rows in (("INSERT", ("new",)), ("UPDATE", ("old", "new")), ("DELETE", ("old",))):
            notes = "".join(f"SELECT {name}({row}.{column});" for row in rows for column in columns)
            connection.exec_driver_sql(
                f"CREATE TEMP TRIGGER IF NOT EXISTS {name}_{event} AFTER {event} ON main.{table} BEGIN {notes} END"
            )
        self.kept = True

    def settle(self) -> None:
        """Hear that the transaction under way is over, committed or not."""
        with self._lock:
            if self._changing:
                self._changing.clear()
                self.moment += 1

    def _note(self, key: str) -> None:
        """Forget a row that changes; until that is over, what is read of it may be what it was."""
        with self._lock:
            self._changing.add(key)
            self._known.pop(key, None)


class RecentReads:
    """What was read lately of memories, their edges, and how far the history of each owner goes."""

    def __init__(self) -> None:
        self.memories = RecentRows[Memory](RECENT)
        """By id."""
        self.edges = RecentRows[tuple[OwnedEdge, ...]](RECENT)
        """By the memory at either end."""
        self.revisions = RecentRows[int](RECENT)
        """By owner."""

    def watch(self, connection: Connection) -> None:
        """Hear of everything that is written through this connection, the only one that writes.

        On SQLite only. Another database is shared, and nobody here hears of what others write: nothing is kept.
        """
        if connection.dialect.name == "sqlite":
            self.memories.watch(connection, "memories", "id")
            self.edges.watch(connection, "relations", "from_id", "to_id")
            self.revisions.watch(connection, "history", "owner")

    @property
    def kept(self) -> bool:
        """Whether anything is kept."""
        return self.memories.kept

    def settle(self) -> None:
        """Hear that the transaction under way is over, committed or not."""
        self.memories.settle()
        self.edges.settle()
        self.revisions.settle()
