"""What transcripts still hold of memories that are purged, and taking it out of them."""

from collections.abc import Iterable, Mapping, Sequence

from memoryd_actors.conversations.scribe import Scribe
from memoryd_actors.conversations.transcripts import Key, Transcripts
from memoryd_actors.indexing.message_indexer import MessageIndexer
from memoryd_actors.summarising.retold import Telling
from memoryd_client.memory import Memory

_PAGE = 1_000
_PAGE_CHARACTERS = 4_000_000

Places = Mapping[Key, Sequence[int]]


class TranscriptPurger:
    """Looks through the sessions that memories come from."""

    def __init__(self, transcripts: Transcripts, scribe: Scribe, indexer: MessageIndexer) -> None:
        self._transcripts = transcripts
        self._scribe = scribe
        self._indexer = indexer

    async def places(self, memories: Iterable[Memory]) -> Places:
        """Return the entries that tell what these memories say: those they rest on, and those in the same words."""
        wanted: dict[Key, list[Memory]] = {}
        for memory in memories:
            for session in dict.fromkeys((memory.session, *memory.sources)):
                if session:
                    wanted.setdefault((memory.owner, session), []).append(memory)
        found = {key: await self._in(key, some) for key, some in wanted.items()}
        return {key: numbers for key, numbers in found.items() if numbers}

    async def erase(self, places: Places, *, deadline_s: float) -> int:
        """Take the words of these entries out of transcripts, their index and their copies; return how many."""
        return sum(
            [
                await self._scribe.erase(key, tuple(numbers), self._indexer.forget, deadline_s=deadline_s)
                for key, numbers in places.items()
            ]
        )

    async def _in(self, key: Key, memories: Sequence[Memory]) -> list[int]:
        telling = Telling(one.content for one in memories)
        rested = [one.source_messages for one in memories if one.source_messages and one.session == key[1]]
        numbers: list[int] = []
        after = 0
        while entries := await self._transcripts.read(key, after=after, limit=_PAGE, characters=_PAGE_CHARACTERS):
            numbers += (
                one.sequence
                for one in entries
                if one.content
                and (any(first <= one.sequence <= last for first, last in rested) or telling.within(one.content))
            )
            after = entries[-1].sequence
        return numbers
