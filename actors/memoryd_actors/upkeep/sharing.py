"""One ledger for several daemons: what each has to hear of the others, and which one of them works in the background.

The ledger orders all writes, whoever's they are; what rests there needs nothing of this. It is for what a daemon keeps
beside it: its index, the switches that it knows by heart, and work that is to be done once, not once by each.
"""

import logging
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

import anyio
import msgspec

from memoryd_actors.access.switch import Switches
from memoryd_actors.core.errors import Refused
from memoryd_actors.indexing.indexer import Indexer
from memoryd_actors.indexing.message_indexer import MessageIndexer

log = logging.getLogger(__name__)


class Notice(StrEnum):
    """What another daemon may have done to the ledger."""

    CHANGED = "changed"
    """Memories were written."""
    PURGED = "purged"
    """Memories were destroyed: their bytes have to go from every index."""
    SAID = "said"
    """Something was said, or what was said was destroyed."""
    SWITCHED = "switched"
    """Memory was turned on or off somewhere."""
    ANYTHING = "anything"
    """Nobody listened for a while, from the first moment on: any of it."""


class LedgerNews(msgspec.Struct, frozen=True):
    """A piece of news."""

    notice: Notice
    sequence: int = 0
    """Of the newest change, where that is known."""


class Sharing(Protocol):
    """How this daemon stands with the others on its ledger."""

    @property
    def shared(self) -> bool:
        """Whether there may be others."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this daemon is the one that works in the background."""
        ...

    async def follow(self, hear: Callable[[LedgerNews], None]) -> None:
        """Hear what the others write, until cancelled. What this daemon writes itself is not told."""
        ...

    async def lead(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` for as long as this daemon is the one that does; return when `work` does.

        It is cancelled when that ends, and begun again when this daemon's turn comes again.
        """
        ...


class Alone:
    """The ledger is this daemon's own."""

    shared = False
    leads = True

    async def follow(self, hear: Callable[[LedgerNews], None]) -> None:
        """Return: there is nobody to hear of."""

    async def lead(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work`."""
        await work()


class Follower:
    """Brings what this daemon keeps beside the ledger up to what the others wrote; `run` it in a task group."""

    def __init__(self, sharing: Sharing, indexer: Indexer, messages: MessageIndexer, switches: Switches) -> None:
        self._sharing = sharing
        self._messages = messages
        self._indexer = indexer
        self._switches = switches

    async def run(self) -> None:
        """Follow until cancelled; return where there is nobody to follow."""
        async with anyio.create_task_group() as tasks:

            def hear(news: LedgerNews) -> None:
                if news.notice in {Notice.CHANGED, Notice.PURGED, Notice.ANYTHING}:
                    self._indexer.kick(news.sequence)
                if news.notice is Notice.PURGED:
                    self._indexer.begin_purge()
                if news.notice in {Notice.SAID, Notice.ANYTHING}:
                    self._messages.kick()
                if news.notice in {Notice.SWITCHED, Notice.ANYTHING}:
                    tasks.start_soon(self._look_at_switches)

            await self._sharing.follow(hear)

    async def _look_at_switches(self) -> None:
        try:
            await self._switches.load()
        except Refused as refused:
            # The ledger went away again: it is looked at when it is back.
            log.warning("where memory is off is not known anew: %s", refused)
