"""What changed in memory goes into the files: each memory's file, and no other."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
from msgspec import structs

from memoryd.mirror.folder import BESIDE, ENDING, LARGEST, MirrorFolder, digest
from memoryd.mirror.known import KnownFiles, stem
from memoryd.mirror.places import Places
from memoryd.mirror.state import FileRow, MirrorSettings, MirrorStates
from memoryd.mirror.thread import FolderThread
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.settings import KNOWLEDGE
from memoryd_actors.memory.steps import MERGED_INTO
from memoryd_actors.mirroring.document import NoteUnreadable, parse, render
from memoryd_actors.mirroring.links import GoneNames
from memoryd_actors.mirroring.naming import file_name, folded, free_name
from memoryd_actors.mirroring.taking import FileChange, FileTaker
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory, State

SHOWN = frozenset({State.ACTIVE, State.ARCHIVED})
"""What has a file. One that nobody used for long is out of sight here; what it says is as true for others as before."""
MOST_TELLING = 10_000
"""Purged memories of which is known what may tell them; those that another daemon purged nobody asks for."""


class _Planned(msgspec.Struct, frozen=True):
    """A file that is to be written."""

    memory: Memory
    path: str
    content: bytes
    words: str
    """The digest of what it says without its links."""
    row: FileRow | None


class FileWriter:
    """Writes, moves and removes the files of memories."""

    def __init__(
        self,
        settings: MirrorSettings,
        *,
        folder: MirrorFolder,
        known: KnownFiles,
        places: Places,
        memories: MemoryRepository,
        taker: FileTaker,
        states: MirrorStates,
        thread: FolderThread,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._known = known
        self._places = places
        self._memories = memories
        self._taker = taker
        self._states = states
        self._thread = thread
        self._again: set[str] = set()
        self._new: set[str] = set()
        """Memories whose files came since the last `finish`: what they link to may have come later."""
        self.overtaken = False
        """Whether somebody wrote to a file just before it was to be written."""
        self.waiting: frozenset[str] = frozenset()
        """Files that are not taken into memory until somebody changes them: until then they stay as they are."""
        self.problems: dict[str, str] = {}
        """Files that cannot be written, and why."""
        self.tombstones: dict[str, datetime] = {}
        """Memories that are said to be gone."""
        self.beside: set[str] = set()
        """Files that hold the other version of a conflict."""
        self._telling: dict[str, list[str]] = {}
        """Memories whose files were purged, and which files may tell them still, until somebody asks for that."""

    def is_shown(self, memory: Memory) -> bool:
        """Return whether a memory has a file in this mirror."""
        here = self._settings.project
        return (
            memory.owner == self._settings.owner
            and memory.state in SHOWN
            and memory.category != KNOWLEDGE  # documents are files already
            and (here is None or (bool(memory.project) and memory.project == here))
        )

    def ask_again(self, memory_ids: Iterable[str]) -> None:
        """Have files written once more, although their memories did not change."""
        self._again |= set(memory_ids)

    async def finish(self) -> None:
        """Write what was to be written once more."""
        waiting = sorted(self._again)
        for begin in range(0, len(waiting), 500):
            some = waiting[begin : begin + 500]
            there = await self._memories.get(self._settings.owner, some)
            shown = [memory for memory in there.values() if self.is_shown(memory)]
            self._again -= set(some) - {memory.id for memory in shown}
            await self._write(shown)
        self._new.clear()

    async def write_links(self, memory_ids: Iterable[str]) -> None:
        """Write files whose links somebody changed."""
        here = [one for one in memory_ids if self._known.of(one) is not None]
        there = await self._memories.get(self._settings.owner, here)
        await self._write([memory for memory in there.values() if self.is_shown(memory)], links=True)

    async def write(self, changed: Sequence[tuple[str, Memory | None]]) -> None:
        """Bring the files of memories up to date; None: it was purged."""
        await self.purge([memory_id for memory_id, memory in changed if memory is None])
        shown: list[Memory] = []
        for memory_id, memory in changed:
            if memory is None:
                continue
            if self.is_shown(memory):
                shown.append(memory)
            elif self._known.of(memory_id) is not None:
                await self._remove(memory)
        await self._write(await self._without_buried(shown))

    async def _without_buried(self, shown: Sequence[Memory]) -> list[Memory]:
        """Forget what others say is gone since it was written here last; return what is left."""
        buried = {memory.id: memory for memory in shown if await self._is_buried(memory)}
        if not buried:
            return list(shown)
        caller = Caller(owner=self._settings.owner, agent=self._settings.name)
        changes = [FileChange(one.id, None, one, one.project) for one in buried.values()]
        refused = await self._taker.take(changes, caller)
        return [memory for memory in shown if memory.id not in buried or memory.id in refused]

    async def _is_buried(self, memory: Memory) -> bool:
        """Return whether a tombstone is newer than all that was done to a memory here, be it that it was restored."""
        moment = self.tombstones.get(memory.id)
        if moment is None or self._known.of(memory.id) is not None:
            return False
        newest = await self._memories.history(memory.owner, memory_id=memory.id, limit=1)
        return all(moment >= datetime.fromisoformat(entry.at) for entry in newest)

    async def _write(self, shown: Sequence[Memory], *, links: bool = False) -> None:
        """Write files of whose memories a file shows something else now; with `links`, of whose links, too."""
        memories = [memory for memory in shown if not self._waits(memory.id)]
        self._again |= {memory.id for memory in shown} - {memory.id for memory in memories}
        if not memories:
            return
        planned = await self._plan(memories, links=links)
        done = await self._thread.run(self._write_all, planned)
        renamed: list[str] = []
        new: list[str] = []
        for plan, status in zip(planned, done, strict=True):
            if status is None:
                continue
            if plan.row is None:
                new.append(plan.memory.id)
            elif plan.row.path != plan.path:
                renamed.append(plan.memory.id)
            self._known.put(
                FileRow(
                    path=plan.path,
                    memory_id=plan.memory.id,
                    revision=plan.memory.revision,
                    digest=digest(plan.content),
                    written=plan.words,
                    named=named(plan.memory),
                    modified_ns=status[0],
                    size=status[1],
                    own=plan.row is None or plan.row.own,
                )
            )
        if back := {memory.id for memory in memories} & self.tombstones.keys():
            await self._thread.run(self._folder.unbury, back)
            for one in back:
                del self.tombstones[one]
        await self.relink(renamed)
        await self._link_new(new)

    def _waits(self, memory_id: str) -> bool:
        return (row := self._known.of(memory_id)) is not None and row.path in self.waiting

    async def relink(self, moved: Sequence[str]) -> None:
        """Have files written again that name others which have another name now."""
        here = set(moved)
        for edge in await self._memories.edges(self._settings.owner, moved):
            if edge.to_id in here and (row := self._known.of(edge.from_id)) is not None and row.own:
                self._again.add(edge.from_id)

    async def _link_new(self, new: Sequence[str]) -> None:
        """Have files written again that came with what they link to, and before it."""
        self._new |= set(new)
        here = set(new)
        edges = await self._memories.edges(self._settings.owner, new) if new else ()
        self._again |= {edge.from_id for edge in edges if edge.to_id in here and edge.from_id in self._new - here}

    async def _plan(self, memories: Sequence[Memory], *, links: bool) -> list[_Planned]:
        """Return the files that are to be written, with their paths: first all names, as some link to others."""
        paths: dict[str, str] = {}
        given: set[str] = set()
        for memory in memories:
            paths[memory.id] = await self._path(memory, given)
            given.add(folded(stem(paths[memory.id])))
        linked = await self._links(memories, paths)
        planned: list[_Planned] = []
        for memory in memories:
            row, content = self._known.of(memory.id), render(memory, linked[memory.id]).encode()
            words = digest(render(memory, {}).encode())
            again = memory.id in self._again
            self._again.discard(memory.id)
            if row is not None and row.path == paths[memory.id] and not again:
                # It was taken from the file, or of what a file shows nothing has changed but links that memory found.
                same = row.written in {"", words}
                if same and (not links or row.digest == digest(content)):
                    if (row.written, row.revision) != (words, memory.revision):
                        self._known.put(structs.replace(row, written=words, revision=memory.revision))
                    continue
            planned.append(_Planned(memory, paths[memory.id], content, words, row))
        return planned

    async def _path(self, memory: Memory, given: Collection[str]) -> str:
        """Return where a memory's file belongs: where it is, unless title or category changed here.

        It gets none of the names that are `given` to others at the same time.
        """
        row = self._known.of(memory.id)
        if row is not None and row.named == named(memory):
            return row.path
        folder, new = self._places.folder(memory)
        if new:
            await self._states.name_project(self._settings.folder, new, memory.project)
        wanted = file_name(memory)
        if row is not None:
            title, _, category = row.named.partition("\n")
            if title == memory.title and wanted != stem(row.path):
                wanted = stem(row.path)  # only its category changed
            if category == memory.category:
                folder = row.path.rpartition("/")[0]
            if folded(wanted) == folded(stem(row.path)):
                return f"{folder}/{wanted}{ENDING}" if folder else f"{wanted}{ENDING}"
        name = free_name(wanted, memory.id, lambda name: name in given or self._known.is_taken(name))
        return f"{folder}/{name}{ENDING}" if folder else f"{name}{ENDING}"

    async def _links(self, memories: Sequence[Memory], paths: Mapping[str, str]) -> dict[str, dict[str, list[str]]]:
        """Return of each memory the names of those that it points at, by relation, in an order of their own."""
        found: dict[str, dict[str, list[str]]] = {memory.id: defaultdict(list) for memory in memories}
        for edge in await self._memories.edges(self._settings.owner, list(found)):
            if edge.from_id not in found or edge.relation == MERGED_INTO:
                continue
            row = self._known.of(edge.to_id)
            path = paths.get(edge.to_id) or (row.path if row else "")
            if path and stem(path) not in found[edge.from_id][edge.relation]:
                found[edge.from_id][edge.relation].append(stem(path))
        return {one: {relation: sorted(names) for relation, names in links.items()} for one, links in found.items()}

    def _write_all(self, planned: Sequence[_Planned]) -> list[tuple[int, int] | None]:
        return [self._write_one(plan) for plan in planned]

    def _write_one(self, plan: _Planned) -> tuple[int, int] | None:
        try:
            if plan.row is None:
                status = self._folder.write(plan.path, plan.content, instead_of=None)
            else:
                moved = plan.row.path == plan.path or self._folder.move(plan.row.path, plan.path)
                if not moved and self._folder.status(plan.row.path) is not None:
                    self._again.add(plan.memory.id)
                    self.overtaken = True
                    return None
                # What changed in memory outlasts the deletion of its file; without a change the deletion counts.
                gone = plan.row.revision != plan.memory.revision and self._folder.status(plan.path) is None
                status = self._folder.write(plan.path, plan.content, instead_of=None if gone else plan.row.digest)
        except Refused as refused:
            self.problems[plan.path] = f"{refused}. {refused.hint}"
            return None
        self.problems.pop(plan.path, None)
        if status is None:
            self._again.add(plan.memory.id)
            self.overtaken = True
        return status

    # --- what goes

    async def _remove(self, memory: Memory) -> None:
        """Let the file of a memory go that is forgotten or replaced, and say so where others look."""
        row = self._known.of(memory.id)
        if row is None:
            return
        if not await self._thread.run(self._folder.remove, row.path, as_it_was=row.digest):
            self.overtaken = True
            return
        await self.bury(memory)

    async def bury(self, memory: Memory) -> None:
        """Note that a memory has no file any more, here and for others."""
        if not memory.active and memory.id not in self.tombstones:
            why = f"superseded by {memory.superseded_by}" if memory.superseded_by else memory.state.value
            moment = memory.updated_at.astimezone(UTC)
            await self._thread.run(self._folder.bury, memory.id, moment, why)
            self.tombstones[memory.id] = moment
        self._known.drop(memory.id)

    async def purge(self, memory_ids: Sequence[str]) -> None:
        """Destroy the files of memories, and what lies beside them; what a repository keeps of them is out of reach.

        Files that link to them are written again. Where one is not in memory as it is, the links are cut out of it.
        """
        names = [stem(row.path) for one in memory_ids if (row := self._known.of(one)) is not None]
        gone = [one for one in memory_ids if await self._purge_one(one)]
        telling: list[str] = []
        if names:
            again, telling = await self._thread.run(self._unlink, GoneNames(names))
            self._again |= again
        self._telling |= dict.fromkeys(gone, telling)
        while len(self._telling) > MOST_TELLING:
            del self._telling[next(iter(self._telling))]

    def left_of(self, memory_ids: Sequence[str]) -> list[str] | None:
        """Return which files may still tell memories whose files were purged; None where none of them had a file.

        Each is told once: whoever purges them asks, and the mirror itself may have come first.
        """
        left = [self._telling.pop(one) for one in memory_ids if one in self._telling]
        return sorted({path for paths in left for path in paths}) if left else None

    def _unlink(self, gone: GoneNames) -> tuple[set[str], list[str]]:
        """Return the memories whose files link to what is gone, and files that may tell it and are no memory's."""
        again: set[str] = set()
        left: list[str] = []
        look = self._folder.look()
        for path in (*look.files, *look.beside):
            row = self._known.at(path)
            with suppress(OSError):
                file = self._folder.read(path) or b""
                if row is not None and path not in self.waiting and row.digest == digest(file):
                    if gone.is_linked(file):
                        again.add(row.memory_id)
                elif not self._cut(path, file, gone):
                    left.append(path)
        return again, left

    def _cut(self, path: str, file: bytes, gone: GoneNames) -> bool:
        """Cut links to what is gone out of a file; return whether nothing in it tells that any more."""
        cut = gone.unlinked(file)
        if cut != file:
            if len(file) > LARGEST:  # and not read to its end
                return False
            if self._folder.write(path, cut, instead_of=digest(file)) is None:
                return False
        return not gone.is_told(cut)

    async def _purge_one(self, memory_id: str) -> bool:
        """Destroy the files of a memory; return whether there were any."""
        row = self._known.of(memory_id)
        found = row is not None
        if row is not None:
            await self._thread.run(self._folder.remove, row.path, as_it_was=None)
            self._known.drop(memory_id)
            await self._thread.run(self._folder.bury, memory_id, datetime.now(UTC), "purged")
        for path in sorted(self.beside):
            file = await self._thread.run(self._folder.read, path)
            with suppress(NoteUnreadable):
                own = row is not None and path.rpartition(BESIDE)[0] == row.path.removesuffix(ENDING)
                if file is not None and (parse(file).id or (memory_id if own else "")) == memory_id:
                    await self._thread.run(self._folder.remove, path, as_it_was=None)
                    self.beside.discard(path)
                    found = True
        return found


def named(memory: Memory) -> str:
    """Return what the path of a memory's file is made of."""
    return f"{memory.title}\n{memory.category}"
