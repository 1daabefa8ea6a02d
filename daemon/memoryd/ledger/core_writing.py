"""Core memory in tables: one row a section, one row a write."""

from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import core_sections, core_writes
from memoryd_actors.characters import clean
from memoryd_actors.core_memory import Change, Standing, event_of
from memoryd_client.core_memory import SHARED, CoreEdit, CoreWrite, Section

KEPT_WRITES = 500
"""Of each section; at 2,000 characters a megabyte at most."""


def sections(connection: Connection, owner: str, thread: str, limit: int) -> list[Section]:
    """Return the written sections that a thread shares, and its own."""
    query = select(core_sections).where(
        core_sections.c.owner == clean(owner), core_sections.c.thread.in_({SHARED, clean(thread)})
    )
    return [
        Section(
            name=row.name,
            thread=row.thread,
            text=row.content,
            revision=row.revision,
            limit=limit,
            updated_at=from_micros(row.updated_at),
            updated_by=row.updated_by,
        )
        for row in connection.execute(query)
    ]


def perform(
    connection: Connection,
    owner: str,
    section: Section,
    edit: CoreEdit,
    change: Change,
    *,
    actor: str,
    now: datetime,
) -> Section:
    """Store what an edit makes of a section as it stands, and what it was before; return it.

    Runs in the one writer, on PostgreSQL under its lock: between reading and writing nobody else writes.
    """
    owner, thread, name = clean(owner), clean(section.thread), section.name
    standing = next((one for one in sections(connection, owner, thread, section.limit) if _is(one, thread, name)), None)
    done = select(core_writes.c.id).where(core_writes.c.owner == owner, core_writes.c.write_id == clean(edit.id))
    if standing is not None and connection.execute(done).first() is not None:
        return standing
    there = and_(core_sections.c.owner == owner, core_sections.c.thread == thread)
    text = clean(
        change(
            Standing(
                text=standing.text if standing else "",
                revision=standing.revision if standing else 0,
                before=_before(connection, owner, thread, name),
                others=connection.execute(
                    select(func.count()).select_from(core_sections).where(there, core_sections.c.name != name)
                ).scalar_one(),
            )
        )
    )
    revision = (standing.revision if standing else 0) + 1
    values = {"content": text, "revision": revision, "updated_at": to_micros(now), "updated_by": clean(actor)}
    if standing is None:
        connection.execute(insert(core_sections), {"owner": owner, "thread": thread, "name": name, **values})
    else:
        connection.execute(update(core_sections).where(there, core_sections.c.name == name).values(**values))
    connection.execute(
        insert(core_writes),
        {
            "owner": owner,
            "thread": thread,
            "name": name,
            "revision": revision,
            "event": event_of(edit),
            "before": standing.text if standing else "",
            "actor": clean(actor),
            "ts": to_micros(now),
            "write_id": clean(edit.id),
        },
    )
    connection.execute(
        delete(core_writes).where(
            core_writes.c.owner == owner,
            core_writes.c.thread == thread,
            core_writes.c.name == name,
            core_writes.c.revision <= revision - KEPT_WRITES,
        )
    )
    return Section(
        name=name,
        thread=thread,
        text=text,
        revision=revision,
        limit=section.limit,
        updated_at=now,
        updated_by=clean(actor),
    )


def writes(connection: Connection, owner: str, thread: str, section: str, limit: int) -> list[CoreWrite]:
    """Return writes to a thread's sections, newest first; to one of them where it is named."""
    query = select(core_writes).where(core_writes.c.owner == clean(owner), core_writes.c.thread == clean(thread))
    if section:
        query = query.where(core_writes.c.name == section)
    query = query.order_by(core_writes.c.id.desc()).limit(limit)
    return [
        CoreWrite(
            name=row.name,
            thread=row.thread,
            revision=row.revision,
            event=row.event,
            at=from_micros(row.ts),
            actor=row.actor,
            before=row.before,
        )
        for row in connection.execute(query)
    ]


def _before(connection: Connection, owner: str, thread: str, name: str) -> str | None:
    last = next(iter(writes(connection, owner, thread, name, 1)), None)
    return None if last is None else last.before


def _is(section: Section, thread: str, name: str) -> bool:
    return section.thread == thread and section.name == name
