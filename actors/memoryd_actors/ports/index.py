"""Where candidates are found. Derived from the ledger, and rebuilt from it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from memoryd_actors.memory.case import StoreStatistics
from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.ports.embedder import Vector
from memoryd_actors.ports.transcripts import Key


class IndexPassage(msgspec.Struct, frozen=True):
    """A part of a long memory that is found by itself."""

    start: int
    """In characters of the memory's content."""
    end: int
    vector: Vector
    text: str
    """What the word index reads."""


class IndexRow(msgspec.Struct, frozen=True):
    """What the index holds of one memory."""

    id: str
    vector: Vector
    text: str
    """What the word index reads."""
    owner: str
    scope: str
    project: str
    category: str
    state: str
    session: str
    """The session it was stored in or comes from."""
    tags: tuple[str, ...]
    pinned: bool
    sequence: int
    """The ledger change this row reflects."""
    agent: str = ""
    role: str = ""
    speaker: str = ""
    importance: int = 3
    updated_at: int = 0
    """Microseconds since 1970, UTC."""
    passages: tuple[IndexPassage, ...] = ()
    """Of a long memory, those after the first: `vector` and `text` are the first one's."""


class Index(Protocol):
    """Finds candidates. Derived from the ledger, and behind it by at most what is still to be applied."""

    async def open(self, *, model: str, dimensions: int) -> int:
        """Open or create the tables and return the last ledger sequence applied (0: none).

        Where the tables are missing, unreadable or built with another model, they are set aside and begun anew.
        """
        ...

    async def search(self, *, vector: Vector | None, words: str, visible: Visibility, limit: int) -> list[Candidate]:
        """Return the union of the nearest `limit` by vector and the best `limit` by words, both scores on each."""
        ...

    async def statistics(self, stems: Sequence[str], visible: Visibility) -> StoreStatistics:
        """Return how many memories are visible, and in how many of them each stem (`texts.stems`) is."""
        ...

    async def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors that stand for these memories, of those that it has: of a long one its beginning."""
        ...

    async def apply(self, rows: Sequence[IndexRow], *, removed: Sequence[str], sequence: int) -> None:
        """Upsert and remove in one batch, and remember that `sequence` is applied. Applying twice changes nothing."""
        ...

    async def optimise(self) -> dict[str, float]:
        """Compact, and drop old versions; return what was done, in numbers."""
        ...

    async def purge(self) -> None:
        """Rewrite what there is so that no byte of what was removed is left."""
        ...

    async def reset(self, *, model: str, dimensions: int) -> None:
        """Throw everything away and begin anew at sequence 0."""
        ...

    async def count(self) -> int:
        """Return the number of rows."""
        ...

    async def close(self) -> None:
        """Release files."""
        ...


class FurtherIndexes(Protocol):
    """The indexes beside those that serve: what is destroyed in these must not be left in them."""

    async def purge(self) -> None:
        """Destroy every byte of the memories that were removed."""
        ...

    async def forget(self, key: Key) -> None:
        """Destroy every byte of the messages of a session."""
        ...
