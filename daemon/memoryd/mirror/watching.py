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
TIMEOUT_MS = 60_000
RETRY_S = 2.0
"""How often a folder is looked at that cannot be watched: it is away, or the system has no watches left."""
_IGNORED = frozenset({".git", ".obsidian", ".trash"})


async def watch_folder(folder: Path, tell: Callable[[], None]) -> None:
    """Call `tell` whenever something happened in a folder, until cancelled."""
    threads = anyio.CapacityLimiter(1)
    while True:
        stop = Event()
        try:
            await to_thread.run_sync(_watch, folder, stop, tell, limiter=threads, abandon_on_cancel=True)
        except (OSError, RuntimeError) as problem:
            log.debug("%s cannot be watched: %s", folder, problem)
        finally:
            stop.set()
        tell()
        await anyio.sleep(RETRY_S)


def _watch(folder: Path, stop: Event, tell: Callable[[], None]) -> None:
    def concerns(_: Change, path: str) -> bool:
        parts = Path(path).parts[len(folder.parts) :]
        return not (_IGNORED & set(parts[:1]) or parts[:2] == (OWN, "new"))

    for _ in watch(
        folder,
        watch_filter=concerns,
        debounce=LONGEST_MS,
        step=SETTLED_MS,
        stop_event=stop,
        rust_timeout=TIMEOUT_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        if stop.is_set():
            return
        from_thread.run_sync(tell)
        if not folder.is_dir():
            return
