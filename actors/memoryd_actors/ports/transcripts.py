"""What transcripts need from outside: where they are kept, and where their messages are found."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Protocol

import msgspec

from memoryd_actors.memory.fusion import Candidate
from memoryd_actors.ports.embedder import Vector
from memoryd_client.wire.transcripts import Entry, SessionInfo, TranscriptRecord

Key = tuple[str, str]
"""Owner and session."""


class Kept(msgspec.Struct, frozen=True):
    """An entry as it is to be stored: cleaned, cut, with its moment."""

    entry: Entry
    at: datetime
    pushed: bool = False
    covers: int = 0
    """Of a summary: the last entry that it tells of; 0: it is none."""
    turns: int = 0
    """Of a summary: how many turns of the user that are, from the beginning."""


class Stored(msgspec.Struct, frozen=True):
    """What came of an append."""

    last: int
    """Number of the newest entry of the transcript."""
    stored: int
    known: int


class TranscriptNews(msgspec.Struct, frozen=True):
    """What has changed in transcripts, whoever did it."""

    changed: int = 0
    """The number of the newest change."""
    heads: Mapping[Key, int] = msgspec.field(default_factory=dict[Key, int])
    """How far those go that were written to."""
    erased: frozenset[str] = frozenset()
    """Those out of which words were taken, or which were destroyed, by their digests."""


def digest_of(key: Key) -> str:
    """Return what stands for the name of a transcript that may be no more."""
    return sha256("\0".join(key).encode("utf-8", "surrogatepass")).hexdigest()


class Transcripts(Protocol):
    """Keeps what was said, append-only, a transcript for each session of an owner."""

    async def append(
        self, key: Key, entries: Sequence[Kept], *, project: str, agent: str, after: int | None = None
    ) -> Stored:
        """Add the entries whose ids are new; durable on return. All of them or none.

        Raises:
            OutOfStep: the newest entry is another than `after`, where that is told: somebody else writes here, too.
            DiskFull: there is no space.
            Unavailable: nothing can be written.
        """
        ...

    async def read(self, key: Key, *, after: int, limit: int, characters: int) -> list[TranscriptRecord]:
        """Return at most `limit` entries after that number, oldest first, until they have that many characters.

        At least one, where there is one. Nothing of a session that has no transcript.
        """
        ...

    async def get(self, key: Key, sequences: Sequence[int]) -> dict[int, TranscriptRecord]:
        """Return the entries with these numbers, those that there are."""
        ...

    async def last(self, key: Key) -> int:
        """Return the number of the newest entry; 0 where there is none."""
        ...

    async def info(self, key: Key) -> SessionInfo | None:
        """Return what a listing shows of a session; None where nothing was said in it."""
        ...

    async def sessions(self, owner: str, *, limit: int, offset: int) -> list[SessionInfo]:
        """Return the owner's sessions, the latest first."""
        ...

    async def infos(self) -> dict[Key, SessionInfo]:
        """Return what is known of every session of every owner."""
        ...

    async def heads(self) -> dict[Key, int]:
        """Return the number of the newest entry of every session."""
        ...

    async def news(self, after: int) -> TranscriptNews:
        """Return what has changed since that change, where others write here, too; else nothing."""
        ...

    async def erase(self, key: Key, sequences: Sequence[int]) -> int:
        """Take the words out of the entries with these numbers, for good; return how many had some.

        The entries stay, without a content: what comes again under their ids is known still.
        """
        ...

    async def purge(self, key: Key) -> int:
        """Destroy a transcript; return how many entries it had."""
        ...


class MessageRow(msgspec.Struct, frozen=True):
    """One entry as the index holds it."""

    owner: str
    session: str
    sequence: int
    text: str
    """What is found by its words."""
    vector: Vector | None
    """None: to be supplied when there is a model."""
    kind: str
    role: str
    name: str
    at: int
    """Microseconds since 1970."""


class Wanted(msgspec.Struct, frozen=True):
    """Which messages come into question; empty means all, the owner is always one."""

    owner: str
    session: str = ""
    sessions: frozenset[str] | None = None
    """Any of these; None: all."""
    role: str = ""
    kind: str = ""
    since: int | None = None
    """Microseconds since 1970."""
    until: int | None = None


class MessageCandidate(Candidate, frozen=True, kw_only=True):
    """An entry that a search found, where it is, and what is known of it there: enough to rank it."""

    session: str
    sequence: int
    text: str
    kind: str
    role: str
    name: str
    at: int
    """Microseconds since 1970."""


class MessageIndex(Protocol):
    """Finds messages by vectors and words. It is derived from the transcripts."""

    async def open(self, *, model: str, dimensions: int) -> dict[Key, int]:
        """Open or create it; return the newest entry that it has of each session."""
        ...

    @property
    def heard(self) -> int:
        """The last change of transcripts up to which what was taken out of them is gone from here."""
        ...

    async def note_heard(self, changed: int) -> None:
        """Remember that, durably."""
        ...

    async def apply(self, rows: Sequence[MessageRow]) -> None:
        """Upsert."""
        ...

    async def search(self, wanted: Wanted, *, vector: Vector | None, words: str, limit: int) -> list[MessageCandidate]:
        """Return the union of the nearest and the best by words, with both scores of each."""
        ...

    async def newest(self, wanted: Wanted, *, limit: int, offset: int) -> list[tuple[str, int]]:
        """Return session and number of the newest that are wanted, newest first."""
        ...

    async def lacking(self, limit: int) -> list[tuple[Key, int]]:
        """Return session and number of rows that have no vector yet."""
        ...

    async def remove(self, key: Key) -> None:
        """Destroy every byte of a session's rows."""
        ...

    async def optimise(self) -> None:
        """Compact and extend the indexes."""
        ...

    async def reset(self, *, model: str, dimensions: int) -> None:
        """Throw everything away and begin anew."""
        ...

    async def close(self) -> None:
        """Release files."""
        ...
