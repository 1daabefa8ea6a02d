"""Several daemons on one PostgreSQL ledger: what one writes, the others hear; one works in the background.

News go out with NOTIFY in the very transaction that they are about: they arrive when it is committed, or never. Who
works in the background holds an advisory lock; the server takes it back from whoever dies.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
from sqlalchemy import URL, ColumnElement, Connection, func, select

from memoryd_actors.upkeep.sharing import Alone, LedgerNews, Notice, Sharing

if TYPE_CHECKING:
    from psycopg import AsyncConnection

log = logging.getLogger(__name__)

NODE = "memoryd_node"
"""Execution option of the connection that writes: which daemon's it is."""
_CHANNEL = "memoryd"
LEADER = 0x6D656D6F727A
"""Key of the advisory lock of the daemon that works in the background."""
_ALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_FIRST_RETRY_S = 1.0
_LAST_RETRY_S = 30.0


def tell(connection: Connection, notice: Notice, sequence: int = 0) -> None:
    """Tell the other daemons, if and when this transaction is committed."""
    if told := telling(connection, notice, sequence):
        connection.execute(select(*told))


def telling(connection: Connection, notice: Notice, sequence: int) -> list[ColumnElement[Any]]:
    """Return what a statement has to select or return in order to tell; nothing where there are no others."""
    node = cast(str, connection.get_execution_options().get(NODE, ""))
    return [func.pg_notify(_CHANNEL, f"{node} {notice.value} {sequence}")] if node else []


def sharing(url: URL, node: str) -> Sharing:
    """Return how a daemon stands with the others on the ledger at `url`; `node` is what it signs its news with."""
    return PostgresSharing(url, node) if url.get_backend_name() == "postgresql" else Alone()


class PostgresSharing:
    """See `memoryd_actors.upkeep.sharing.Sharing`. One connection listens, another one holds or awaits the lock."""

    shared = True

    def __init__(self, url: URL, node: str) -> None:
        self._url = url
        self._node = node
        self._leads = False

    @property
    def leads(self) -> bool:
        return self._leads

    async def follow(self, hear: Callable[[LedgerNews], None]) -> None:

        async def listen(connection: "AsyncConnection") -> None:
            await connection.execute(f"LISTEN {_CHANNEL}")
            hear(LedgerNews(Notice.ANYTHING))
            async for notification in connection.notifies():
                if (news := self._read(notification.payload)) is not None:
                    hear(news)

        await self._keep(listen, "does not hear of other daemons")

    async def lead(self, work: Callable[[], Awaitable[None]]) -> None:
        done = False

        async def take_turn(connection: "AsyncConnection") -> None:
            nonlocal done
            await connection.execute("SELECT pg_advisory_lock(%s)", [LEADER])
            self._leads = True
            log.info("this daemon works in the background")
            try:
                async with anyio.create_task_group() as tasks:

                    async def finish() -> None:
                        nonlocal done
                        await work()
                        done = True
                        tasks.cancel_scope.cancel()

                    tasks.start_soon(finish)
                    async for _ in connection.notifies():  # nothing comes: it ends with the connection
                        pass
                    tasks.cancel_scope.cancel()
            finally:
                self._leads = False

        await self._keep(take_turn, "does not work in the background", until=lambda: done)

    def _read(self, payload: str) -> LedgerNews | None:
        try:
            node, news, sequence = payload.split(" ")
            return None if node == self._node else LedgerNews(Notice(news), int(sequence))
        except ValueError:
            # A newer memoryd has more to tell: then all that is known is that something happened.
            return LedgerNews(Notice.ANYTHING)

    async def _keep(
        self,
        use: Callable[["AsyncConnection"], Awaitable[None]],
        without: str,
        *,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        """Use a connection of its own, and another one whenever that is lost."""
        from psycopg import Error

        wait_s = _FIRST_RETRY_S
        while not until():
            try:
                async with self._connected() as connection:
                    wait_s = _FIRST_RETRY_S
                    await use(connection)
            except* Error as lost:
                log.warning("while the ledger is not reachable, this daemon %s: %s", without, lost.exceptions[0])
            if not until():
                await anyio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LAST_RETRY_S)

    @asynccontextmanager
    async def _connected(self) -> "AsyncGenerator[AsyncConnection]":
        from psycopg import AsyncConnection

        parameters: dict[str, Any] = {**_ALIVE, **self._url.get_dialect()().create_connect_args(self._url)[1]}
        connection = await AsyncConnection.connect(**parameters, autocommit=True)
        try:
            # So that the server, too, notices within a minute when a machine is gone.
            for setting, value in _ALIVE.items():
                await connection.execute("SELECT set_config(%s, %s, false)", [f"tcp_{setting}", str(value)])
            yield connection
        finally:
            with anyio.CancelScope(shield=True):
                await connection.close()
