"""Checkpoints in a table: the content as it came, its checksum beside it."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, RowMapping, delete, func, insert, inspect, select, update

from memoryd.ledger.rows import dump, from_micros, to_micros
from memoryd.ledger.tables import checkpoints
from memoryd_actors.core.errors import MOST_THREADS, DamagedCheckpoint, KeptCheckpoints, NoCheckpoint
from memoryd_actors.keeping.checkpoints import check_expected
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.checkpoints import Checkpoint, CheckpointInfo

_AGENT = "memoryd.agent"
"""Among the notes of a row, who saved it: a column behind the bytes would have every listing walk through them."""
_NEAREST = 10
"""Versions that are looked at where one is damaged: 35 MiB at most."""
_PURGED = "purged:"
_mapping = msgspec.json.Decoder(dict[str, str]).decode
_KNOWN = (
    checkpoints.c.thread,
    checkpoints.c.version,
    checkpoints.c.size,
    checkpoints.c.checksum,
    checkpoints.c.meta,
    checkpoints.c.created_at,
)


class NewCheckpoint(NamedTuple):
    """A state on its way in."""

    owner: str
    thread: str
    data: bytes
    save_id: str
    meta: Mapping[str, str]
    expected: int | None
    agent: str


def save(connection: Connection, new: NewCheckpoint, keep: int, now: datetime) -> CheckpointInfo:
    """Keep a state as the next version, and delete what is older than the newest `keep`.

    Raises:
        Refused: another version than the expected one is the newest.
    """
    owner, thread = clean(new.owner), clean(new.thread)
    same = _ever(owner, thread)
    again = (
        connection.execute(select(*_KNOWN).where(same, checkpoints.c.save_id == clean(new.save_id))).mappings().first()
    )
    if again is not None:
        return msgspec.structs.replace(_info(again), thread=thread)
    last = connection.execute(select(func.max(checkpoints.c.version)).where(same)).scalar() or 0
    newest = connection.execute(select(func.max(checkpoints.c.version)).where(same, ~checkpoints.c.gone)).scalar() or 0
    check_expected(thread, newest, new.expected)
    info = CheckpointInfo(
        thread=thread,
        version=last + 1,
        size=len(new.data),
        checksum=_checksum(new.data),
        created_at=now,
        meta={clean(key): clean(value) for key, value in new.meta.items()},
        agent=clean(new.agent),
    )
    connection.execute(
        insert(checkpoints),
        {
            "owner": owner,
            "thread": thread,
            "version": info.version,
            "size": info.size,
            "checksum": info.checksum,
            "meta": dump({**info.meta, _AGENT: info.agent}),
            "created_at": to_micros(now),
            "save_id": clean(new.save_id),
            "data": new.data,
        },
    )
    oldest = (
        select(checkpoints.c.version)
        .where(same, ~checkpoints.c.gone)
        .order_by(checkpoints.c.version.desc())
        .offset(keep - 1)
        .limit(1)
        .scalar_subquery()
    )
    connection.execute(delete(checkpoints).where(same, checkpoints.c.version < oldest))
    return info


def load(connection: Connection, owner: str, thread: str, version: int | None) -> Checkpoint:
    """Return a state, the newest where no version is named.

    Raises:
        NoCheckpoint: there is none.
        DamagedCheckpoint: its bytes are not those that were saved.
    """
    query = select(*_KNOWN, checkpoints.c.data).where(
        checkpoints.c.owner == clean(owner), checkpoints.c.thread == clean(thread), ~checkpoints.c.gone
    )
    if version is not None:
        query = query.where(checkpoints.c.version == version)
    row = connection.execute(query.order_by(checkpoints.c.version.desc()).limit(1)).mappings().first()
    if row is None:
        raise NoCheckpoint(owner, thread, version, _there(connection, owner, thread))
    if reason := _damage(row):
        raise DamagedCheckpoint(thread, row["version"], reason, _sound(connection, owner, thread, row["version"]))
    return Checkpoint(info=_info(row), data=row["data"])


def _there(connection: Connection, owner: str, thread: str) -> KeptCheckpoints:
    """Return what there is instead of a checkpoint that is not."""
    mine = checkpoints.c.owner == clean(owner)
    same = _ever(owner, thread)
    versions = select(checkpoints.c.version).where(same, ~checkpoints.c.gone).order_by(checkpoints.c.version)
    others = (
        select(checkpoints.c.thread)
        .where(mine, ~checkpoints.c.gone, checkpoints.c.thread != clean(thread))
        .group_by(checkpoints.c.thread)
        .order_by(func.max(checkpoints.c.id).desc())
        .limit(MOST_THREADS + 1)
    )
    return KeptCheckpoints(
        versions=tuple(connection.execute(versions).scalars()),
        last=connection.execute(select(func.max(checkpoints.c.version)).where(same)).scalar() or 0,
        threads=tuple(connection.execute(others).scalars()),
    )


def _damage(row: RowMapping) -> str:
    """Return how a state's bytes differ from what was saved; empty where they do not."""
    if len(row["data"]) != row["size"]:
        return f"it has {len(row['data'])} bytes, and {row['size']} were saved"
    return "" if _checksum(row["data"]) == row["checksum"] else "its bytes are not those that were saved"


