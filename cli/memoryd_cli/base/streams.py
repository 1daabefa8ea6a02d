"""Stdin, stdout and stderr as a shell hands them over: maybe closed, maybe without the characters of a memory."""

import io
import os
import sys
from contextlib import suppress
from typing import TextIO, cast


def prepare() -> None:
    """Make the three streams usable.

    A closed stdin holds nothing, a closed stderr swallows everything, and a write to a closed stdout fails. What an
    encoding lacks is written as its escape; bytes that are no text are read as a replacement sign.
    """
    # Python has None for a closed one, which its types do not say. What is opened here takes the lowest free number,
    # which is the closed one's own; a socket would get it otherwise.
    sys.stdin = sys.stdin or _nothing("r", os.O_RDONLY)
    sys.stdout = sys.stdout or _nothing("w", os.O_RDONLY)
    sys.stderr = sys.stderr or _nothing("w", os.O_WRONLY)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _nothing(mode: str, flags: int) -> TextIO:
    return cast("TextIO", os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))


def silence(stream: TextIO) -> None:
    """Give what is left of a stream that broke somewhere to go: Python flushes it once more at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
