"""Core memory in tables: one row a section, one row a write."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, inspect, select, update

from memoryd.ledger import spent
from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import core_sections, core_writes
from memoryd_actors.core.errors import NoSection, Refused
from memoryd_actors.keeping.core_memory import Change, SectionState, event_of
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.core_memory import SHARED, CoreEdit, CoreWrite, Section

PURGE = "PURGE"
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
    current = next(
        (written for written in sections(connection, owner, thread, section.limit) if _is(written, thread, name)), None
    )
    if _is_done(connection, owner, clean(edit.id), (thread, name, event_of(edit))) and current is not None:
        return current
    spent.refuse_spent(connection, [_spent(owner, clean(edit.id))])
    there = and_(core_sections.c.owner == owner, core_sections.c.thread == thread)
    text = clean(
        change(
            SectionState(
                text=current.text if current else "",
                revision=current.revision if current else 0,
                before=_before(connection, owner, thread, name),
                others=connection.execute(
                    select(func.count()).select_from(core_sections).where(there, core_sections.c.name != name)
                ).scalar_one(),
            )
        )
    )
    revision = (current.revision if current else 0) + 1
    values = {"content": text, "revision": revision, "updated_at": to_micros(now), "updated_by": clean(actor)}
    if current is None:
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
            "before": current.text if current else "",
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


def purge(
    connection: Connection, owner: str, thread: str, name: str, *, purge_id: str, actor: str, now: datetime
) -> None:
    """Destroy a section and what it ever said; that it was purged, when and by whom stays.

    Raises:
        NoSection: nothing was ever written to it.
    """
    owner, thread, purge_id = clean(owner), clean(thread), clean(purge_id)
    mine = _whose(owner, thread, name)
    if _is_done(connection, owner, purge_id, (thread, name, PURGE)):
        return
    there = connection.execute(select(core_writes.c.write_id, core_writes.c.revision).where(*mine)).all()
    if not there:
        raise NoSection(name, thread)
    spent.spend(connection, [_spent(owner, row.write_id) for row in there], now)
    erase(connection, owner, thread, name)
    connection.execute(
        insert(core_writes),
        {
            "owner": owner,
            "thread": thread,
            "name": name,
            "revision": max(row.revision for row in there),
            "event": PURGE,
            "before": "",
            "actor": clean(actor),
            "ts": to_micros(now),
            "write_id": purge_id,
        },
    )


def erase(connection: Connection, owner: str, thread: str, name: str) -> None:
    """Take a section and its history out, also of a backup, which may be from before there were any."""
    if not inspect(connection).has_table(core_sections.name):
        return
    place = (clean(owner), clean(thread), name)
    connection.execute(
        delete(core_sections).where(
            core_sections.c.owner == place[0], core_sections.c.thread == place[1], core_sections.c.name == name
        )
    )
    connection.execute(delete(core_writes).where(*_whose(*place)))


def _is_done(connection: Connection, owner: str, write_id: str, what: tuple[str, str, str]) -> bool:
    """Return whether this write was done before: thread, section and event.

    Raises:
        Refused: another write was done under its id.
    """
    of_request = core_writes.c.owner == owner, core_writes.c.write_id == write_id
    query = select(core_writes.c.thread, core_writes.c.name, core_writes.c.event).where(*of_request)
    done = connection.execute(query).first()
    if done is not None and tuple(done) != what:
        raise Refused(f"the id {write_id!r} was used for another write", "Draw a new id for each write.")
    return done is not None


def _whose(owner: str, thread: str, name: str) -> tuple[ColumnElement[bool], ...]:
    return core_writes.c.owner == owner, core_writes.c.thread == thread, core_writes.c.name == name


def _spent(owner: str, write_id: str) -> str:
    return f"core\n{owner}\n{write_id}"


def _before(connection: Connection, owner: str, thread: str, name: str) -> str | None:
    last = next(iter(writes(connection, owner, thread, name, 1)), None)
    return None if last is None or last.event == PURGE else last.before


def _is(section: Section, thread: str, name: str) -> bool:
    return section.thread == thread and section.name == name
