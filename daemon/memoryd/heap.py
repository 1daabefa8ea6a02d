"""The C heap of this process: kept small, because a daemon is there all day. glibc only; elsewhere nothing happens."""

import ctypes
import os
from contextlib import suppress

_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
_LARGE_BYTES = 256 * 1024
"""Pieces from this size on are the system's and go back to it when they are freed. Left alone, glibc raises that limit
up to 32 MB and keeps them: what compactions of the index leave behind then grows with the index, by 60 MB from 1,000
messages to 20,000, where it is 8 MB so."""


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


def trim() -> None:
    """Hand freed memory back to the system. Takes some milliseconds; any thread may call it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
