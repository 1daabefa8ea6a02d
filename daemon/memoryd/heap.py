"""The memory of this process: kept small, as a daemon is there all day. On Linux only; elsewhere nothing happens."""

import ctypes
import gc
import mmap
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
_LARGE_BYTES = 256 * 1024
"""Pieces from this size on are the system's and go back to it when they are freed. Left alone, glibc raises that limit
up to 32 MB and keeps them: what compactions of the index leave behind then grows with the index, by 60 MB from 1,000
messages to 20,000, where it is 8 MB so."""

_LIBRARY = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-[-x]p .*\.so[.0-9]*\n((?:\w+: .*\n)*)", re.MULTILINE)
"""A mapping that may not be written to, in /proc/self/smaps, and what is said of it."""
_SIZE = re.compile(r"(\w+): +([0-9]+) kB")
_WORTH_KB = 256
"""Less of a mapping is left as it is."""

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


def hand_back_libraries() -> None:
    """Hand back the pages of libraries, most of which only the start has read. Takes 0.1 s; any thread may call it.

    Loading LanceDB, Arrow and onnxruntime goes through 130 MB of them, to find symbols and set up tables; serving needs
    60. What is used again is mapped again from the system's cache of files, 64 KiB at a time.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        for start, size in library_pages(Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace")):
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.MADV_DONTNEED)


def library_pages(mappings: str) -> list[tuple[int, int]]:
    """Return where libraries are mapped that nothing was written to, and of which enough is there, in bytes.

    What the loader wrote to exists nowhere else, also where it cannot be written to any more, or is swapped out. Of a
    library that is being loaded at this moment there is less.
    """
    found: list[tuple[int, int]] = []
    for library in _LIBRARY.finditer(mappings):
        sizes = {name: int(kilobytes) for name, kilobytes in _SIZE.findall(library[3])}
        written = sizes.get("Anonymous", 1) + sizes.get("Swap", 1)  # what a system does not tell may be anything
        if sizes.get("Rss", 0) >= _WORTH_KB and not written:
            start, end = int(library[1], 16), int(library[2], 16)
            found.append((start, end - start))
    return found
