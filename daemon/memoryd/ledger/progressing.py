"""How far jobs have come with sessions.

Transcripts are each home's own. Where several homes share a ledger, each has its own rows: the name of a job is
followed by that of its home. What is noted of no session, but of an owner, is one for all of them.
"""

from datetime import datetime
from typing import cast

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, insert, select, update

from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import progress
from memoryd_actors.memory.progress import Progress
from memoryd_actors.texts.characters import clean

HOME = "memoryd_home"
"""Execution option of a connection: the name of the home, where several share a ledger."""


def home_of(connection: Connection) -> str:
    """Return the name of the home that a connection is of; empty where the ledger is not shared."""
    return cast(str, connection.get_execution_options().get(HOME, ""))


def get(connection: Connection, owner: str, session: str, job: str) -> Progress | None:
    """Return how far a job is with a session; None where it has not begun."""
    here = _one(owner, session, _name(connection, session, job))
    row = connection.execute(select(progress).where(here)).mappings().first()
    return None if row is None else _read(row, job)


def of(connection: Connection, job: str) -> list[Progress]:
    """Return how far a job is with every session that it has begun with."""
    query = select(progress).where(progress.c.job == _name(connection, "every", job))
    return [_read(row, job) for row in connection.execute(query).mappings()]


def put(connection: Connection, given: Progress, now: datetime) -> None:
    """Put down how far a job is."""
    row = {"sequence": given.sequence, "detail": clean(given.detail), "at": to_micros(given.at or now)}
    job = _name(connection, given.session, given.job)
    here = _one(given.owner, given.session, job)
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(update(progress).where(here).values(**row)).rowcount == 0:
        key = {"owner": clean(given.owner), "session": clean(given.session), "job": job}
        connection.execute(insert(progress), key | row)


def drop(connection: Connection, one: Progress) -> None:
    """Delete how far one job is with a session."""
    here = _one(one.owner, one.session, _name(connection, one.session, one.job))
    connection.execute(delete(progress).where(here))


def forget(connection: Connection, owner: str, session: str) -> int:
    """Delete what every job of this home knows of a session."""
    of_session = (progress.c.owner == clean(owner)) & (progress.c.session == clean(session))
    of_session &= progress.c.job.endswith(_name(connection, session, ""), autoescape=True)
    return connection.execute(delete(progress).where(of_session)).rowcount


def _one(owner: str, session: str, job: str) -> ColumnElement[bool]:
    return (progress.c.owner == clean(owner)) & (progress.c.session == clean(session)) & (progress.c.job == job)


def _name(connection: Connection, session: str, job: str) -> str:
    """Return the name under which the progress of a job is kept."""
    home = home_of(connection)
    return clean(f"{job}@{home}" if home and session else job)


def _read(row: RowMapping, job: str) -> Progress:
    return Progress(
        owner=row["owner"],
        session=row["session"],
        job=job,
        sequence=row["sequence"],
        detail=row["detail"],
        at=from_micros(row["at"]),
    )
