"""What changed in the files goes into memory: all that is found at one look, as one operation."""

import hashlib
from collections.abc import Iterable, Sequence
from time import monotonic

import msgspec
from msgspec import structs

from memoryd.mirror.folder import BESIDE, ENDING, LARGEST, Look, MirrorFolder, digest
from memoryd.mirror.known import KnownFiles
from memoryd.mirror.places import Places
from memoryd.mirror.since import SinceNoted
from memoryd.mirror.state import FileRow, MirrorSettings
from memoryd.mirror.thread import FolderThread
from memoryd.mirror.writing import SHOWN, FileWriter, named
from memoryd_actors.core.errors import Refused
from memoryd_actors.mirroring.decision import FileSide, SyncVerdict, decide
from memoryd_actors.mirroring.document import MemoryNote, NoteUnreadable, parse, says_the_same
from memoryd_actors.mirroring.taking import FileChange, FileTaker
from memoryd_actors.ports.ledger import MemoryRepository
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import Memory, State, memory_id_of

GRACE_S = 1.0
"""How long a file has to be gone before its memory is forgotten: editors save by taking a file away and putting another
in its place, and so does git. What else changed meanwhile waits with it, and is one operation."""


class _Found(msgspec.Struct, frozen=True):
    """A file that is not as it was."""

    path: str
    status: tuple[int, int]
    digest: str
    memory_id: str
    note: MemoryNote
    project: str


