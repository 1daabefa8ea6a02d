"""How far jobs have come with sessions."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, insert, select, update

from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import progress
from memoryd_actors.characters import clean
from memoryd_actors.progress import Progress


def get(connection: Connection, owner: str, session: str, job: str) -> Progress | None:
    """Return how far a job is with a session; None where it has not begun."""
    row = connection.execute(select(progress).where(_one(owner, session, job))).mappings().first()
    return None if row is None else _read(row)


def of(connection: Connection, job: str) -> list[Progress]:
    """Return how far a job is with every session that it has begun with."""
    return [_read(row) for row in connection.execute(select(progress).where(progress.c.job == clean(job))).mappings()]


def put(connection: Connection, given: Progress, now: datetime) -> None:
    """Put down how far a job is."""
    row = {"sequence": given.sequence, "detail": clean(given.detail), "at": to_micros(given.at or now)}
    here = _one(given.owner, given.session, given.job)
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(update(progress).where(here).values(**row)).rowcount == 0:
        key = {"owner": clean(given.owner), "session": clean(given.session), "job": clean(given.job)}
        connection.execute(insert(progress), key | row)


def forget(connection: Connection, owner: str, session: str) -> int:
    """Delete what every job knows of a session."""
    of_session = (progress.c.owner == clean(owner)) & (progress.c.session == clean(session))
    return connection.execute(delete(progress).where(of_session)).rowcount


def _one(owner: str, session: str, job: str) -> ColumnElement[bool]:
    return (progress.c.owner == clean(owner)) & (progress.c.session == clean(session)) & (progress.c.job == clean(job))


def _read(row: RowMapping) -> Progress:
    return Progress(
        owner=row["owner"],
        session=row["session"],
        job=row["job"],
        sequence=row["sequence"],
        detail=row["detail"],
        at=from_micros(row["at"]),
    )
