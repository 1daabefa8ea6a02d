"""The `Transcripts` port over JSON lines. Files are touched in worker threads, one at a time for each session."""

import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import msgspec
from anyio import CapacityLimiter, to_thread

from memoryd.in_place import InPlace
from memoryd.rewriting import is_disk_full
from memoryd.transcripts import mirror, places
from memoryd.transcripts.metadata import Metadata
from memoryd.transcripts.session_file import SessionFile, describe, destroy
from memoryd_actors.core.errors import DiskFull, OutOfStep, Refused, Unavailable
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.ports.transcripts import Kept, Key, Stored, TranscriptNews
from memoryd_client.wire.transcripts import SessionInfo, TranscriptRecord

log = logging.getLogger(__name__)
T = TypeVar("T")

OPEN = 256
"""Sessions of which ids and places stay in memory: 8 bytes for each entry."""
THREADS = 16
"""Sessions that are written to at the same time. A journalling file system commits their fsyncs together."""
READERS = 4
SAVE_S = 2.0
"""How often metadata are written, in seconds. What a crash loses of them is told from the lines."""


class _Open:
    """A session in memory, for one thread at a time."""

    def __init__(self) -> None:
        self.lock = anyio.Lock(fast_acquire=True)
        self.users = 0
        self.file: SessionFile | None = None


