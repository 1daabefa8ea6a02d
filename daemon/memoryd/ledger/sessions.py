"""What sessions were shown, and why: their saved states and their decision traces."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from memoryd.ledger import writes
from memoryd.ledger.database import Database
from memoryd.ledger.rows import to_micros
from memoryd.ledger.tables import sessions, traces
from memoryd_actors.ports.ledger import SavedSession
from memoryd_actors.texts.characters import clean
from memoryd_client.wire.traces import Trace

KEPT_TRACES = 50
"""Per session."""
_decode_trace = msgspec.msgpack.Decoder(Trace).decode


class SqlSessions:
    """Saved states and decision traces; see `memoryd_actors.ports.ledger.SessionRepository`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owner: str, session: str, *, known: int = 0) -> SavedSession | None:
        return await self._database.read(_state, owner, session, known)

    async def save(
        self,
        owner: str,
        session: str,
        state: bytes,
        at: datetime,
        *,
        version: int | None = None,
        used: Sequence[str] = (),
        traces: Sequence[Trace] = (),
    ) -> int | None:
        def work(connection: Connection) -> int | None:
            saved = _save(connection, owner, session, state, at, version=version)
            if saved is not None:
                writes.touch(connection, owner, used, at)
                for trace in traces:
                    _add_trace(connection, owner, session, _encode_trace(trace))
            return saved

        return await self._database.write(work)

    async def traces(self, owner: str, session: str, *, limit: int) -> list[Trace]:
        return await self._database.read(_traces, owner, session, limit)


def _state(connection: Connection, owner: str, session: str, known: int) -> SavedSession | None:
    """Return a session's saved state; None where there is none but that of the version `known`."""
    query = select(sessions.c.state, sessions.c.updated_at).where(
        sessions.c.owner == clean(owner), sessions.c.session == clean(session), sessions.c.updated_at != known
    )
    row = connection.execute(query).first()
    return None if row is None else SavedSession(row.state, row.updated_at)


def _save(
    connection: Connection, owner: str, session: str, state: bytes, at: datetime, *, version: int | None
) -> int | None:
    """Save a session's state and return its version; None, and nothing saved, where it is no longer at `version`.

    The version is the moment of the save, a microsecond more where the clock did not move on.
    """
    here = (sessions.c.owner == clean(owner)) & (sessions.c.session == clean(session))
    # The writer is alone: nobody can write between the two statements.
    there = connection.execute(select(sessions.c.updated_at).where(here)).scalar()
    if there is None:
        row = {"owner": clean(owner), "session": clean(session), "state": state, "updated_at": to_micros(at)}
        connection.execute(insert(sessions), row)
        return to_micros(at)
    if version is not None and there != version:
        return None
    saved = to_micros(at) if version is None else max(to_micros(at), there + 1)
    connection.execute(update(sessions).where(here).values(state=state, updated_at=saved))
    return saved


def _add_trace(connection: Connection, owner: str, session: str, body: bytes) -> None:
    """Keep a trace and drop the session's oldest beyond the limit."""
    key = {"owner": clean(owner), "session": clean(session)}
    connection.execute(insert(traces), {**key, "body": body})
    same = (traces.c.owner == key["owner"]) & (traces.c.session == key["session"])
    oldest = (
        select(traces.c.id).where(same).order_by(traces.c.id.desc()).offset(KEPT_TRACES - 1).limit(1).scalar_subquery()
    )
    connection.execute(delete(traces).where(same, traces.c.id < oldest))


def _traces(connection: Connection, owner: str, session: str, limit: int) -> list[Trace]:
    """Return traces, newest first; of all the owner's sessions where `session` is empty."""
    query = select(traces.c.body).where(traces.c.owner == clean(owner))
    if session:
        query = query.where(traces.c.session == clean(session))
    query = query.order_by(traces.c.id.desc()).limit(limit)
    return [_decode_trace(body) for body in connection.execute(query).scalars()]


def _encode_trace(trace: Trace) -> bytes:
    """Return the trace as bytes, whatever its texts hold."""
    try:
        return msgspec.msgpack.encode(trace)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_cleaned(msgspec.to_builtins(trace)))


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value
