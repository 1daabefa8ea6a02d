"""Who says that something happened in a folder."""

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event

import anyio
from anyio import from_thread, to_thread
from watchfiles import Change, watch

from memoryd.mirror.folder import OWN

log = logging.getLogger(__name__)
SETTLED_MS = 200
"""Nothing may happen for so long: then whoever writes several files, or one in parts, has come to an end."""
LONGEST_MS = 5_000
"""After so long it is told nevertheless."""
TIMEOUT_MS = 1_000
"""How often it is looked whether the folder is still the one that is watched."""
AWAY_S = 0.5
"""How often it is looked whether a folder is back."""
RETRY_S = 2.0
"""How often a folder is looked at that cannot be watched: the system has no watches left."""
_IGNORED = frozenset({".git", ".obsidian", ".trash"})


async def watch_folder(folder: Path, tell: Callable[[], None]) -> None:
    """Call `tell` whenever something happened in a folder, until cancelled; the folder may go, and be another one."""
    threads = anyio.CapacityLimiter(1)
    while True:
        stop, wait_s = Event(), 0.0
        try:
            await to_thread.run_sync(_watch, folder, stop, tell, limiter=threads, abandon_on_cancel=True)
        except FileNotFoundError:
            wait_s = AWAY_S
        except (OSError, RuntimeError) as problem:
            log.debug("%s cannot be watched: %s", folder, problem)
            wait_s = RETRY_S
        finally:
            stop.set()
        tell()
        await anyio.sleep(wait_s)


def _watch(folder: Path, stop: Event, tell: Callable[[], None]) -> None:
    """Watch a folder for as long as it is the same one: the system watches a folder, not what has its name later.

    Raises:
        FileNotFoundError: it is away.
    """

    def concerns(_: Change, path: str) -> bool:
        parts = Path(path).parts[len(folder.parts) :]
        return not (_IGNORED & set(parts[:1]) or parts[:2] == (OWN, "new"))

    watched, told = _identity(folder), False
    for changes in watch(
        folder,
        watch_filter=concerns,
        debounce=LONGEST_MS,
        step=SETTLED_MS,
        stop_event=stop,
        rust_timeout=TIMEOUT_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,  # a folder that is not there is ignored with it
    ):
        if stop.is_set():
            return
        if changes or not told:  # what happened before it was watched is told, too
            from_thread.run_sync(tell)
            told = True
        if (Change.deleted, str(folder)) in changes or _identity(folder) != watched:
            return


def _identity(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino
