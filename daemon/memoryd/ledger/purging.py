"""Purge: what a memory said is destroyed, in every table and in every copy. That it was, stays in the history."""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec
from sqlalchemy import URL, Connection, create_engine, delete, insert, inspect, or_, select, update

from memoryd.ledger import edges, spent
from memoryd.ledger.batches import MAX_VARIABLES, batches
from memoryd.ledger.conditions import owned_by
from memoryd.ledger.failures import translated
from memoryd.ledger.reads import last_sequence
from memoryd.ledger.records import next_operation
from memoryd.ledger.rows import dump, to_micros
from memoryd.ledger.sharing import tell
from memoryd.ledger.tables import (
    aliases,
    changes,
    consents,
    doubts,
    events,
    history,
    memories,
    memory_tags,
    relations,
    sessions,
    traces,
)
from memoryd_actors.core.errors import LedgerCorrupt, Unavailable
from memoryd_actors.keeping.successors import find_heir
from memoryd_actors.memory.render import SHORT_ID
from memoryd_actors.memory.settings import DERIVED
from memoryd_actors.memory.steps import MERGED_INTO, SUPERSEDES
from memoryd_actors.purging.derived import ELSEWHERE, PhraseMatcher
from memoryd_actors.recall.purged_traces import without_purged
from memoryd_actors.recall.session_state import decode_state, encode_state
from memoryd_actors.texts.characters import clean
from memoryd_actors.upkeep.sharing import Notice
from memoryd_client.wire.edges import Edge
from memoryd_client.wire.memory import Source
from memoryd_client.wire.traces import Trace

EVENT = "PURGE"
_READERS_S = 0.3
"""How long it is waited for those who read at the moment: nothing is written meanwhile."""
_decode_meta = msgspec.json.Decoder(dict[str, str]).decode
_decode_trace = msgspec.msgpack.Decoder(Trace).decode


def with_merged(connection: Connection, owner: str, ids: Iterable[str]) -> list[str]:
    """Return the memories and, over however many steps, those that are merged into them: they say the same.

    Not those that were restored since: these stand for themselves.
    """
    found = dict.fromkeys(clean(memory_id) for memory_id in ids)
    front = list(found)
    while front:
        query = select(relations.c.from_id).where(
            relations.c.to_id.in_(front[:MAX_VARIABLES]),
            relations.c.relation_type == MERGED_INTO,
            relations.c.removed_by.is_(None),
            relations.c.owner == clean(owner),
        )
        following = [memory_id for memory_id in connection.execute(query).scalars() if memory_id not in found]
        found.update(dict.fromkeys(following))
        front = front[MAX_VARIABLES:] + following
    return list(found)


def with_derived(connection: Connection, owner: str, ids: Sequence[str], *, since: int) -> list[str]:
    """Return the memories, and the episodes and summaries that were written since a change and tell what they say."""
    query = select(memories.c.id, memories.c.content).where(
        memories.c.id.in_(select(changes.c.memory_id).where(changes.c.sequence > since)),
        or_(memories.c.category.in_(DERIVED), memories.c.source == Source.EXTRACTED.value),
        owned_by(owner),
    )
    written = connection.execute(query).all()
    if not written:
        return list(ids)
    derived = _derived(connection, ids)
    own_words = [memory_id for memory_id in ids if memory_id not in derived]
    telling = _telling(connection, own_words, telling=ELSEWHERE)[1]
    return list(dict.fromkeys([*ids, *(row.id for row in written if telling.within(row.content))]))


