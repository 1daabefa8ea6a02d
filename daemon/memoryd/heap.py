"""The C heap of this process: kept small, because a daemon is there all day. glibc only; elsewhere nothing happens."""

import ctypes
import gc
import os
from contextlib import suppress

_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
_LARGE_BYTES = 256 * 1024
"""Pieces from this size on are the system's and go back to it when they are freed. Left alone, glibc raises that limit
up to 32 MB and keeps them: what compactions of the index leave behind then grows with the index, by 60 MB from 1,000
messages to 20,000, where it is 8 MB so."""

_COLLECTED_AFTER = (2_000, 10, 40)
"""Objects more than before, and collections of the younger: a full one after 800,000, where Python has 70,000."""


def share_arenas() -> None:
    """Let all threads share two heaps, and large pieces go back when they are freed; call it before there are threads.

    glibc gives every thread its own, and none of them shrinks: with the index's and the model's threads the daemon
    grew to 640 MB, where two heaps keep it at 430, at the same speed.
    """
    # Arrow has an allocator of its own, which keeps what is freed; of 20,000 indexed messages 17 MB.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, 2)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def settle() -> None:
    """Have the collector of cycles pass over what a start has brought for good, and come less often.

    With a hundred sessions at once it stopped all threads for an eighth of the time, on a busy machine for up to 0.9 s:
    a full collection goes through all that was imported.
    """
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)


def trim() -> None:
    """Hand freed memory back to the system. Takes some milliseconds; any thread may call it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
