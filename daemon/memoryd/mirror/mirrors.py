"""All mirrors of a home: each in a task of its own, from a start on or from when it is turned on."""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from msgspec.structs import replace

from memoryd.ledger import SqlLedger
from memoryd.mirror.folder import MirrorFolder
from memoryd.mirror.mirror import Mirror
from memoryd.mirror.state import MirrorSettings, MirrorStates
from memoryd.mirror.watching import watch_folder
from memoryd_actors.core.errors import DaemonError, Refused
from memoryd_actors.core.worker import Worker
from memoryd_actors.mirroring.taking import FileTaker
from memoryd_client.base.wording import counted
from memoryd_client.wire.events import Warned, Wrote
from memoryd_client.wire.mirroring import MirrorStatus, StartMirror
from memoryd_client.wire.status import ComponentStatus

log = logging.getLogger(__name__)
RETRY_S = 30.0
GATHERED_S = 0.1
"""Who stores several memories stores them one after the other."""


class _Running(msgspec.Struct, frozen=True):
    mirror: Mirror
    worker: Worker
    scope: anyio.CancelScope


class MirrorKeeper:
    """Turns mirrors on and off, and runs those that are on."""

    def __init__(
        self, path: Path, *, home: Path, ledger: SqlLedger, taker: FileTaker, publish: Callable[[Warned], None]
    ) -> None:
        """Prepare; `path` is the file of their states."""
        self._states = MirrorStates(path)
        self._home = home
        self._ledger = ledger
        self._taker = taker
        self._publish = publish
        self._running: dict[str, _Running] = {}
        self._turned = anyio.Event()
        self._waiting: list[MirrorSettings] = []
        self._turning = anyio.Lock()

    async def run(self) -> None:
        """Run what is on, until cancelled."""
        self._waiting += [settings for settings in await self._states.mirrors() if settings.on]
        async with anyio.create_task_group() as tasks:
            while True:
                for settings in self._waiting:
                    running = self._begin(settings)
                    tasks.start_soon(self._run, running, name=f"mirror {settings.folder}")
                self._waiting.clear()
                self._turned = anyio.Event()
                await self._turned.wait()

    def written(self, event: Wrote) -> None:
        """Hear that memory changed."""
        for running in self._running.values():
            if running.mirror.settings.owner == event.owner:
                running.worker.kick()

    def _begin(self, settings: MirrorSettings) -> _Running:
        mirror = Mirror(settings, states=self._states, ledger=self._ledger, taker=self._taker)
        worker = Worker(
            mirror.sync,
            complain=partial(self._complain, mirror),
            retry_s=RETRY_S,
            gather=partial(anyio.sleep, GATHERED_S),
        )
        running = self._running[settings.folder] = _Running(mirror, worker, anyio.CancelScope())
        return running

    async def _run(self, running: _Running) -> None:
        def look() -> None:
            running.mirror.files_changed()
            running.worker.kick()

        with running.scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch_folder, Path(running.mirror.settings.folder), look)
                await running.worker.run()
                tasks.cancel_scope.cancel()

    def _complain(self, mirror: Mirror, problem: DaemonError) -> None:
        mirror.complain(problem)
        log.warning("mirror %s: %s", mirror.settings.folder, problem)
        self._publish(Warned(component="mirror", message=str(problem), hint=problem.hint))

    async def purge(self, owner: str, memory_ids: Sequence[str]) -> list[str]:
        """Destroy the files of memories that were purged; return what of them is out of reach, in words."""
        there = [one.mirror for one in self._running.values() if one.mirror.settings.owner == owner]
        left = [await mirror.purge(memory_ids) for mirror in there]
        return [words for words in left if words]

    # --- on and off

    async def start(self, request: StartMirror, owner: str) -> MirrorStatus:
        """Mirror a folder from now on.

        Raises:
            Refused: it cannot be, or has files that are no memories.
        """
        async with self._turning:
            folder = await to_thread.run_sync(self._checked, request.folder)
            known = {settings.folder: settings for settings in await self._states.mirrors()}
            for other in known.values():
                _check_apart(folder, owner, other)
            files = MirrorFolder(folder)
            with _refused(folder):
                before = await to_thread.run_sync(files.mark)
                look = await to_thread.run_sync(files.look)
            if not before and look.files and not request.adopt:
                raise Refused(
                    f"{folder} has {counted(len(look.files), 'Markdown file')} that no mirror has written",
                    "Name a new folder, or add `--adopt`: each of them becomes a memory, and gets front matter.",
                )
            try:
                mark = await to_thread.run_sync(files.put_mark)
            except OSError as problem:
                raise Refused(
                    f"{folder} cannot be written to: {problem.strerror}",
                    "Run as a service, memoryd writes only where its unit lets it: "
                    f"`systemctl --user edit memoryd`, and below `[Service]` the line `ReadWritePaths={folder}`.",
                ) from problem
            settings = MirrorSettings(
                folder=str(folder),
                mark=mark,
                owner=owner,
                project=request.project,
                since=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            there = known.get(str(folder))
            same = there is not None and (there.mark, there.owner, there.project) == (mark, owner, request.project)
            if there is not None and same and look.files:
                settings = replace(there, on=True)
            else:
                await self._states.begin(settings)
            await self._states.put(settings)
            for name, project in request.projects.items():
                await self._states.name_project(settings.folder, name, project)
            await self._end(settings.folder)
            self._waiting.append(settings)
            self._turned.set()
            return MirrorStatus(
                folder=settings.folder, owner=owner, project=request.project, since=settings.since, state="working"
            )

    async def stop(self, folder: str, owner: str) -> None:
        """Leave a folder as it is from now on; empty: the only one.

        Raises:
            Refused: there is none, or there are several and none is named.
        """
        async with self._turning:
            with _refused(folder):
                folder = str(await to_thread.run_sync(Path(folder).resolve)) if folder else ""
            on = {one.folder: one for one in await self._states.mirrors() if one.on and one.owner == owner}
            if not folder and len(on) == 1:
                folder = next(iter(on))
            if folder not in on:
                raise Refused(
                    f"{folder} is not mirrored" if folder else f"{len(on)} folders are mirrored",
                    "`memoryd mirror status` shows which are.",
                )
            await self._end(folder)
            there = next(one for one in await self._states.mirrors() if one.folder == folder)
            await self._states.put(replace(there, on=False))

    async def _end(self, folder: str) -> None:
        running = self._running.pop(folder, None)
        self._waiting = [settings for settings in self._waiting if settings.folder != folder]
        if running is not None:
            running.scope.cancel()

    def _checked(self, folder: str) -> Path:
        path = Path(folder)
        if not path.is_absolute():
            raise Refused(f"{folder!r} is no absolute path", "Name the folder from the root on.")
        with _refused(path):
            path = path.resolve()
            is_taken = path.exists() and not path.is_dir()
        if is_taken:
            raise Refused(f"{path} is not a folder", "Name a folder, which may be new.")
        home = self._home.resolve()
        if path == home or path in home.parents or home in path.parents:
            raise Refused(f"{path} is where memoryd keeps its own files", "Name a folder beside it.")
        return path

    # --- how they are

    def statuses(self, owner: str) -> list[MirrorStatus]:
        """Return how the mirrors of an owner are."""
        running = [one.mirror.status() for one in self._running.values() if one.mirror.settings.owner == owner]
        return sorted(running, key=lambda status: status.folder)

    def component(self) -> ComponentStatus:
        """Return the part of the daemon's status that tells of all of them."""
        statuses = [one.mirror.status() for one in self._running.values()]
        numbers = {
            "mirrors": len(statuses),
            "files": sum(status.files for status in statuses),
            "not_taken": sum(status.not_taken for status in statuses),
            "conflicts": sum(len(status.conflicts) for status in statuses),
        }
        counted = {name: float(count) for name, count in numbers.items()}
        stuck = next((status for status in statuses if status.state == "paused"), None)
        if stuck is not None:
            return ComponentStatus(state="degraded", message=stuck.message, hint=stuck.hint, numbers=counted)
        return ComponentStatus(state="ok" if statuses else "off", numbers=counted)


@contextmanager
def _refused(folder: Path | str) -> Generator[None]:
    """Refuse a folder whose name no disk can have, or that may not be read."""
    try:
        yield
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise Refused(f"{folder} cannot be looked at: {reason}", "Name another folder.") from problem


def _check_apart(folder: Path, owner: str, other: MirrorSettings) -> None:
    there = Path(other.folder)
    if other.on and folder == there and owner != other.owner:
        raise Refused(f"{there} is mirrored already, for `{other.owner}`", "Name a folder of this owner's own.")
    if other.on and folder != there and (folder in there.parents or there in folder.parents):
        raise Refused(f"{there} is mirrored already, and {folder} overlaps with it", "Name a folder beside it.")