def _sound(connection: Connection, owner: str, thread: str, but: int) -> list[int]:
    """Return which other versions are as they were saved, the nearest first, of the nearest few."""
    query = (
        select(checkpoints.c.version, checkpoints.c.size, checkpoints.c.checksum, checkpoints.c.data)
        .where(checkpoints.c.owner == clean(owner), checkpoints.c.thread == clean(thread), ~checkpoints.c.gone)
        .where(checkpoints.c.version != but)
        .order_by(checkpoints.c.version.desc())
        .limit(_NEAREST)
    )
    return [row["version"] for row in connection.execute(query).mappings() if not _damage(row)]


def kept(connection: Connection, owner: str, thread: str, limit: int) -> list[CheckpointInfo]:
    """Return what is kept, newest first; of all threads where `thread` is empty."""
    query = select(*_KNOWN).where(checkpoints.c.owner == clean(owner), ~checkpoints.c.gone)
    if thread:
        query = query.where(checkpoints.c.thread == clean(thread))
    return [_info(row) for row in connection.execute(query.order_by(checkpoints.c.id.desc()).limit(limit)).mappings()]


def newest(connection: Connection, owner: str, begin: str, before: str, limit: int) -> list[CheckpointInfo]:
    """Return the newest of each thread whose name begins so, by name, from the last to the first."""
    # Byte by byte, whatever language the database sorts for.
    name = checkpoints.c.thread.collate("C" if connection.dialect.name == "postgresql" else "BINARY")
    mine = (checkpoints.c.owner == clean(owner)) & checkpoints.c.thread.startswith(clean(begin), autoescape=True)
    last = (
        select(func.max(checkpoints.c.id)).where(mine, ~checkpoints.c.gone).group_by(checkpoints.c.thread)
    ).scalar_subquery()
    query = select(*_KNOWN).where(checkpoints.c.id.in_(last)).order_by(name.desc()).limit(limit)
    if before:
        query = query.where(name < clean(before))
    return [_info(row) for row in connection.execute(query).mappings()]


def remove(
    connection: Connection, owner: str, thread: str, version: int | None, *, below: bool = False, purge: bool = False
) -> int:
    """Delete a thread's states, or one version; return how many there were. The newest leaves an empty row.

    With `purge` that row has no name any more, where no state is left. With `below` those of all threads
    go whose name begins so, and nothing is left of them.
    """
    if below:
        found = checkpoints.c.thread.startswith(clean(thread), autoescape=True) & (checkpoints.c.owner == clean(owner))
        there = select(func.count()).select_from(checkpoints).where(found, ~checkpoints.c.gone)
        count = connection.execute(there).scalar_one()
        connection.execute(delete(checkpoints).where(found))
        return count
    same = _ever(owner, thread)
    chosen = same & ~checkpoints.c.gone
    if version is not None:
        chosen &= checkpoints.c.version == version
    blank = {"data": b"", "size": 0, "checksum": "", "meta": "{}", "gone": True}
    gone = connection.execute(update(checkpoints).where(chosen).values(**blank)).rowcount
    last = connection.execute(select(func.max(checkpoints.c.version)).where(same)).scalar() or 0
    connection.execute(delete(checkpoints).where(same, checkpoints.c.gone, checkpoints.c.version < last))
    if purge and connection.execute(select(func.count()).where(same, ~checkpoints.c.gone)).scalar_one() == 0:
        connection.execute(update(checkpoints).where(same).values(thread=marked(owner, thread)))
    return gone


def erase(connection: Connection, owner: str, mark: str, version: int | None, *, length: int | None = None) -> None:
    """Take the states of the thread out of a backup that this mark stands for, or one version.

    With a `length` those of all threads of whose names so much is what the mark stands for.
    """
    if not inspect(connection).has_table(checkpoints.name):
        return
    mine = select(checkpoints.c.thread).where(checkpoints.c.owner == clean(owner)).distinct()
    is_plain = not mark.startswith(_PURGED)  # as the daemons before this one wrote it
    for thread in connection.execute(mine).scalars().all():
        if mark == (thread[:length] if is_plain else marked(owner, thread[:length])):
            remove(connection, owner, thread, version, below=length is not None, purge=True)


def _ever(owner: str, thread: str) -> ColumnElement[bool]:
    """Return what all rows of a thread meet, also the empty one of a thread that was purged."""
    mine = checkpoints.c.owner == clean(owner)
    return mine & checkpoints.c.thread.in_((clean(thread), marked(owner, thread)))


def marked(owner: str, thread: str) -> str:
    """Return what stands for the name of a thread that was purged, by which its versions are counted on."""
    return _PURGED + _checksum(f"{clean(owner)}\0{clean(thread)}".encode())


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _info(row: RowMapping) -> CheckpointInfo:
    meta = _mapping(row["meta"])
    agent = meta.pop(_AGENT, "")
    return CheckpointInfo(
        thread=row["thread"],
        version=row["version"],
        size=row["size"],
        checksum=row["checksum"],
        created_at=from_micros(row["created_at"]),
        meta=meta,
        agent=agent,
    )
