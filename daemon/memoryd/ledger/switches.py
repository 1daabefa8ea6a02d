"""Where memory is turned off."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from memoryd.ledger.database import Database
from memoryd.ledger.rows import from_micros, to_micros
from memoryd.ledger.sharing import tell
from memoryd.ledger.tables import switches
from memoryd_actors.texts.characters import clean
from memoryd_actors.upkeep.sharing import Notice
from memoryd_client.wire.switching import SwitchedOff


class SqlSwitches:
    """See `memoryd_actors.access.switch.SwitchRepository`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def switched_off(self) -> list[tuple[str, SwitchedOff]]:
        return await self._database.read(_switched_off)

    async def switch_off(self, owner: str, project: str, *, actor: str, at: datetime) -> None:
        await self._database.write(_switch_off, owner, project, actor, at)

    async def switch_on(self, owner: str, project: str) -> None:
        await self._database.write(_switch_on, owner, project)


def _switched_off(connection: Connection) -> list[tuple[str, SwitchedOff]]:
    rows = connection.execute(select(switches)).mappings()
    return [
        (
            row["owner"],
            SwitchedOff(project=row["project"], since=from_micros(row["off_since"]).isoformat(), actor=row["actor"]),
        )
        for row in rows
    ]


def _switch_off(connection: Connection, owner: str, project: str, actor: str, at: datetime) -> None:
    here = (switches.c.owner == clean(owner)) & (switches.c.project == clean(project))
    # The writer is alone: nobody can insert between the two statements.
    if connection.execute(select(switches.c.off_since).where(here)).first() is None:
        row = {
            "owner": clean(owner),
            "project": clean(project),
            "off_since": to_micros(at),
            "actor": clean(actor),
        }
        connection.execute(insert(switches), row)
    tell(connection, Notice.SWITCHED)


def _switch_on(connection: Connection, owner: str, project: str) -> None:
    connection.execute(delete(switches).where(switches.c.owner == clean(owner), switches.c.project == clean(project)))
    tell(connection, Notice.SWITCHED)
