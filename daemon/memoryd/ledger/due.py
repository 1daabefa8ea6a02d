"""Which memories something is due to: they are over, nobody used them, or nobody compared them yet."""

from datetime import datetime

from sqlalchemy import Connection, and_, exists, or_, select

from memoryd.ledger.conditions import owned_by
from memoryd.ledger.rows import memory_of, to_micros
from memoryd.ledger.tables import IS_ACTIVE, history, memories
from memoryd_client.wire.memory import Memory, State


def expired(connection: Connection, at: datetime, limit: int) -> list[Memory]:
    """Return active memories that are over by then, of whoever, and that nobody wrote to since: restored ones stay."""
    over = and_(memories.c.expires_at <= to_micros(at), memories.c.updated_at < memories.c.expires_at)
    query = select(memories).where(over, IS_ACTIVE).order_by(memories.c.expires_at).limit(limit)
    return [memory_of(row) for row in connection.execute(query).mappings()]


def uncompared(connection: Connection, limit: int) -> list[Memory]:
    """Return active memories whose neighbours nobody has looked at yet, oldest first."""
    query = select(memories).where(~memories.c.compared, IS_ACTIVE).order_by(memories.c.number).limit(limit)
    return [memory_of(row) for row in connection.execute(query).mappings()]


def unused(connection: Connection, owner: str, since: datetime, after: int, limit: int) -> list[tuple[int, Memory]]:
    """Return an owner's active memories, not pinned, that nobody used since, in the order of their numbers.

    What was written lately is not among them, however old it says it is: an import brings old memories in. Being
    compared with another one, and linked to it or not, is no use.
    """
    before = to_micros(since)
    linked = history.c.event.in_(("LINK", "UNLINK"))
    written = exists().where(history.c.memory_id == memories.c.id, history.c.ts >= before, ~linked)
    query = (
        select(memories)
        .where(
            memories.c.number > after,
            owned_by(owner),
            memories.c.state == State.ACTIVE.value,
            ~memories.c.pinned,
            memories.c.updated_at < before,
            or_(memories.c.last_accessed_at.is_(None), memories.c.last_accessed_at < before),
            ~written,
        )
        .order_by(memories.c.number)
        .limit(limit)
    )
    return [(row["number"], memory_of(row)) for row in connection.execute(query).mappings()]
