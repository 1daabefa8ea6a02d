"""What happened to a memory since it was noted what its file says: a crash may have kept that from being noted."""

from msgspec import structs

from memoryd.mirror.state import FileRow, MirrorSettings
from memoryd.mirror.writing import SHOWN
from memoryd_actors.memory.settings import FILE, PATH
from memoryd_actors.mirroring.decision import MemorySide
from memoryd_actors.mirroring.document import MemoryNote, says_the_same
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_actors.purging.answering import PURGED
from memoryd_actors.virtual_files.files import title_of
from memoryd_client.wire.history import HistoryEntry
from memoryd_client.wire.memory import Memory

MOST_WRITES = 50
"""How many writes to a memory are looked through where it is not noted what its file said last."""
LINKS = frozenset({"LINK", "UNLINK"})
"""Writes that leave a memory's revision as it is."""


class SinceNoted:
    """Compares a memory with what is noted of its file."""

    def __init__(self, settings: MirrorSettings, memories: MemoryRepository) -> None:
        self._settings = settings
        self._memories = memories

    async def memory_side(self, row: FileRow | None, memory: Memory | None, memory_id: str) -> MemorySide:
        """Return what happened to a memory since its file said the same."""
        if memory is None:
            newest = await self._memories.history(self._settings.owner, memory_id=memory_id, limit=1)
            return "purged" if newest and newest[0].event == PURGED else "unknown"
        if memory.state not in SHOWN:
            # A file that is there, of a memory that had none any more, was put there to bring it back.
            return "gone" if row is not None else "unchanged"
        # What its own file brought, before a crash kept that from being noted, is no change of anybody else's.
        writes = await self._writes(row, memory)
        return "unchanged" if all(entry.actor == self._settings.name for entry in writes) else "changed"

    async def was_written(self, note: MemoryNote, memory: Memory, row: FileRow | None) -> bool:
        """Return whether a file says what its memory said since: the mirror wrote it, and a crash kept that unnoted."""
        said = {entry.new for entry in await self._writes(row, memory) if entry.new}
        return any(says_the_same(note, _as_it_was(memory, content)) for content in said)

    async def _writes(self, row: FileRow | None, memory: Memory) -> list[HistoryEntry]:
        """Return what was written to a memory since its file was noted, or ever, newest first."""
        noted = row.revision if row is not None else 0
        if noted == memory.revision:
            return []
        since = max(1, memory.revision - noted)  # a ledger that was put back is behind its files
        writes = await self._memories.history(self._settings.owner, memory_id=memory.id, limit=MOST_WRITES)
        return [entry for entry in writes if entry.event not in LINKS][:since]


def _as_it_was(memory: Memory, content: str) -> Memory:
    """Return a memory with an earlier content; the title of a memory file changes along with what it says."""
    if memory.category != FILE:
        return structs.replace(memory, content=content)
    return structs.replace(memory, content=content, title=title_of(content, memory.metadata.get(PATH, "")))
