"""A connection to LanceDB with caches that are bounded, and that hold nothing of versions that are gone."""

from typing import TYPE_CHECKING

import msgspec
from anyio import to_thread

from memoryd.heap import trim
from memoryd.index.importing import import_lancedb

if TYPE_CHECKING:
    from lancedb import AsyncConnection, Session

_INDEX_CACHE_BYTES = 256 * 1024 * 1024
_METADATA_CACHE_BYTES = 64 * 1024 * 1024
"""LanceDB's own limits are 6 GiB and 1 GiB: a daemon on somebody's laptop must not grow into them."""


class Connected(msgspec.Struct, frozen=True):
    """A connection, and the session that its caches belong to.

    They are keyed by files and versions, and upkeep replaces both: nobody asks again for what was cached before, and
    nothing drops it until the caches are full. Of 20,000 messages written by 20 the session held 23 MB in 11,700
    entries, where 89 entries of 2 MB were in use. So upkeep ends with a new connection, whose caches are empty.
    """

    database: "AsyncConnection"
    session: "Session"
    url: str
    share: float

    @property
    def cached_bytes(self) -> int:
        """What the caches hold, as LanceDB estimates it; the process needs about half as much again."""
        return self.session.size_bytes

    async def anew(self) -> "Connected":
        """Connect once more, with empty caches. This one stays open for whoever still reads through it."""
        return await connect(self.url, share=self.share)

    def close(self) -> None:
        """Release files."""
        self.database.close()  # type: ignore[no-untyped-call]  # LanceDB left it so


async def connect(url: str, *, share: float = 1.0) -> Connected:
    """Connect with bounded caches, a `share` of the usual ones.

    The first import of lancedb takes about half a second: a thread does it.
    """
    await to_thread.run_sync(import_lancedb)
    import lancedb

    session = lancedb.Session(
        index_cache_size_bytes=int(share * _INDEX_CACHE_BYTES),
        metadata_cache_size_bytes=int(share * _METADATA_CACHE_BYTES),
    )
    return Connected(await lancedb.connect_async(url, session=session), session, url, share)


async def hand_back() -> None:
    """Return to the system what upkeep needed, after the last reference to the connection before it is gone.

    Compaction reads and writes in large pieces, which glibc keeps otherwise.
    """
    await to_thread.run_sync(trim)
