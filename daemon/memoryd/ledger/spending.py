"""What was spent on a model, day by day."""

from datetime import timedelta

from sqlalchemy import Connection, insert, select, update

from memoryd.ledger.database import Database
from memoryd.ledger.tables import spending
from memoryd_actors.memory.budget import Spending
from memoryd_client.wire.spending import DaySpending

MOST_TOKENS = 2**53
"""Of a day: whatever was counted, the column holds it."""


class SqlSpending:
    """Spending; see `SpendingRepository` and `SpendingHistory` in `memoryd_actors.model.account`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def spending(self, day: str) -> Spending:
        return await self._database.read(_spent, day)

    async def by_day(self, *, days: int) -> list[DaySpending]:
        since = self._database.clock.now().date() - timedelta(days=days - 1)
        return await self._database.read(_by_day, since.isoformat())

    async def spend(self, spending: Spending) -> None:
        await self._database.write(_spend, spending)


def _spent(connection: Connection, day: str) -> Spending:
    row = connection.execute(select(spending).where(spending.c.day == day)).mappings().first()
    return Spending(day) if row is None else Spending(**row)


def _by_day(connection: Connection, since: str) -> list[DaySpending]:
    query = select(spending).where(spending.c.day >= since).order_by(spending.c.day.desc())
    return [DaySpending(**row) for row in connection.execute(query).mappings()]


def _spend(connection: Connection, more: Spending) -> None:
    there = _spent(connection, more.day)
    row = {
        "calls": there.calls + more.calls,
        "input_tokens": min(there.input_tokens + more.input_tokens, MOST_TOKENS),
        "output_tokens": min(there.output_tokens + more.output_tokens, MOST_TOKENS),
        "cost_usd": there.cost_usd + more.cost_usd,
    }
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(update(spending).where(spending.c.day == more.day).values(**row)).rowcount == 0:
        connection.execute(insert(spending), {"day": more.day, **row})
