"""Proposals that wait for consent; see `memoryd_actors.ports.ledger.ConsentRepository`."""

from memoryd.ledger import consenting
from memoryd.ledger.database import Database
from memoryd_actors.memory.visibility import Visibility
from memoryd_client.wire.consent import Consent


class SqlConsents:
    """Knows which proposals wait, and which have lapsed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, visible: Visibility, *, limit: int) -> list[Consent]:
        return await self._database.read(consenting.waiting, visible, self._database.clock.now(), limit)

    async def lapsed(self, owner: str, *, limit: int) -> list[str]:
        return await self._database.read(consenting.lapsed, owner, self._database.clock.now(), limit)
