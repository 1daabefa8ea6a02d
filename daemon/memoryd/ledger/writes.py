"""What changes the ledger. Each function runs in the writer's transaction: memory, history and change together."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Text, bindparam, insert, select, update

from memoryd.ledger import spent
from memoryd.ledger.batches import batches
from memoryd.ledger.conditions import owned_by
from memoryd.ledger.records import Before, difference, next_operation, record
from memoryd.ledger.rows import cleaned, dump, from_micros, memory_of, memory_row, to_micros
from memoryd.ledger.tables import HAS_SAID, aliases, changes, history, memories, memory_tags
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.lifecycle import last_expiry
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.memory import Memory

_Place = tuple[str, str, str, str]
_PUT_TAG = insert(memory_tags).from_select(
    ["memory_id", "tag", "owner", "created_at", "number"],
    select(
        memories.c.id, bindparam("put", type_=Text), memories.c.owner, memories.c.created_at, memories.c.number
    ).where(memories.c.id == bindparam("of")),
)


class _Batch(msgspec.Struct):
    """What one insert knows and is going to write."""

    known: dict[str, Memory] = msgspec.field(default_factory=dict[str, Memory])
    renamed: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    active: dict[_Place, str] = msgspec.field(default_factory=dict[_Place, str])
    fresh: dict[str, None] = msgspec.field(default_factory=dict[str, None])
    raised: dict[str, None] = msgspec.field(default_factory=dict[str, None])
    aliases: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    history: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    changes: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    operation: int = 0
    compared: bool = False


def store(
    connection: Connection,
    given: Sequence[Memory],
    actor: str,
    now: datetime,
    *,
    notes: Sequence[Mapping[str, str]] = (),
    operation: int | None = None,
    compared: bool = False,
    confirm: bool = True,
) -> tuple[list[Memory], list[tuple[str, str]]]:
    """Store memories as one operation; return them as they now stand, in order, and what was written: event, memory.

    `notes` go into the history, one for each memory. `compared`: whether their neighbours have been looked at.
    `confirm`: whether a memory that says the same already gains strength, or stays as it is.

    Raises:
        Refused: an id belongs to another owner's memory, or what it stood for was purged.
    """
    arriving = [cleaned(memory) for memory in given]
    batch = _load(connection, arriving)
    batch.operation = next_operation(connection) if operation is None else operation
    batch.compared = compared
    stored_ids: list[str] = []
    if confirm:  # not where whole memories are brought in: whoever imports them wants them
        unknown = [memory.id for memory in arriving if batch.renamed.get(memory.id, memory.id) not in batch.known]
        spent.refuse_spent(connection, unknown)
    for n, memory in enumerate(arriving):
        target = batch.renamed.get(memory.id, memory.id)
        there = batch.known.get(target)
        if there is not None:
            if there.owner != memory.owner:
                raise Refused(f"the id {memory.id} is taken", "Send the memory again with a new id.")
            stored_ids.append(target)
            continue
        twin = batch.active.get(_place(memory)) if memory.active and memory.content_hash else None
        if twin is None:
            _add(batch, memory, actor, now, notes[n] if notes else {})
            stored_ids.append(memory.id)
        else:
            if confirm:
                _confirm(batch, batch.known[twin], memory, actor, now)
            else:
                _rename(batch, memory.id, twin, now)
            stored_ids.append(twin)
    _flush(connection, batch)
    written = [(row["event"], row["memory_id"]) for row in batch.history]
    return [batch.known[memory_id] for memory_id in stored_ids], written


def touch(connection: Connection, owner: str, ids: Sequence[str], at: datetime) -> None:
    """Count an access to each of the memories."""
    wanted = list(dict.fromkeys(clean(memory_id) for memory_id in ids))
    for some in batches(wanted):
        connection.execute(
            update(memories)
            .where(memories.c.id.in_(some), owned_by(owner))
            .values(access_count=memories.c.access_count + 1, last_accessed_at=to_micros(at))
        )


def put_tags(connection: Connection, tagged: Sequence[Memory]) -> None:
    """Put down the tags of memories that stand there, with what puts those of a tag into the order of their dates."""
    if rows := [{"of": memory.id, "put": tag} for memory in tagged for tag in dict.fromkeys(memory.tags)]:
        connection.execute(_PUT_TAG, rows)


def set_embedding_model(connection: Connection, numbers: Sequence[int], model: str) -> None:
    """Say of memories, by their numbers, which model embeds them. No history, no change: their text is the same."""
    connection.execute(update(memories).where(memories.c.number.in_(numbers)).values(embedding_model=model))


def _place(memory: Memory) -> _Place:
    return memory.owner, memory.scope.value, memory.project, memory.content_hash


def _load(connection: Connection, arriving: Sequence[Memory]) -> _Batch:
    batch = _Batch()
    ids = [memory.id for memory in arriving]
    for some in batches(ids):
        for row in connection.execute(select(aliases).where(aliases.c.id.in_(some))).mappings():
            batch.renamed[row["id"]] = row["memory_id"]
    wanted = ids + list(batch.renamed.values())
    for some in batches(wanted):
        for row in connection.execute(select(memories).where(memories.c.id.in_(some))).mappings():
            batch.known[row["id"]] = memory_of(row)
    hashes: dict[tuple[str, str, str], set[str]] = {}
    for owner, scope, project, content_hash in map(_place, arriving):
        if content_hash:
            hashes.setdefault((owner, scope, project), set()).add(content_hash)
    for (owner, scope, project), said in hashes.items():
        for memory in _active(connection, owner, scope, project, sorted(said)):
            batch.known[memory.id] = memory
            batch.active[_place(memory)] = memory.id
    return batch


def _active(connection: Connection, owner: str, scope: str, project: str, hashes: Sequence[str]) -> Iterator[Memory]:
    for some in batches(hashes):
        query = select(memories).where(
            memories.c.owner == owner,
            memories.c.scope == scope,
            memories.c.project == project,
            memories.c.content_hash.in_(some),
            HAS_SAID,
        )
        yield from map(memory_of, connection.execute(query).mappings())


def _add(batch: _Batch, memory: Memory, actor: str, now: datetime, notes: Mapping[str, str]) -> None:
    batch.known[memory.id] = memory
    batch.fresh[memory.id] = None
    if memory.active and memory.content_hash:
        batch.active[_place(memory)] = memory.id
    before = Before(created=True)
    batch.history.append(
        record(memory, "ADD", actor, now, operation=batch.operation, before=before, new=memory.content, meta=notes)
    )
    batch.changes.append({"memory_id": memory.id, "event": "ADD", "ts": to_micros(now)})


def _confirm(batch: _Batch, there: Memory, again: Memory, actor: str, now: datetime) -> None:
    confirmed = there.sources
    if again.session and again.session not in (*confirmed, there.session):
        confirmed = (*confirmed, again.session)
    after = msgspec.structs.replace(
        there,
        strength=there.strength + 1,
        sources=confirmed,
        updated_at=from_micros(to_micros(now)),
        revision=there.revision + 1,
        expires_at=last_expiry(there, again),
    )
    batch.known[there.id] = after
    batch.raised[there.id] = None
    _rename(batch, again.id, there.id, now)
    before = Before(columns=difference(there, after)[0])
    meta = {"same": again.id, "session": again.session}
    batch.history.append(record(there, "MERGE", actor, now, operation=batch.operation, before=before, meta=meta))
    batch.changes.append({"memory_id": there.id, "event": "MERGE", "ts": to_micros(now)})


def _rename(batch: _Batch, given: str, target: str, now: datetime) -> None:
    batch.renamed[given] = target
    batch.aliases.append({"id": given, "memory_id": target, "ts": to_micros(now)})


def _flush(connection: Connection, batch: _Batch) -> None:
    if batch.fresh:
        rows = [{**memory_row(batch.known[memory_id]), "compared": batch.compared} for memory_id in batch.fresh]
        connection.execute(insert(memories), rows)
        put_tags(connection, [batch.known[memory_id] for memory_id in batch.fresh])
    for memory_id in batch.raised:
        if memory_id not in batch.fresh:
            memory = batch.known[memory_id]
            connection.execute(
                update(memories)
                .where(memories.c.id == memory_id)
                .values(
                    strength=memory.strength,
                    sources=dump(memory.sources),
                    updated_at=to_micros(memory.updated_at),
                    expires_at=None if memory.expires_at is None else to_micros(memory.expires_at),
                    revision=memory.revision,
                )
            )
    if batch.aliases:
        connection.execute(insert(aliases), batch.aliases)
    if batch.changes:
        connection.execute(insert(history), batch.history)
        connection.execute(insert(changes), batch.changes)
