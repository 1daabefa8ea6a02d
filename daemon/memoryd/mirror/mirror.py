"""One folder and memory, kept in step.

Each sync looks at the folder where something happened in it, takes what changed there into memory, and writes what
changed in memory since. Every step can be broken off: files are written whole, then noted, and what was not noted is
found again.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import anyio
from msgspec.structs import replace

from memoryd.ledger import SqlLedger
from memoryd.mirror.folder import INDEX, MirrorFolder
from memoryd.mirror.index_page import index_page
from memoryd.mirror.known import KnownFiles
from memoryd.mirror.places import Places
from memoryd.mirror.reading import GRACE_S, FileReader
from memoryd.mirror.state import MirrorSettings, MirrorStates
from memoryd.mirror.thread import FolderThread
from memoryd.mirror.writing import FileWriter
from memoryd.rewriting import is_disk_full
from memoryd_actors.core.errors import DaemonError, DiskFull, Unavailable
from memoryd_actors.mirroring.taking import FileTaker
from memoryd_client.wire.mirroring import MirrorStatus, MirrorTrouble

AGAIN_S = 60.0
"""How often memory is looked at without a reason: another daemon may have written to the same ledger."""
LOOK_AGAIN_S = 60.0
"""The same of a folder: what watches it may have missed something."""
PAUSED_S = 2.0
"""How often it is looked whether a folder is back."""
PAGE = 500
"""Memories that are written before that is noted."""
_TELLING = 5
"""Files that the answer to a purge names."""
TOLD = 50
"""Files that a status names."""


class Mirror:
    """Keeps one folder in step."""

    def __init__(
        self,
        settings: MirrorSettings,
        *,
        states: MirrorStates,
        ledger: SqlLedger,
        taker: FileTaker,
        grace_s: float = GRACE_S,
    ) -> None:
        """Prepare; a file has to be gone for `grace_s` before its memory is forgotten."""
        self._grace_s = grace_s
        self.settings = settings
        self._states = states
        self._ledger = ledger
        self._taker = taker
        self._folder = MirrorFolder(Path(settings.folder))
        self._thread = FolderThread()
        self._moving = anyio.Lock()
        self._known: KnownFiles | None = None
        self._reader: FileReader | None = None
        self._writer: FileWriter | None = None
        self._look = True
        self._looked = 0.0
        self._paused: DaemonError | None = None
        self._busy = False
        self._last = ""

    def files_changed(self) -> None:
        """Hear that something happened in the folder."""
        self._look = True

    async def sync(self) -> float:
        """Bring folder and memory together; return after how many seconds to look again without a reason.

        Raises:
            Unavailable: the folder cannot be read or written.
            Refused: memory cannot.
        """
        self._busy = True
        try:
            async with self._moving:
                wait_s = await self._sync()
            self._paused = None
            self._last = datetime.now(UTC).isoformat(timespec="seconds")
            return wait_s
        except FolderAway as away:
            self._look = True
            self._paused = away
            return PAUSED_S
        except OSError as problem:
            if is_disk_full(problem):
                raise DiskFull(self.settings.folder) from problem
            raise Unavailable(
                f"{self.settings.folder} cannot be read or written: {problem.strerror}", "It is tried again by itself."
            ) from problem
        finally:
            self._busy = False

    async def purge(self, memory_ids: Sequence[str]) -> str:
        """Destroy the files of memories that were purged; return what of them is out of reach, in words.

        Where the folder is away, they go when it is back.
        """
        async with self._moving:
            try:
                await self._check_marker()
                _, writer, known = await self._load()
                await writer.purge(memory_ids)
                await writer.finish()
                await self._write_index(known)
                await self._save()
            except (DaemonError, OSError) as problem:
                return f"what {self.settings.folder} has of it goes later: {problem}"
            telling = writer.left_of(memory_ids)
            if telling is None:
                return ""
            left = [f"{self._folder.root / path}, which is not in memory as it is, may tell it" for path in telling]
            left[_TELLING:] = [f"so may {len(left) - _TELLING} more files there"] if len(left) > _TELLING else []
            if await self._thread.run(self._folder.repository):
                left.append(f"what the repository of {self.settings.folder} keeps of its file is out of reach")
        return "; ".join(left)

    async def _sync(self) -> float:
        await self._check_marker()
        reader, writer, known = await self._load()
        if self._look or monotonic() > self._looked + LOOK_AGAIN_S:
            self._look, self._looked = False, monotonic()
            wait_s = await reader.take()
            if reader.emptied:
                raise FolderAway(
                    f"all {len(known)} files in {self.settings.folder} are gone, and nothing is forgotten for it",
                    f"`memoryd mirror on {self.settings.folder}` writes them again.",
                )
            await self._save()
            if wait_s:
                self._look = True
                return wait_s
        while True:
            found = await self._ledger.changes.changes_after(self.settings.cursor, limit=PAGE)
            if not found:
                break
            await writer.write([(change.memory_id, change.memory) for change in found])
            await self._save(cursor=found[-1].sequence)
        more = True
        while more:
            linked, line = await self._ledger.changes.linked_after(self.settings.edges, limit=PAGE)
            await writer.write_links(set(linked))
            await self._save(edges=line)
            more = len(linked) == PAGE
        await writer.finish()
        if writer.overtaken:
            writer.overtaken = False
            self._look = True
            return 0.0
        await self._write_index(known)
        await self._save()
        return AGAIN_S

    async def _write_index(self, known: KnownFiles) -> None:
        if known.paths_changed:
            await self._thread.run(self._folder.replace, INDEX, index_page(known, self.settings).encode())
            known.paths_changed = False

    async def _check_marker(self) -> None:
        """Let nothing be done in a folder that is not there, or is another one.

        Raises:
            FolderAway: it is.
        """
        mark = await self._thread.run(self._folder.mark)
        folder = self.settings.folder
        if not mark:
            raise FolderAway(
                f"{folder} is away, or has no marker of the mirror any more; nothing is forgotten because of it",
                f"It goes on by itself when it is back; `memoryd mirror on {folder}` begins anew there, "
                f"`memoryd mirror off {folder}` ends it.",
            )
        if mark != self.settings.mark:
            raise FolderAway(
                f"{folder} is the folder of another mirror now", f"`memoryd mirror on {folder}` takes this one instead."
            )

    async def _load(self) -> tuple[FileReader, FileWriter, KnownFiles]:
        if self._known is None or self._reader is None or self._writer is None:
            settings = self.settings
            known = KnownFiles(await self._states.rows(settings.folder))
            places = Places(settings.project, await self._states.projects(settings.folder))
            await self._thread.run(self._folder.sweep)
            writer = FileWriter(
                settings,
                folder=self._folder,
                known=known,
                places=places,
                memories=self._ledger.memories,
                taker=self._taker,
                states=self._states,
                thread=self._thread,
            )
            reader = FileReader(
                settings,
                folder=self._folder,
                known=known,
                places=places,
                memories=self._ledger.memories,
                taker=self._taker,
                writer=writer,
                grace_s=self._grace_s,
                thread=self._thread,
            )
            self._known, self._reader, self._writer = known, reader, writer
        return self._reader, self._writer, self._known

    async def _save(self, *, cursor: int | None = None, edges: int | None = None) -> None:
        """Note how far it is, once the files are on disk."""
        settings = self.settings
        if cursor is not None:
            settings = replace(settings, cursor=cursor)
        if edges is not None:
            settings = replace(settings, edges=edges)
        if self._known is None:
            return
        rows, gone = self._known.unsaved()
        if rows or gone or settings != self.settings:
            await self._thread.run(self._folder.sync, [row.path for row in rows])
            await self._states.save(settings, rows, gone)
            self._known.saved(rows, gone)
            self.settings = settings

    def complain(self, problem: DaemonError) -> None:
        """Say that it cannot go on for now, and look at the folder once more when it can."""
        self._paused, self._look = problem, True

    def status(self) -> MirrorStatus:
        """Return how it is."""
        problems = self._reader.problems if self._reader else {}
        beside = self._reader.beside if self._reader else ()
        return MirrorStatus(
            folder=self.settings.folder,
            owner=self.settings.owner,
            project=self.settings.project,
            since=self.settings.since,
            state="paused" if self._paused else "working" if self._busy or not self._last else "ok",
            message=str(self._paused or ""),
            hint=self._paused.hint if self._paused else "",
            files=len(self._known) if self._known else 0,
            synced=self._last,
            not_taken=len(problems),
            troubles=tuple(MirrorTrouble(path=path, reason=problems[path]) for path in sorted(problems)[:TOLD]),
            conflicts=tuple(sorted(beside)[:TOLD]),
        )


class FolderAway(Unavailable):
    """Raised when a mirrored folder is not there, or is not the one that it was."""
