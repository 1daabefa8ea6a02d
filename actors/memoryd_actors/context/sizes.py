"""How large the entries of each conversation are: counted once, when they are first looked at, and kept in memory."""

from collections import OrderedDict

import anyio
import msgspec

from memoryd_actors.context.counting import PER_MESSAGE, Counting
from memoryd_actors.context.window import Conversation, WindowItem
from memoryd_actors.ports.transcripts import Key, Transcripts
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

MOST_ENTRIES = 60_000
"""Of all conversations in memory together: 12 MB."""
MOST_SESSIONS = 256
"""Conversations in memory, as those that are over are asked for no more; 2 KB each beside their entries."""
BATCH = 500
BATCH_CHARACTERS = 400_000


class Measured(msgspec.Struct):
    """A conversation since its last compaction."""

    info: SessionInfo | None
    """None where nothing was said."""
    said: Conversation
    exact: bool = True
    """Whether everything was counted; else some of it is estimated."""


class _Known:
    """What memory holds of one session."""

    def __init__(self) -> None:
        self.lock = anyio.Lock(fast_acquire=True)
        self.said = Conversation()
        self.read = 0
        """The newest entry that was looked at."""
        self.summarized = 0
        self.held = 0
        """Entries that are counted as held."""


class Sizes:
    """Measures conversations."""

    def __init__(self, transcripts: Transcripts, counting: Counting) -> None:
        self._transcripts = transcripts
        self._counting = counting
        self._known: OrderedDict[Key, _Known] = OrderedDict()
        self._held = 0
        """Entries of all of them together, as of their last use."""

    async def of(self, key: Key) -> Measured:
        """Return the conversation as it is now, everything acknowledged included."""
        known = self._known.setdefault(key, _Known())
        self._known.move_to_end(key)
        async with known.lock:
            info = await self._transcripts.info(key)
            if info is None:
                self.forget(key)
                return Measured(None, Conversation())
            measured = await self._brought_up(known, key, info)
            if self._known.get(key) is known:
                self._held += len(known.said) - known.held
                known.held = len(known.said)
        self._let_go()
        return measured

    async def tokens_of(self, text: str) -> int:
        """Return the tokens of a text; estimated where there is no tokeniser."""
        return (await self._counting.count([text])).tokens[0]

    def forget(self, key: Key) -> None:
        """Look at a session anew: it was purged."""
        known = self._known.pop(key, None)
        self._held -= known.held if known else 0

    async def _brought_up(self, known: _Known, key: Key, info: SessionInfo) -> Measured:
        if info.last < known.read:
            known.said, known.read, known.summarized = Conversation(), 0, 0
        if info.summarized > known.summarized:
            known.said = known.said.without(info.summarized)
            known.summarized = info.summarized
            known.read = max(known.read, info.summarized)
        said, read = known.said, known.read
        exact = True
        while read < info.last and (
            records := await self._transcripts.read(key, after=read, limit=BATCH, characters=BATCH_CHARACTERS)
        ):
            items, counted = await self._items(records)
            if exact and not counted:
                # Estimates are for now, and thrown away.
                exact, said = False, Conversation(item for piece in said.pieces() for item in piece.items)
            for item in items:
                said.add(item)
            read = records[-1].sequence
            if exact:
                known.said, known.read = said, read
        return Measured(info, said, exact)

    async def _items(self, records: list[TranscriptRecord]) -> tuple[list[WindowItem], bool]:
        said = [record for record in records if not record.covers]
        counts = await self._counting.count([shown(record) for record in said])
        items = [
            WindowItem(one.sequence, one.kind, one.role, tokens + PER_MESSAGE, one.call_id)
            for one, tokens in zip(said, counts.tokens, strict=True)
        ]
        return items, counts.exact

    def _let_go(self) -> None:
        while (self._held > MOST_ENTRIES and len(self._known) > 1) or len(self._known) > MOST_SESSIONS:
            _, oldest = self._known.popitem(last=False)
            self._held -= oldest.held


def shown(record: TranscriptRecord) -> str:
    """Return an entry as text, as it counts: with who spoke, or which tool."""
    return f"{record.name} {record.content}" if record.name else record.content
