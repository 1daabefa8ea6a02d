"""What nobody will ask for any more: first found, beside the writer, then deleted, a little in each transaction."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, delete, func, or_, select, tuple_

from memoryd.ledger.batches import batches
from memoryd.ledger.database import Database
from memoryd.ledger.rows import to_micros
from memoryd.ledger.tables import aliases, changes, events, sessions, spent_ids, traces

STEP = 250
"""Rows in one transaction: a write that comes meanwhile waits for a few milliseconds."""


class _When(msgspec.Struct):
    """All that pruning needs of a trace."""

    at: datetime


_when = msgspec.msgpack.Decoder(_When).decode


class Pruned(msgspec.Struct, frozen=True):
    """How one step deletes: at most `STEP` rows of a table, by their keys, each looked at once more."""

    table: str
    delete: Callable[[Connection], int]


class SqlPruning:
    """See `memoryd_actors.ports.ledger.Pruning`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def prune(
        self,
        *,
        traces_before: datetime,
        sessions_before: datetime,
        aliases_before: datetime,
        events_before: datetime | None = None,
        most_events: int | None = None,
    ) -> dict[str, int]:
        deleted: dict[str, int] = dict.fromkeys(("traces", "sessions", "aliases", "changes", "events"), 0)
        # Traces first: whether their session is in use, its state says.
        for find in (
            partial(find_traces, before=traces_before),
            partial(find_sessions, before=sessions_before),
            partial(find_aliases, before=aliases_before),
            partial(find_spent, before=aliases_before),
            find_changes,
            partial(find_events, before=events_before, most=most_events),
        ):
            for step in await self._database.read(find):
                deleted[step.table] += await self._database.write(step.delete)
        return deleted


def find_traces(connection: Connection, before: datetime) -> list[Pruned]:
    """Return the steps that delete the traces of sessions not used since; each key is a session with its last trace."""
    newest = (
        select(traces.c.owner, traces.c.session, func.max(traces.c.id).label("last"))
        .group_by(traces.c.owner, traces.c.session)
        .subquery()
    )
    query = (
        select(newest.c.owner, newest.c.session, newest.c.last, sessions.c.updated_at, traces.c.body)
        .select_from(newest)
        .join(traces, traces.c.id == newest.c.last)
        .outerjoin(sessions, (sessions.c.owner == newest.c.owner) & (sessions.c.session == newest.c.session))
    )
    limit = to_micros(before)
    idle = [
        (row.owner, row.session, row.last)
        for row in connection.execute(query)
        if max(row.updated_at or limit - 1, to_micros(_when(row.body).at)) < limit
    ]
    return [Pruned("traces", _trace_step(owner, session, last)) for owner, session, last in idle]


def find_sessions(connection: Connection, before: datetime) -> list[Pruned]:
    """Return the steps that delete the states of sessions not used since."""
    limit = to_micros(before)
    key = (sessions.c.owner, sessions.c.session)
    found = connection.execute(select(*key).where(sessions.c.updated_at < limit)).all()
    # The age is looked at again: a session may be used between the search and its deletion.
    return [
        Pruned("sessions", _step(sessions, tuple_(*key).in_(some) & (sessions.c.updated_at < limit)))
        for some in batches([tuple(row) for row in found], STEP)
    ]


def find_aliases(connection: Connection, before: datetime) -> list[Pruned]:
    """Return the steps that delete aliases made before."""
    found = connection.execute(select(aliases.c.id).where(aliases.c.ts < to_micros(before))).scalars().all()
    return [Pruned("aliases", _step(aliases, aliases.c.id.in_(some))) for some in batches(found, STEP)]


def find_spent(connection: Connection, before: datetime) -> list[Pruned]:
    """Return the steps that delete the ids of requests whose content was purged before."""
    found = connection.execute(select(spent_ids.c.digest).where(spent_ids.c.ts < to_micros(before))).scalars().all()
    return [Pruned("aliases", _step(spent_ids, spent_ids.c.digest.in_(some))) for some in batches(found, STEP)]


def find_changes(connection: Connection) -> list[Pruned]:
    """Return the steps that delete changes whose memory changed again: no index is ever told of them."""
    later = changes.alias("later")
    again = (
        select(later.c.sequence)
        .where(later.c.memory_id == changes.c.memory_id, later.c.sequence > changes.c.sequence)
        .exists()
    )
    found = connection.execute(select(changes.c.sequence).where(again)).scalars().all()
    return [Pruned("changes", _step(changes, changes.c.sequence.in_(some))) for some in batches(found, STEP)]


def find_events(connection: Connection, before: datetime | None, most: int | None = None) -> list[Pruned]:
    """Return the steps that delete events before a moment, and all but the newest so many."""
    if before is None:
        return []
    old = events.c.ts < to_micros(before)
    if most is not None and (last := connection.execute(select(func.max(events.c.id))).scalar()):
        old = or_(old, events.c.id <= last - most)
    found = connection.execute(select(events.c.id).where(old)).scalars().all()
    return [Pruned("events", _step(events, events.c.id.in_(some))) for some in batches(found, STEP)]


def _trace_step(owner: str, session: str, last: int) -> Callable[[Connection], int]:
    # A session has at most fifty traces, and one that comes meanwhile is newer than the last one.
    return _step(traces, (traces.c.owner == owner) & (traces.c.session == session) & (traces.c.id <= last))


def _step(table: Table, condition: Any) -> Callable[[Connection], int]:
    return lambda connection: connection.execute(delete(table).where(condition)).rowcount