class JsonlTranscripts:
    """Keeps transcripts below a folder; see `memoryd_actors.ports.transcripts.Transcripts`."""

    def __init__(self, root: Path, copy: Path | None = None) -> None:
        """Prepare; `copy` is the folder that `back_up` brings up to date."""
        self._root = root
        self._in_place = InPlace(root, "the folder of transcripts")
        self._in_place.note()
        self._copy = copy
        self._copying = anyio.Lock()
        """A session that is destroyed while its lines are copied would be in the copy afterwards."""
        self._open: OrderedDict[Key, _Open] = OrderedDict()
        self._threads = CapacityLimiter(THREADS)
        self._readers = WorkerThreads(READERS, name="transcript-reader")
        self._appenders = WorkerThreads(THREADS, name="transcript-writer")
        self.damaged: dict[Key, int] = {}
        """Sessions with damage, as far as it is known, and how many lines or entries that concerns in each."""

    async def run(self) -> None:
        """Write metadata now and then, until cancelled."""
        while True:
            await anyio.sleep(SAVE_S)
            try:
                await self.save()
            except Refused as refused:  # it is told when something is appended
                log.debug("metadata wait: %s", refused)

    async def append(
        self, key: Key, entries: Sequence[Kept], *, project: str, agent: str, after: int | None = None
    ) -> Stored:
        async with self._session(key) as file:
            if after is not None and file.last != after:
                raise OutOfStep(f"the session {key[1]!r} goes on to entry {file.last}, not {after}")
            with translated(self._root):
                self._in_place.check()
                stored = await self._appenders.run(partial(file.append, entries, project=project, agent=agent))
                self._in_place.note()
                return stored

    async def read(self, key: Key, *, after: int, limit: int, characters: int) -> list[TranscriptRecord]:
        return await self._look(key, lambda file: file.read(after=after, limit=limit, characters=characters))

    async def get(self, key: Key, sequences: Sequence[int]) -> dict[int, TranscriptRecord]:
        return await self._look(key, lambda file: file.get(sequences))

    async def last(self, key: Key) -> int:
        async with self._session(key) as file:
            return file.last

    async def info(self, key: Key) -> SessionInfo | None:
        async with self._session(key) as file:
            return file.metadata.info()

    async def sessions(self, owner: str, *, limit: int, offset: int) -> list[SessionInfo]:
        known = await self._known(lambda: [places.owner_folder(self._root, owner)])
        infos = [info for info in (about.info() for about in known if about.user_id == owner) if info is not None]
        infos.sort(key=lambda info: (info.updated_at, info.session), reverse=True)
        return infos[offset : offset + limit]

    async def infos(self) -> dict[Key, SessionInfo]:
        known = await self._known(lambda: _folders(self._root))
        return {(about.user_id, about.id): info for about in known if (info := about.info()) is not None}

    async def heads(self) -> dict[Key, int]:
        return {(about.user_id, about.id): about.last for about in await self._known(lambda: _folders(self._root))}

    async def news(self, after: int) -> TranscriptNews:
        return TranscriptNews()

    async def purge(self, key: Key) -> int:
        async with self._copying, self._session(key) as file:
            gone = file.metadata.entry_count
            await self._in_thread(partial(destroy, file.folder))
            self._open[key].file = None
            self.damaged.pop(key, None)
            if self._copy is not None:
                owner, session = file.folder.parts[-2:]
                await self._in_thread(partial(mirror.forget, self._copy, owner, session))
        return gone

    async def erase(self, key: Key, sequences: Sequence[int]) -> int:
        async with self._copying, self._session(key) as file:
            if not file.last:
                return 0
            gone = await self._in_thread(partial(file.erase, sequences))
            self._open[key].file = None
            if self._copy is not None:
                # It is copied anew the next time.
                owner, session = file.folder.parts[-2:]
                await self._in_thread(partial(mirror.forget, self._copy, owner, session))
        return gone

    async def back_up(self) -> int:
        """Copy what was said since the last time beside the ledger's backups; return in how many sessions that was.

        Raises:
            DiskFull: there is no space. The next time goes on from there.
            Unavailable: the copy cannot be written.
        """
        if self._copy is None:
            return 0
        await self.save()
        async with self._copying:
            return await self._in_thread(partial(mirror.mirror, self._root, self._copy))

    async def save(self) -> None:
        for key in [key for key, opened in self._open.items() if opened.file is not None and opened.file.dirty]:
            async with self._session(key) as file:
                await self._in_thread(file.save)

    async def _look(self, key: Key, reading: Callable[[SessionFile], T]) -> T:
        """Read in a session, and again where a line turns out to be damaged: it may be mended then."""
        async with self._session(key) as file:
            found = await self._read(partial(reading, file))
            if not file.spoilt:
                return found
        async with self._session(key) as file:
            return await self._read(partial(reading, file))

    async def _read(self, work: Callable[[], T]) -> T:
        with translated(self._root):
            return await self._readers.run(work)

    async def _there(self, work: Callable[[], T]) -> T:
        """Read what the folder has; while it is away, a session would read as one in which nothing was said."""
        self._in_place.check()
        found = await self._in_thread(work)
        self._in_place.check()
        return found

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with translated(self._root):
            return await to_thread.run_sync(work, limiter=self._threads)

    @asynccontextmanager
    async def _session(self, key: Key) -> AsyncGenerator[SessionFile]:
        """Hold a session; it is read first where it is not in memory."""
        opened = self._open.setdefault(key, _Open())
        self._open.move_to_end(key)
        opened.users += 1
        try:
            async with opened.lock:
                if opened.file is None:
                    folder = places.session_folder(self._root, *key)
                    opened.file = await self._there(partial(SessionFile, folder, *key, self._copied(folder)))
                    self._note(opened.file.metadata)
                file = opened.file
                try:
                    yield file
                    if file.spoilt:
                        opened.file = None
                except Unavailable:
                    opened.file = None  # nobody knows what is on the disk: it is read again
                    raise
        finally:
            opened.users -= 1
            await self._close_oldest()

    def _copied(self, folder: Path) -> Path | None:
        return None if self._copy is None else self._copy.joinpath(*folder.parts[-2:])

    async def _known(self, owners: Callable[[], Sequence[Path]]) -> list[Metadata]:
        """Return what is known of the sessions in these folders; one that cannot be read hides no other."""
        await self.save()

        def described() -> list[tuple[Metadata, bool]]:
            found = [describe(folder, self._copied(folder)) for owner in owners() for folder in _folders(owner)]
            return [description for description in found if description is not None]

        known: list[Metadata] = []
        for written, older in await self._there(described):
            about = written
            if older:
                # Read as everything is, one at a time: it may be appended to at this moment.
                try:
                    async with self._session((written.user_id, written.id)) as file:
                        about = msgspec.structs.replace(file.metadata)
                except Unavailable as exc:
                    log.warning("the session %r is listed as it was last known: %s", written.id, exc)
            self._note(about)
            known.append(about)
        return known

    def _note(self, about: Metadata) -> None:
        key = about.user_id, about.id
        if wrong := max(about.damaged, about.missing):
            self.damaged[key] = wrong
        else:
            self.damaged.pop(key, None)

    async def _close_oldest(self) -> None:
        if len(self._open) <= OPEN:
            return
        for key, opened in list(self._open.items())[: len(self._open) - OPEN]:
            if opened.users == 0 and self._open.get(key) is opened:
                del self._open[key]
                if opened.file is not None and opened.file.dirty:
                    try:
                        with anyio.CancelScope(shield=True):
                            await self._in_thread(opened.file.save)
                    except Refused as refused:
                        # Whoever made room for it has nothing to do with it, and its lines tell everything.
                        log.debug("metadata of %r are not written: %s", key[1], refused)


def _folders(root: Path) -> list[Path]:
    return [folder for folder in root.iterdir() if folder.is_dir()] if root.exists() else []


@contextmanager
def translated(root: Path) -> Generator[None]:
    """Translate what the file system says.

    Raises:
        DiskFull: there is no space; nothing was stored.
        Unavailable: anything else.
    """
    try:
        yield
    except OSError as exc:
        if is_disk_full(exc):
            raise DiskFull(str(root)) from exc
        raise Unavailable(
            f"the transcripts in {root} cannot be used: {exc.strerror or exc}",
            "Check the folder's permissions and its file system.",
        ) from exc
