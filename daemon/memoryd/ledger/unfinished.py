"""Purges that are not finished: marked in the transaction that deletes the rows, so that no crash leaves their bytes.

Until the files are rewritten, what was deleted lies in their free pages, in the log, and in the dated backups; until
the index is rewritten, in there. A mark names ids and places, no text. What is left in transcripts that stand in files
is marked as the progress of a job with the session; those in the ledger have no words left.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import assert_never

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from memoryd.ledger import checkpointing, core_writing, progressing, purge_count, purging
from memoryd.ledger.tables import purges
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION, Progress


class PurgedMemories(msgspec.Struct, frozen=True, tag="memories"):
    """Memories were destroyed."""

    ids: tuple[str, ...]
    places: tuple[tuple[str, str], ...] = ()
    """Owners and sessions that they come from."""


class PurgedSession(msgspec.Struct, frozen=True, tag="session"):
    """What was asked in a session, and what was shown there, was destroyed."""

    owner: str
    session: str


class PurgedCheckpoints(msgspec.Struct, frozen=True, tag="checkpoints"):
    """The states of a thread were destroyed, or one of them."""

    owner: str
    thread: str
    """What stands for its name, which is to be destroyed, too."""
    version: int | None
    below: bool = False
    """Those of all threads whose name begins so."""
    length: int = 0
    """How much of their names is meant."""


class PurgedSection(msgspec.Struct, frozen=True, tag="core"):
    """A section of core memory was destroyed."""

    owner: str
    thread: str
    name: str


Erased = PurgedMemories | PurgedSession | PurgedCheckpoints | PurgedSection

_encode = msgspec.json.Encoder().encode
_numbers = msgspec.json.Decoder(tuple[int, ...]).decode
_decode = msgspec.json.Decoder(Erased).decode


def mark(connection: Connection, erased: Erased, *, in_files: bool) -> None:
    """Note that bytes are left behind: in the index those of memories, and where told in the ledger's own files."""
    in_index = isinstance(erased, PurgedMemories)
    if in_files or in_index:
        row = {"erased": _encode(erased).decode(), "in_files": in_files, "in_index": in_index}
        connection.execute(insert(purges), row)


def mark_entries(connection: Connection, owner: str, session: str, entries: Iterable[int], now: datetime) -> None:
    """Note that the words of entries are left in a transcript, beside those that are noted already."""
    known = progressing.get(connection, owner, session, PURGED_ENTRIES)
    _put_entries(connection, owner, session, {*_entries(known), *entries}, now)


def gone_from_transcript(connection: Connection, done: Progress, now: datetime) -> None:
    """Take a mark of a transcript back; what was noted there since stays."""
    purge_count.raise_count(connection, done.owner, now)
    known = progressing.get(connection, done.owner, done.session, done.job)
    if done.job == PURGED_ENTRIES:
        _put_entries(connection, done.owner, done.session, _entries(known) - _entries(done), now)
    else:
        progressing.drop(connection, done)


def left(connection: Connection) -> int:
    """Return how many marks there are."""
    in_transcripts = sum(len(progressing.of(connection, job)) for job in (PURGED_ENTRIES, PURGED_SESSION))
    return connection.execute(select(func.count()).select_from(purges)).scalar_one() + in_transcripts


def _entries(marked: Progress | None) -> set[int]:
    return set(_numbers(marked.detail)) if marked is not None and marked.detail else set()


def _put_entries(connection: Connection, owner: str, session: str, entries: set[int], now: datetime) -> None:
    mark = Progress(owner, session, PURGED_ENTRIES, 0, detail=_encode(sorted(entries)).decode())
    if entries:
        progressing.put(connection, mark, now)
    else:
        progressing.drop(connection, mark)


def left_in_files(connection: Connection) -> dict[int, Erased]:
    """Return what is left in the ledger's files and backups, by the numbers of the marks."""
    query = select(purges.c.id, purges.c.erased).where(purges.c.in_files).order_by(purges.c.id)
    return {row.id: _decode(row.erased) for row in connection.execute(query)}


def left_in_index(connection: Connection) -> int:
    """Return the number of the newest mark of what is left in the index; 0 where there is none."""
    return connection.execute(select(func.max(purges.c.id)).where(purges.c.in_index)).scalar() or 0


def gone_from_files(connection: Connection, newest: int) -> None:
    """Take the marks up to that number back, as far as the files go."""
    connection.execute(update(purges).where(purges.c.id <= newest).values(in_files=False))
    _forget_finished(connection)


def gone_from_index(connection: Connection, newest: int) -> None:
    """Take the marks up to that number back, as far as the index goes."""
    connection.execute(update(purges).where(purges.c.id <= newest).values(in_index=False))
    _forget_finished(connection)


def erase(connection: Connection, erased: Erased) -> None:
    """Take it out of a backup, in which it may be still."""
    match erased:
        case PurgedMemories():
            purging.erase(connection, erased.ids, set(erased.places))
        case PurgedSession():
            purging.erase_session(connection, erased.owner, erased.session)
        case PurgedCheckpoints():
            length = (erased.length or len(erased.thread)) if erased.below else None
            checkpointing.erase(connection, erased.owner, erased.thread, erased.version, length=length)
        case PurgedSection():
            core_writing.erase(connection, erased.owner, erased.thread, erased.name)
        case _:
            assert_never(erased)


def _forget_finished(connection: Connection) -> None:
    connection.execute(delete(purges).where(~purges.c.in_files, ~purges.c.in_index))
