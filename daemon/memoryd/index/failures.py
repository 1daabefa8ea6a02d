"""What LanceDB raises, as what memoryd raises."""

import shlex
import tempfile
from collections.abc import Generator
from contextlib import contextmanager

from memoryd_actors.core.errors import DiskFull, IndexDamaged, Unavailable

_READ_ONLY = ("Read-only file system", "os error 30")
_FULL = ("No space left on device", "os error 28", "StorageFull", "Disk quota exceeded")
_TEMPORARY = "Failed to create temp dir"
"""Which says nothing about the index's own files, nor about their disk."""
_AWAY = ("RetryError", "Error performing", "error sending request")


@contextmanager
def translated(where: str) -> Generator[None]:
    """Translate errors of LanceDB.

    Raises:
        DiskFull: there is no space.
        IndexDamaged: anything else that it says about its files.
        Unavailable: the files are there and may not be read, or not be written; or there is no folder for temporary
            files; or an object store does not answer.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as exc:
        raise _named(where, exc) from exc
    except BaseException as exc:
        # A panic in LanceDB's Rust (it happens on garbage in its files) arrives as a BaseException of a class that
        # cannot be imported. It is no reason to end the process.
        if type(exc).__name__ != "PanicException":
            raise
        raise IndexDamaged(where, "LanceDB cannot make sense of its files") from exc


def _named(where: str, error: Exception) -> DiskFull | Unavailable:
    reason = str(error).partition("\n")[0].partition(", /")[0][:300]
    if _TEMPORARY in str(error):
        folder = tempfile.gettempdir()
        return Unavailable(
            f"the index at {where} needs the folder for temporary files, {folder}: {reason}",
            f"Is it there, with space, and may it be written to? mkdir -m 700 {shlex.quote(folder)}",
        )
    if any(sign in str(error) for sign in _FULL):
        return DiskFull(where)
    if "Permission denied" in str(error):
        return Unavailable(f"the index at {where} cannot be read: {reason}", "Check the folder's permissions.")
    if any(sign in str(error) for sign in _READ_ONLY):
        # What is there is not damaged: built anew, it would be lost.
        return Unavailable(f"the index at {where} cannot be written: {reason}", "See that its disk may be written to.")
    if "://" in where and _is_away(str(error)):
        return Unavailable(
            f"the index at {where} cannot be reached: {reason}",
            "Is the object store there, and are index.url and the daemon's environment right?",
        )
    return IndexDamaged(where, reason)


def _is_away(said: str) -> bool:
    if "NoSuchBucket" in said:
        return True
    # Of a file that is missing, the store says so, and no retry brings it back.
    return any(sign in said for sign in _AWAY) and "not found" not in said.lower()
