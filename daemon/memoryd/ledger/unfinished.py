"""Purges that are not finished: marked in the transaction that deletes the rows, so that no crash leaves their bytes.

Until the files are rewritten, what was deleted lies in their free pages, in the log, and in the dated backups; until
the index is rewritten, in there. A mark names ids and places, no text.
"""

from typing import assert_never

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from memoryd.ledger import checkpointing, core_writing, purging
from memoryd.ledger.tables import purges


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
    version: int | None


class PurgedSection(msgspec.Struct, frozen=True, tag="core"):
    """A section of core memory was destroyed."""

    owner: str
    thread: str
    name: str


Erased = PurgedMemories | PurgedSession | PurgedCheckpoints | PurgedSection

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Erased).decode


def mark(connection: Connection, erased: Erased, *, in_files: bool) -> None:
    """Note that bytes are left behind: in the index those of memories, and where told in the ledger's own files."""
    in_index = isinstance(erased, PurgedMemories)
    if in_files or in_index:
        row = {"erased": _encode(erased).decode(), "in_files": in_files, "in_index": in_index}
        connection.execute(insert(purges), row)


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
            checkpointing.remove(connection, erased.owner, erased.thread, erased.version)
        case PurgedSection():
            core_writing.erase(connection, erased.owner, erased.thread, erased.name)
        case _:
            assert_never(erased)


def _forget_finished(connection: Connection) -> None:
    connection.execute(delete(purges).where(~purges.c.in_files, ~purges.c.in_index))
