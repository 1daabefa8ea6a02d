"""Transcripts in the ledger; see `memoryd_actors.ports.transcripts.Transcripts`."""

from collections.abc import Sequence

from memoryd.ledger import transcribing
from memoryd.ledger.database import Database
from memoryd_actors.ports.transcripts import Kept, Key, Stored, TranscriptNews
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord


class SqlTranscripts:
    """Keeps what was said where every daemon on the ledger has it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(
        self, key: Key, entries: Sequence[Kept], *, project: str, agent: str, after: int | None = None
    ) -> Stored:
        return await self._database.write(transcribing.append, key, entries, project=project, agent=agent, after=after)

    async def read(self, key: Key, *, after: int, limit: int, characters: int) -> list[TranscriptRecord]:
        return await self._database.read(transcribing.read, key, after=after, limit=limit, characters=characters)

    async def get(self, key: Key, sequences: Sequence[int]) -> dict[int, TranscriptRecord]:
        return await self._database.read(transcribing.get, key, sequences)

    async def last(self, key: Key) -> int:
        return await self._database.read(transcribing.last, key)

    async def info(self, key: Key) -> SessionInfo | None:
        return (await self._database.read(transcribing.find, key)).about.info()

    async def sessions(self, owner: str, *, limit: int, offset: int) -> list[SessionInfo]:
        known = await self._database.read(transcribing.listed, owner, limit, offset)
        return [info for info in (about.info() for about in known) if info is not None]

    async def infos(self) -> dict[Key, SessionInfo]:
        known = await self._database.read(transcribing.everything)
        return {found.key: info for found in known if (info := found.about.info()) is not None}

    async def heads(self) -> dict[Key, int]:
        return await self._database.read(transcribing.heads)

    async def news(self, after: int) -> TranscriptNews:
        return await self._database.read(transcribing.news, after)

    async def erase(self, key: Key, sequences: Sequence[int]) -> int:
        return await self._database.write(transcribing.erase, key, sequences)

    async def purge(self, key: Key) -> int:
        return await self._database.write(transcribing.purge, key)
