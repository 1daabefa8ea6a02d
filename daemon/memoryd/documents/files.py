"""The port `DocumentReader` over the local file system."""

import os
import stat
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio
from anyio import to_process, to_thread

from memoryd.documents.reading import is_document, read_document
from memoryd.project_files import FILLED_BY_TOOLS
from memoryd_actors.core.errors import Refused
from memoryd_actors.knowledge import DocumentText, FileStamp, FoundDocuments
from memoryd_client.project import project_root
from memoryd_client.wire.knowledge import LeftOutFile

MOST_FILES = 2_000
"""Of one folder, with all below it."""
MOST_LEFT_OUT = 200
"""That are told."""
NO_FILES = ("/proc", "/sys", "/dev")
"""Where the system tells of itself: nobody has that read."""
SYSTEM = ("/boot", "/etc", "/private/etc")
"""No agent's project, whatever it says."""
READ_S = 60.0
"""A file that takes longer is given up."""
START_S = 60.0


class DocumentFiles:
    """Documents on this machine."""

    async def find(self, path: str) -> FoundDocuments:
        """Return a file, or the documents in a folder and all below it.

        Raises:
            Refused: there is nothing at that path, or there are too many.
        """
        return await to_thread.run_sync(_find, path)

    async def stamps(self, paths: Sequence[str]) -> Mapping[str, FileStamp]:
        """Return the stamps of those files that there are."""
        return await to_thread.run_sync(_stamps, paths)

    async def root(self, path: str) -> str:
        """Return the folder that speaks for a file: of the repository that it is in, else its own."""
        return await to_thread.run_sync(_root, path)

    async def why_closed(self, path: str, folder: str | None) -> str:
        """Return why a file or folder is closed to whoever may read a folder only, `None` for all; empty: it is not."""
        return await to_thread.run_sync(why_closed, path, folder)

    async def read(self, path: str) -> DocumentText:
        """Return what a document says. It is read in a process that can be ended: some files take for ever.

        Raises:
            Refused: it cannot be read; the message says why.
        """
        found: DocumentText | str = f"it takes longer than {READ_S:g} s to read"
        try:
            with anyio.move_on_after(START_S):
                # A new process takes its time to start and to import this, seconds on a busy machine.
                await to_process.run_sync(is_document, path, cancellable=True)
            with anyio.move_on_after(READ_S):
                found = await to_process.run_sync(read_document, path, cancellable=True)
        except anyio.BrokenWorkerProcess:
            found = "the process that read it came to its end, perhaps for want of memory"
        if isinstance(found, str):
            raise Refused(f"{path} cannot be read: {found}", "")
        return found


def _find(path: str) -> FoundDocuments:
    if not os.path.isabs(path):
        raise Refused(f"{path!r} is no whole path", "Give it from the root on.")
    whole = Path(os.path.normpath(path))
    try:
        mode = whole.stat().st_mode
    except OSError as exc:
        raise Refused(f"{whole} cannot be read: {exc.strerror}", "Name a file or a folder that there is.") from exc
    if stat.S_ISREG(mode):
        return FoundDocuments((str(whole),))
    if not stat.S_ISDIR(mode):
        raise Refused(f"{whole} is neither a file nor a folder", "Name a file or a folder.")
    paths: list[str] = []
    left_out: list[LeftOutFile] = []
    for folder, folders, names in os.walk(whole, onerror=lambda exc: left_out.append(_unread(exc))):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in FILLED_BY_TOOLS)
        for name in sorted(names):
            file = os.path.join(folder, name)
            if name.startswith(".") or os.path.islink(file):
                continue
            if is_document(name):
                paths.append(file)
            else:
                left_out.append(LeftOutFile(path=file, reason="its name is not that of a document"))
        if len(paths) > MOST_FILES:
            raise Refused(f"{whole} has more than {MOST_FILES} documents", "Add a part of it.")
    return FoundDocuments(tuple(paths), tuple(left_out[:MOST_LEFT_OUT]))


def why_closed(path: str, folder: str | None) -> str:
    """Return why a path is closed, wherever its links lead; see `DocumentReader`."""
    real = Path(os.path.realpath(path))
    if any(map(real.is_relative_to, NO_FILES)):
        return "which the system makes up as it is read"
    if folder is None:
        return ""
    home = Path(os.path.realpath(folder))
    if project_root(real) == str(home):  # one of several worktrees, perhaps, wherever it lies
        home = Path(_checkout(str(real if real.is_dir() else real.parent)))
    no_project = not folder or home == Path(home.anchor) or any(map(home.is_relative_to, SYSTEM))
    if no_project or not real.is_relative_to(home):
        return "beyond the folder of the project: an agent has only what is in it read"
    if any(part.startswith(".") for part in real.relative_to(home).parts):
        return "which is hidden: an agent has none such read"
    return ""


def _unread(exc: OSError) -> LeftOutFile:
    return LeftOutFile(path=str(exc.filename), reason=exc.strerror or str(exc))


def _stamps(paths: Sequence[str]) -> Mapping[str, FileStamp]:
    found: dict[str, FileStamp] = {}
    for path in dict.fromkeys(paths):
        try:
            about = os.stat(path)
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(about.st_mode):
            modified = datetime.fromtimestamp(about.st_mtime_ns // 1_000 / 1_000_000, UTC)
            found[path] = FileStamp(modified, about.st_size)
    return found


def _root(path: str) -> str:
    return _checkout(os.path.dirname(path))


def _checkout(folder: str) -> str:
    above = [folder, *map(str, Path(folder).parents)]
    return next((each for each in above if os.path.exists(os.path.join(each, ".git"))), folder)