def _derived(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Return which of these memories are episodes and summaries: what they say of themselves, all of them do."""
    found: set[str] = set()
    for some in batches(ids):
        query = select(memories.c.id).where(memories.c.id.in_(some), memories.c.category.in_(DERIVED))
        found.update(connection.execute(query).scalars())
    return found


def due(connection: Connection, owner: str, now: datetime, limit: int) -> list[str]:
    """Return the ids of an owner's memories whose time has come."""
    query = (
        select(memories.c.id)
        .where(memories.c.purge_at <= to_micros(now), memories.c.state == "forgotten", owned_by(owner))
        .order_by(memories.c.purge_at)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def purge(connection: Connection, owner: str, ids: Sequence[str], actor: str, now: datetime) -> list[str]:
    """Destroy what the owner's among these memories say; return their ids.

    The history keeps who purged which id and when; what it knew of their contents goes. Decision traces lose them, and
    sessions what waited to be taken or was taken last.
    """
    mine = _owned(connection, owner, ids)
    if not mine:
        return []
    operation = next_operation(connection)
    spent.spend(connection, [*mine, *_renamed(connection, mine)], now)
    inherited = heirs(connection, mine)
    erase(connection, mine, sessions_of(connection, mine))
    entries = {orphan: ("UPDATE", _of_heir(heir)) for orphan, heir in inherited.items()}
    for memory_id, (event, meta) in (entries | dict.fromkeys(mine, (EVENT, {}))).items():
        connection.execute(
            insert(history),
            {
                "memory_id": memory_id,
                "owner": clean(owner),
                "event": event,
                "old": "",
                "new": "",
                "actor": clean(actor),
                "meta": dump(meta),
                "ts": to_micros(now),
                "operation": operation,
                "undo": "",
            },
        )
        connection.execute(insert(changes), {"memory_id": memory_id, "event": event, "ts": to_micros(now)})
    for orphan, heir in inherited.items():
        if heir:
            edge = Edge(from_id=heir, to_id=orphan, relation=SUPERSEDES, strength=1.0)
            edges.add(connection, edge, owner=owner, operation=0, now=now)
    tell(connection, Notice.PURGED, last_sequence(connection))
    return mine


def _renamed(connection: Connection, ids: Sequence[str]) -> list[str]:
    """Return the ids of requests that were found to say what one of these memories says."""
    found: list[str] = []
    for some in batches(ids):
        query = select(aliases.c.id).where(aliases.c.memory_id.in_(some))
        found += connection.execute(query).scalars()
    return found


def _of_heir(by: str) -> dict[str, str]:
    """Return what the history says of a memory of which the successor is purged."""
    if by:
        return {"by": by, "reason": "what took its place is purged"}
    return {"reason": "what took its place is purged; a restore brings it back"}


def heirs(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Return what these memories took the place of, but for themselves, each with what has its place without them.

    That is what in turn took theirs; empty where nothing did.
    """
    following: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for some in batches(ids):
        query = select(memories.c.id, memories.c.superseded_by)
        for column, known in ((memories.c.id, following), (memories.c.superseded_by, replaced)):
            known.update({row.id: row.superseded_by for row in connection.execute(query.where(column.in_(some)))})
    return {orphan: find_heir(by, following) for orphan, by in replaced.items() if orphan not in following}


def erase(connection: Connection, ids: Sequence[str], places: Collection[tuple[str, str]] = ()) -> None:
    """Take all that memories said out of every table that there is: an older copy does not have them all.

    `places`: owners and sessions that they come from; what was asked there goes from the traces, too.
    """
    looked_at = inspect(connection)
    there = set(looked_at.get_table_names())
    told = ("old", "new", "undo", "category")
    blank = {one["name"]: "" for one in looked_at.get_columns(history.name) if one["name"] in told} | {"meta": "{}"}
    owners, telling = _telling(connection, ids)
    for orphan, heir in heirs(connection, ids).items():
        # Of what is replaced by nothing that is there, the state still says that it is out of date.
        values = {"superseded_by": heir, "revision": memories.c.revision + 1}
        connection.execute(update(memories).where(memories.c.id == orphan).values(**values))
    for some in batches(ids, MAX_VARIABLES // 2):
        connection.execute(delete(memories).where(memories.c.id.in_(some)))
        connection.execute(delete(memory_tags).where(memory_tags.c.memory_id.in_(some)))
        connection.execute(delete(aliases).where(or_(aliases.c.id.in_(some), aliases.c.memory_id.in_(some))))
        if "relations" in there:
            _take_out_reasons(connection, some)
            connection.execute(delete(relations).where(or_(relations.c.from_id.in_(some), relations.c.to_id.in_(some))))
            connection.execute(delete(doubts).where(or_(doubts.c.older_id.in_(some), doubts.c.newer_id.in_(some))))
        connection.execute(update(history).where(history.c.memory_id.in_(some)).values(**blank))
    purged = frozenset(ids)
    needles = [memory_id[:SHORT_ID].encode() for memory_id in ids]
    judged: set[tuple[str, str]] = set()
    for row in connection.execute(select(traces)).all():
        named = any(needle in row.body for needle in needles)
        if not (named or row.owner in owners or (row.owner, row.session) in places):
            continue
        trace = _decode_trace(row.body)
        if named or (row.owner, row.session) in places or telling.within(trace.focus):
            judged.add((row.owner, row.session))
            body = msgspec.msgpack.encode(without_purged(trace, purged))
            connection.execute(update(traces).where(traces.c.id == row.id).values(body=body))
    for row in connection.execute(select(sessions)).all():
        is_judged = (row.owner, row.session) in judged
        if is_judged or any(needle in row.state for needle in needles):
            state = decode_state(row.state).purge(ids)
            state = state.without_reasons() if is_judged else state
            key = (sessions.c.owner == row.owner) & (sessions.c.session == row.session)
            # Another version: who holds this one in memory must not save it again.
            values = {"state": encode_state(state), "updated_at": sessions.c.updated_at + 1}
            connection.execute(update(sessions).where(key).values(**values))
    _take_out_names(connection, ids, there)


def sessions_of(connection: Connection, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return owners and sessions that memories come from."""
    found: dict[tuple[str, str], None] = {}
    for some in batches(ids):
        query = select(memories.c.owner, memories.c.session).where(memories.c.id.in_(some))
        found.update(((row.owner, row.session), None) for row in connection.execute(query) if row.session)
    return list(found)


def _telling(connection: Connection, ids: Sequence[str], *, telling: int = 0) -> tuple[set[str], PhraseMatcher]:
    """Return whose memories these are, and what they say and ever said."""
    owners: set[str] = set()
    texts: list[str] = []
    for some in batches(ids):
        for row in connection.execute(select(memories.c.owner, memories.c.content).where(memories.c.id.in_(some))):
            owners.add(row.owner)
            texts.append(row.content)
        past = select(history.c.owner, history.c.old, history.c.new).where(history.c.memory_id.in_(some))
        for entry in connection.execute(past):
            owners.add(entry.owner)
            texts += (entry.old, entry.new)
    return owners, PhraseMatcher(texts, telling=telling)


def erase_session(connection: Connection, owner: str, session: str) -> None:
    """Take out what was asked in a session and what was shown there: its traces and its state."""
    for table in (traces, sessions):
        mine = (table.c.owner == clean(owner)) & (table.c.session == clean(session))
        connection.execute(delete(table).where(mine))


def _take_out_names(connection: Connection, ids: Sequence[str], there: Collection[str]) -> None:
    """Take out the names that somebody gave in what is counted, and the memories in what is asked of users."""
    if "events" in there:
        for some in batches(ids):
            # What is counted stays counted: the names that somebody gave go.
            connection.execute(update(events).where(events.c.memory_id.in_(some)).values(thread="", category=""))
    if "consents" in there:
        for row in connection.execute(select(consents.c.id, consents.c.proposed)).all():
            if any(memory_id[:SHORT_ID].encode() in row.proposed for memory_id in ids):
                connection.execute(delete(consents).where(consents.c.id == row.id))


def _take_out_reasons(connection: Connection, ids: Sequence[str]) -> None:
    """Take out what others' histories say of these memories in words: reasons, and the names of relations to them."""
    ends = relations.c.from_id.in_(ids), relations.c.to_id.in_(ids)
    others = {*connection.execute(select(relations.c.to_id).where(ends[0])).scalars()}
    others.update(connection.execute(select(relations.c.from_id).where(ends[1])).scalars())
    purged = set(ids)
    beside = sorted(others - purged)
    for some in batches(beside):
        query = select(history.c.id, history.c.meta).where(
            history.c.memory_id.in_(some),
            or_(history.c.meta.contains('"reason"'), history.c.meta.contains('"relation"')),
        )
        for row in connection.execute(query).all():
            meta = _decode_meta(row.meta)
            if {meta.get("by"), meta.get("into"), meta.get("to")} & purged:
                kept = dump({name: value for name, value in meta.items() if name not in {"reason", "relation"}})
                connection.execute(update(history).where(history.c.id == row.id).values(meta=kept))


def erase_in(copy: Path, erasing: Callable[[Connection], object]) -> None:
    """Take something out of a backup. It stays one plain file. Blocks.

    Raises:
        DiskFull: there is no space for a second copy of it.
        Unavailable: it is in use, damaged, or cannot be written.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(copy)), hide_parameters=True, connect_args={"timeout": _READERS_S}
    )
    try:
        with translated(str(copy), copy, None):
            with engine.begin() as connection:
                erasing(connection)
            scour(copy)
    except LedgerCorrupt as damaged:
        raise Unavailable(f"the backup {copy} is damaged, and may have what was purged", "Delete it.") from damaged
    finally:
        engine.dispose()


def scour(file: Path) -> None:
    """Rewrite an SQLite file so that nothing deleted is left in it or in its log. Blocks, about 10 ms per MB.

    Raises:
        sqlite3.Error: there is no space for a second copy, or it is damaged.
        Unavailable: somebody reads an older state of it.
    """
    with closing(sqlite3.connect(file, timeout=_READERS_S, isolation_level=None)) as connection:
        # First: as long as somebody reads, each rewriting would only make the log longer by the whole file.
        _empty_log(connection, file)
        connection.execute("VACUUM")
        _empty_log(connection, file)


def _empty_log(connection: sqlite3.Connection, file: Path) -> None:
    in_use, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if in_use:
        # SQLite does not call it an error; what was deleted is in the log still, and in the file.
        raise Unavailable(f"somebody reads an older state of {file}", f"`fuser {file}` shows who.")


def _owned(connection: Connection, owner: str, ids: Sequence[str]) -> list[str]:
    found: list[str] = []
    for some in batches([clean(memory_id) for memory_id in ids]):
        query = select(memories.c.id).where(memories.c.id.in_(some), memories.c.owner == clean(owner))
        found += connection.execute(query).scalars()
    return found
