"""Events: what was done, row by row, and how often."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, Float, Row, case, func, insert, literal, select

from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import events, history, memories
from memoryd_actors.memory.events import OPERATIONS, Happened
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.event_counts import DoneEvent, EventCount, ListDone

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_HOUR_US = 3_600_000_000
_DAY_US = 24 * _HOUR_US
HOME = "memoryd_home"
"""Execution option of a connection: the name of the home, where several share a ledger."""

Done = tuple[str, str, str]
"""Node, op and status."""


class Tally(msgspec.Struct, frozen=True):
    """How often what was done, by hour, up to one event: only what came after that is counted anew."""

    last: int = 0
    hours: Counter[tuple[int, Done]] = msgspec.field(default_factory=Counter[tuple[int, Done]])

    def since(self, moment: datetime) -> Counter[Done]:
        """Return what was done since, from the beginning of that hour."""
        first = to_micros(moment) // _HOUR_US
        total: Counter[Done] = Counter()
        for (hour, done), count in self.hours.items():
            if hour >= first:
                total[done] += count
        return total


def home_of(connection: Connection) -> str:
    """Return the name of the home that a connection is of; empty where the ledger is not shared."""
    return cast(str, connection.get_execution_options().get(HOME, ""))


def write(connection: Connection, happened: Sequence[tuple[Happened, datetime]]) -> None:
    """Put down what happened, and when."""
    home = home_of(connection)
    rows = [
        {
            "owner": clean(event.owner),
            "thread": clean(event.thread),
            "agent": clean(event.agent),
            "node": event.node,
            "op": event.op,
            "status": event.status,
            "memory_id": clean(event.memory_id),
            "category": clean(event.category),
            "sim": event.sim,
            "ts": to_micros(at),
            "duration_ms": event.duration_ms,
            "home": home,
        }
        for event, at in happened
    ]
    connection.execute(insert(events), rows)


def write_operation(
    connection: Connection,
    operation: int,
    node: str,
    *,
    session: str = "",
    similarity: float | None = None,
    duration_ms: float | None = None,
) -> None:
    """Put down what an operation wrote, as its history has it.

    `session` is where it was done, `similarity` that of the nearest neighbour of what it was done for, and
    `duration_ms` how long the whole of it took until now.
    """
    done = select(
        history.c.owner,
        literal(clean(session)),
        literal(node),
        case(dict(OPERATIONS), value=history.c.event, else_=history.c.event),
        literal("ok"),
        history.c.memory_id,
        func.coalesce(memories.c.category, ""),
        literal(similarity, Float),
        history.c.ts,
        literal(duration_ms, Float),
        literal(home_of(connection)),
        history.c.actor,
    ).select_from(history.outerjoin(memories, memories.c.id == history.c.memory_id))
    columns = ["owner", "thread", "node", "op", "status", "memory_id", "category"]
    columns += ["sim", "ts", "duration_ms", "home", "agent"]
    connection.execute(insert(events).from_select(columns, done.where(history.c.operation == operation)))


def tally(connection: Connection, known: Tally, now: datetime) -> Tally:
    """Return how often what was done in the last week; of what is `known` only the new is read."""
    oldest = to_micros(now - WEEK) // _HOUR_US
    hours = Counter({key: count for key, count in known.hours.items() if key[0] >= oldest})
    last = connection.execute(select(func.max(events.c.id))).scalar() or 0
    if last > known.last:
        hour = (events.c.ts // _HOUR_US).label("hour")
        query = (
            select(hour, events.c.node, events.c.op, events.c.status, func.count().label("total"))
            .where(events.c.id > known.last, events.c.id <= last, events.c.ts >= oldest * _HOUR_US)
            .group_by(hour, events.c.node, events.c.op, events.c.status)
        )
        for row in connection.execute(query):
            hours[row.hour, (row.node, row.op, row.status)] += row.total
    return Tally(last, hours)


def by_day(connection: Connection, owner: str, since: datetime) -> list[EventCount]:
    """Return how often what was done for an owner, by day (UTC), the newest first."""
    day = (events.c.ts // _DAY_US).label("day")
    query = (
        select(day, events.c.node, events.c.op, events.c.status, func.count().label("total"))
        .where(events.c.owner == clean(owner), events.c.ts >= to_micros(since))
        .group_by(day, events.c.node, events.c.op, events.c.status)
        .order_by(day.desc(), events.c.node, events.c.op, events.c.status)
    )
    return [
        EventCount(
            day=from_micros(row.day * _DAY_US).date().isoformat(),
            node=row.node,
            op=row.op,
            status=row.status,
            count=row.total,
        )
        for row in connection.execute(query)
    ]


def rows(
    connection: Connection, owner: str, asked: ListDone, since: datetime, allowed: frozenset[str] | None
) -> list[DoneEvent]:
    """Return what was done for an owner, the newest first; of other categories than those `allowed` nothing."""
    wanted = {
        events.c.node: asked.node,
        events.c.op: asked.op,
        events.c.status: asked.status,
        events.c.thread: asked.session,
        events.c.memory_id: asked.memory,
        events.c.category: asked.category,
        events.c.agent: asked.agent,
    }
    query = select(events).where(events.c.owner == clean(owner), events.c.ts >= to_micros(since))
    query = query.where(*(column == clean(value) for column, value in wanted.items() if value))
    if asked.project:
        theirs = select(memories.c.id).where(memories.c.project == clean(asked.project))
        query = query.where(events.c.memory_id.in_(theirs))
    if asked.before:
        query = query.where(events.c.id < asked.before)
    if allowed is not None:
        query = query.where(events.c.category.in_(("", *sorted(allowed))))
    return _told(connection.execute(query.order_by(events.c.id.desc()).limit(asked.limit)))


def newest(connection: Connection) -> int:
    """Return the number of the newest event; 0 where there is none."""
    return connection.execute(select(func.max(events.c.id))).scalar() or 0


def after(connection: Connection, number: int, limit: int) -> list[DoneEvent]:
    """Return what this daemon did after an event, for every owner, the oldest first."""
    home = home_of(connection)
    query = select(events).where(events.c.id > number, events.c.home == home).order_by(events.c.id).limit(limit)
    return _told(connection.execute(query))


def waiting(connection: Connection, number: int) -> int:
    """Return how many events of this daemon there are after one."""
    query = select(func.count()).where(events.c.id > number, events.c.home == home_of(connection))
    return connection.execute(query).scalar() or 0


def _told(found: Iterable[Row[Any]]) -> list[DoneEvent]:
    return [
        DoneEvent(
            number=row.id,
            at=from_micros(row.ts),
            node=row.node,
            op=row.op,
            status=row.status,
            session=row.thread,
            agent=row.agent,
            memory=row.memory_id,
            category=row.category,
            similarity=row.sim,
            duration_ms=row.duration_ms,
        )
        for row in found
    ]
