"""A file replaced by another version of itself, whole or not at all."""

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO


@contextmanager
def rewriting(file: Path, *, durable: bool = True) -> Generator[IO[bytes]]:
    """Give a file to write to, which takes the place of `file` at the end. Blocks.

    Where it is not `durable`, a crash of the machine may leave either of the two, or nothing.

    Raises:
        OSError: `file` is as it was.
    """
    new = file.with_name(f"{file.name}.new")
    try:
        with open(new, "wb", opener=partial(os.open, mode=0o600)) as target:
            yield target
            if durable:
                target.flush()
                os.fsync(target.fileno())
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if durable:
        sync(file.parent)


def is_disk_full(error: OSError) -> bool:
    """Return whether a write failed because there was no space, or no more for this user."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def sync(path: Path) -> None:
    """Make what a file holds, or the names in a folder, durable. Blocks."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