class FileReader:
    """Finds what changed in a folder, and has it taken."""

    def __init__(
        self,
        settings: MirrorSettings,
        *,
        folder: MirrorFolder,
        known: KnownFiles,
        places: Places,
        memories: MemoryRepository,
        taker: FileTaker,
        writer: FileWriter,
        grace_s: float,
        thread: FolderThread,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._known = known
        self._places = places
        self._memories = memories
        self._taker = taker
        self._writer = writer
        self._grace_s = grace_s
        self._thread = thread
        self._since = SinceNoted(settings, memories)
        self._caller = Caller(owner=settings.owner, agent=settings.name)
        self._missing: dict[str, float] = {}
        self._problems: dict[str, tuple[tuple[int, int], str]] = {}
        self._closed: tuple[str, ...] = ()
        self.emptied = False
        """Whether no file is left of several."""

    @property
    def problems(self) -> dict[str, str]:
        """Files that are not taken, and why."""
        known = self._problems.copy()  # the folder's thread may be adding to it
        closed = dict.fromkeys(self._closed, "this folder cannot be read; nothing in it is taken for deleted")
        return {path: reason for path, (_, reason) in known.items()} | closed | self._writer.problems

    @property
    def beside(self) -> set[str]:
        """Files that hold the other version of a conflict."""
        return self._writer.beside

    async def take(self) -> float:
        """Take what changed in the folder into memory.

        Return after how many seconds to look again, where files are missing that may be back in a moment; nothing is
        taken then. 0: all is taken.
        """
        self.emptied = False
        look: Look = await self._thread.run(self._folder.look)
        self._writer.tombstones = await self._thread.run(self._folder.tombstones)
        self._writer.beside = set(look.beside)
        self._problems = {path: known for path, known in self._problems.items() if look.files.get(path) == known[0]}
        if any(row.path not in look.files for row in self._known):
            self._problems.clear()  # what stood in the way of a file may have been another one
        fresh = [path for path, status in look.files.items() if self._is_fresh(path, status)]
        found, claimed = await self._thread.run(self._read, look, fresh)
        self._known.note_others([*look.others, *(path for path in look.files if self._known.at(path) is None)])
        self._closed = tuple(look.closed)
        missing = [row for row in self._known if row.memory_id not in claimed and not row.path.startswith(self._closed)]
        if len(missing) > 1 and len(missing) == len(self._known) and not found:
            self.emptied = True
            return 0.0
        if (wait_s := self._too_early(missing)) > 0:
            return wait_s
        await self._settle(found, missing)
        if self._problems and any(self._known.of(row.memory_id) is None for row in missing):
            self._writer.overtaken = True  # a memory that is forgotten now may have stood in the way, too
            self._problems.clear()
        self._writer.waiting = frozenset(self._problems)
        return 0.0

    def _is_fresh(self, path: str, status: tuple[int, int]) -> bool:
        row = self._known.at(path)
        if row is not None and path not in self._problems:
            return (row.modified_ns, row.size) != status
        return path not in self._problems

    def _too_early(self, missing: Sequence[FileRow]) -> float:
        """Return how long to wait for files that may be back in a moment."""
        now = monotonic()
        self._missing = {row.memory_id: self._missing.get(row.memory_id, now) for row in missing}
        return max((since + self._grace_s - now for since in self._missing.values()), default=0.0)

    # --- reading; blocks

    def _read(self, look: Look, fresh: Sequence[str]) -> tuple[list[_Found], dict[str, str]]:
        """Return the files that are not as they were, and which file each memory has."""
        unread = look.files.keys() - set(fresh)
        claimed = {row.memory_id: row.path for row in self._known if row.path in unread}
        # A memory's own file comes before what is a copy of it.
        ordered = sorted(fresh, key=lambda path: (self._known.at(path) is None, path))
        found: list[_Found] = []
        for path in ordered:
            read = self._read_one(path, look.files[path], claimed)
            if read is not None:
                found.append(read)
        return found, claimed

    def _read_one(self, path: str, status: tuple[int, int], claimed: dict[str, str]) -> _Found | None:
        row = self._known.at(path)
        try:
            file = self._folder.read(path)
            if file is None:
                return None
            now = digest(file)
            if row is not None and now == row.digest and row.memory_id not in claimed:
                claimed[row.memory_id] = path
                self._known.put(structs.replace(row, modified_ns=status[0], size=status[1]))
                return None
            if len(file) > LARGEST:
                raise NoteUnreadable(f"it has more than {LARGEST // 1024} kB")
            note = parse(file)
            memory_id = note.id or (row.memory_id if row is not None else _id_of(path, file))
            if memory_id in claimed:
                raise NoteUnreadable(
                    f"it says that it is {memory_id}, and so does {claimed[memory_id]}; "
                    "without its `id` line it becomes a memory of its own"
                )
            project = self._places.project(path)
        except (NoteUnreadable, Refused, OSError) as reason:
            self._refuse(path, status, str(reason) if isinstance(reason, NoteUnreadable) else told(reason))
            if row is not None:
                claimed.setdefault(row.memory_id, path)  # it is there, whatever is wrong with it
            return None
        claimed[memory_id] = path
        return _Found(path, status, now, memory_id, note, project)

    def _refuse(self, path: str, status: tuple[int, int], reason: str) -> None:
        self._problems[path] = status, reason

    # --- deciding

    async def _settle(self, found: Sequence[_Found], missing: Sequence[FileRow]) -> None:
        """Decide about each file that changed, and have done what is to be done."""
        ids = [*(one.memory_id for one in found), *(row.memory_id for row in missing)]
        there = await self._there(ids)
        changes: list[FileChange] = []
        taken: dict[str, _Found] = {}
        for row in missing:
            change = await self._settle_missing(row, there.get(row.memory_id))
            if change is not None:
                changes.append(change)
        for one in found:
            change = await self._settle_found(one, there.get(one.memory_id))
            if change is not None:
                changes.append(change)
                taken[change.memory_id] = one
        if not changes:
            return
        refused = await self._taker.take(changes, self._caller)
        after = await self._there([change.memory_id for change in changes])
        for change in changes:
            memory, file = after.get(change.memory_id), taken.get(change.memory_id)
            reason = refused.get(change.memory_id)
            if file is None:
                await self._forgotten(change, memory, reason)
            elif reason is not None and memory and change.before and memory.revision != change.before.revision:
                self._writer.overtaken = True  # it changed meanwhile: what is to be done now is another thing
            elif reason is not None:
                self._refuse(file.path, file.status, told(reason))
            else:
                await self._note_taken(file, memory)
        await self._unbury(change.memory_id for change in changes if change.note is not None)

    async def _settle_missing(self, row: FileRow, memory: Memory | None) -> FileChange | None:
        verdict = decide("missing", await self._since.memory_side(row, memory, row.memory_id))
        if verdict is SyncVerdict.FORGET and memory is not None:
            return FileChange(memory.id, None, memory, memory.project)
        if verdict is SyncVerdict.WRITE:
            self._writer.ask_again([row.memory_id])
        elif memory is not None:
            await self._writer.bury(memory)
        else:
            self._known.drop(row.memory_id)
        return None

    async def _settle_found(self, one: _Found, memory: Memory | None) -> FileChange | None:
        if memory is not None and memory.id != one.memory_id and self._known.of(memory.id) is not None:
            own = self._known.of(memory.id)
            self._refuse(one.path, one.status, f"it was merged into {memory.id}, which is {own.path if own else ''}")
            return None
        row = self._known.of(memory.id if memory is not None else one.memory_id)
        if memory is not None and memory.state is State.PROPOSED:
            self._refuse(one.path, one.status, f"{memory.id} waits for your consent: `memoryd consent list`")
            return None
        if memory is not None and memory.project != one.project:
            self._refuse(one.path, one.status, f"{memory.id} is of another project, and stays there; put the file back")
            return None
        moved = row is not None and row.path != one.path
        unchanged = row is not None and row.digest == one.digest
        note = self._places.as_placed(one.note, one.path, memory, row, unchanged=unchanged)
        if memory is not None and memory.state in SHOWN and says_the_same(note, memory):
            await self._adopt(one, memory)
            return None
        side: FileSide = "unchanged" if unchanged and not moved else "changed"
        memory_side = await self._since.memory_side(row, memory, one.memory_id)
        if unchanged and memory_side == "changed":
            memory_side = "unchanged"  # it got another name only, and keeps what memory says now
        elif (
            side == memory_side == "changed" and memory is not None and await self._since.was_written(note, memory, row)
        ):
            side = "unchanged"
        match decide(side, memory_side):
            case SyncVerdict.TAKE | SyncVerdict.STORE:
                return FileChange(one.memory_id if memory is None else memory.id, note, memory, one.project)
            case SyncVerdict.KEEP_BOTH if memory is not None:
                await self._keep_both(one, memory, row)
            case SyncVerdict.WRITE if memory is not None:
                self._leave_to_memory(one, memory, row)
            case SyncVerdict.REMOVE if row is not None:
                await self._writer.purge([one.memory_id])
            case SyncVerdict.REMOVE:
                self._refuse(
                    one.path,
                    one.status,
                    f"{one.memory_id} was purged, and is not brought back; without its `id` line it is a new memory",
                )
            case _:
                pass
        return None

    # --- what comes of it

    async def _adopt(self, one: _Found, memory: Memory) -> None:
        """Note that a file says what its memory says."""
        before = self._known.of(memory.id)
        row = FileRow(
            path=one.path,
            memory_id=memory.id,
            revision=memory.revision,
            digest=one.digest,
            written="",
            named=named(memory),
            modified_ns=one.status[0],
            size=one.status[1],
            own=before.own if before is not None else not one.note.id,
        )
        self._known.put(row)
        if before is not None and before.path != row.path:
            await self._writer.relink([memory.id])
        if one.note.id != memory.id:
            self._writer.ask_again([memory.id])

    async def _note_taken(self, one: _Found, memory: Memory | None) -> None:
        if memory is None:
            self._refuse(one.path, one.status, "it is not in memory, although nothing stood in its way")
            return
        other = self._known.of(memory.id)
        if other is not None and other.path != one.path and memory.id != one.memory_id:
            self._refuse(one.path, one.status, f"it says what {other.path} says, and is no memory of its own")
            return
        if memory.state is State.PROPOSED:
            self._refuse(one.path, one.status, f"{memory.id} waits for your consent: `memoryd consent list`")
            return
        await self._adopt(one, memory)
        if not says_the_same(one.note, memory):
            self._writer.ask_again([memory.id])

    async def _forgotten(self, change: FileChange, memory: Memory | None, reason: Refused | None) -> None:
        if reason is not None:
            self._writer.ask_again([change.memory_id])  # the file is written again
        elif memory is not None:
            await self._writer.bury(memory)

    async def _keep_both(self, one: _Found, memory: Memory, row: FileRow | None) -> None:
        """Put what the file says beside it, and leave its place to what memory says."""
        folder, _, name = one.path.rpartition("/")
        beside = f"{name.removesuffix(ENDING)}{BESIDE}{one.digest[:8]}{ENDING}"
        path = f"{folder}/{beside}" if folder else beside
        file = await self._thread.run(self._folder.read, one.path)
        if file is None or digest(file) != one.digest:
            self._writer.overtaken = True
            return
        await self._thread.run(self._folder.replace, path, file)
        await self._thread.run(self._folder.sync, [path])
        self._writer.beside.add(path)
        if memory.state not in SHOWN:
            if await self._thread.run(self._folder.remove, one.path, as_it_was=one.digest):
                await self._writer.bury(memory)
            return
        self._leave_to_memory(one, memory, row)

    def _leave_to_memory(self, one: _Found, memory: Memory, row: FileRow | None) -> None:
        """Have a file say what its memory says."""
        self._known.put(
            FileRow(
                path=one.path,
                memory_id=memory.id,
                revision=memory.revision,
                digest=one.digest,
                written="-",
                named=named(memory) if row is None else row.named,
                modified_ns=one.status[0],
                size=one.status[1],
                own=row.own if row is not None else False,
            )
        )
        self._writer.ask_again([memory.id])

    async def _unbury(self, memory_ids: Iterable[str]) -> None:
        back = {one for one in memory_ids if one in self._writer.tombstones and self._known.of(one) is not None}
        if back:
            await self._thread.run(self._folder.unbury, back)
            for one in back:
                del self._writer.tombstones[one]

    async def _there(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories as they stand, by the ids that are asked for: of a merged one, the one it went into."""
        owner = self._settings.owner
        there: dict[str, Memory] = {}
        for begin in range(0, len(memory_ids), 500):
            some = memory_ids[begin : begin + 500]
            there |= await self._memories.get(owner, some)
            if missing := [one for one in some if one not in there]:
                behind = await self._memories.behind(missing)
                stand_ins = await self._memories.get(owner, sorted({found for _, found in behind.values()}))
                there |= {one: stand_ins[found] for one, (_, found) in behind.items() if found in stand_ins}
        return there


def told(reason: Exception) -> str:
    """Return a reason with its way out."""
    if isinstance(reason, OSError):
        return f"it cannot be read: {reason.strerror}"
    return f"{reason}. {reason.hint}" if isinstance(reason, Refused) and reason.hint else str(reason)


def _id_of(path: str, file: bytes) -> str:
    """Return the id of a file that has none: two machines that find the same file in a repository give it the same."""
    return memory_id_of(hashlib.sha256(path.encode() + b"\0" + file).digest())
