"""How far jobs have come with sessions."""

from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, RowMapping, delete, insert, select, update

from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.tables import progress
from memoryd_actors.memory.progress import Progress
from memoryd_actors.texts.characters import clean

AT_HOME = "@"
"""Before it a job, behind it a home: of transcripts that stand in files of a home, though its ledger is shared."""


def get(connection: Connection, owner: str, session: str, job: str) -> Progress | None:
    """Return how far a job is with a session; None where it has not begun."""
    row = connection.execute(select(progress).where(_one(owner, session, job))).mappings().first()
    return None if row is None else _read(row)


def of(connection: Connection, job: str) -> list[Progress]:
    """Return how far a job is with every session that it has begun with."""
    query = select(progress).where(progress.c.job == clean(job))
    return [_read(row) for row in connection.execute(query).mappings()]


def put(connection: Connection, given: Progress, now: datetime) -> None:
    """Put down how far a job is."""
    row = {"sequence": given.sequence, "detail": clean(given.detail), "at": to_micros(given.at or now)}
    here = _one(given.owner, given.session, given.job)
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(update(progress).where(here).values(**row)).rowcount == 0:
        key = {"owner": clean(given.owner), "session": clean(given.session), "job": clean(given.job)}
        connection.execute(insert(progress), key | row)


def drop(connection: Connection, one: Progress) -> None:
    """Delete how far one job is with a session."""
    connection.execute(delete(progress).where(_one(one.owner, one.session, one.job)))


def forget(connection: Connection, owner: str, session: str) -> int:
    """Delete what every job knows of a session, but for one that stands in files of another home."""
    of_session = (progress.c.owner == clean(owner)) & (progress.c.session == clean(session))
    of_session &= ~progress.c.job.contains(AT_HOME)
    return connection.execute(delete(progress).where(of_session)).rowcount


def of_home(connection: Connection, home: str) -> list[Progress]:
    """Return how far jobs are with the transcripts in the files of a home; their names are without it."""
    query = select(progress).where(progress.c.job.endswith(AT_HOME + home, autoescape=True))
    found = [_read(row) for row in connection.execute(query).mappings()]
    return [replace(one, job=one.job.removesuffix(AT_HOME + home)) for one in found]


def drop_home(connection: Connection, home: str, owner: str, session: str) -> None:
    """Delete how far jobs are with a session in the files of a home."""
    of_session = (progress.c.owner == clean(owner)) & (progress.c.session == clean(session))
    of_session &= progress.c.job.endswith(AT_HOME + home, autoescape=True)
    connection.execute(delete(progress).where(of_session))


def _one(owner: str, session: str, job: str) -> ColumnElement[bool]:
    of_session = (progress.c.owner == clean(owner)) & (progress.c.session == clean(session))
    return of_session & (progress.c.job == clean(job))


def _read(row: RowMapping) -> Progress:
    return Progress(
        owner=row["owner"],
        session=row["session"],
        job=row["job"],
        sequence=row["sequence"],
        detail=row["detail"],
        at=from_micros(row["at"]),
    )
