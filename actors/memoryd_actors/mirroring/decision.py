"""What is done where a file or its memory changed, or both: the whole of the rules, as one table."""

from enum import StrEnum
from typing import Literal

FileSide = Literal["unchanged", "changed", "missing"]
MemorySide = Literal["unchanged", "changed", "gone", "purged", "unknown"]
"""gone: forgotten or replaced; purged: destroyed; unknown: the ledger has never heard of it, or not any more."""


class SyncVerdict(StrEnum):
    """What is done about one file and its memory."""

    REST = "rest"
    """Nothing."""
    TAKE = "take"
    """The file's words become the memory's."""
    FORGET = "forget"
    """The memory is forgotten, as its file was deleted."""
    STORE = "store"
    """The file becomes a memory that was not there."""
    WRITE = "write"
    """The memory's words become the file's."""
    REMOVE = "remove"
    """The file goes, as its memory did."""
    KEEP_BOTH = "keep both"
    """The memory's side stays, and what the file said stands in another file beside it."""
    DROP = "drop"
    """Neither is there any more."""


def decide(file: FileSide, memory: MemorySide) -> SyncVerdict:  # noqa: PLR0911 - a table
    """Return what is done, given what happened to each since both said the same."""
    match file, memory:
        case "unchanged", "unchanged":
            return SyncVerdict.REST
        case "unchanged" | "missing", "changed":
            return SyncVerdict.WRITE
        case "unchanged", "gone":
            return SyncVerdict.REMOVE
        case _, "purged":
            return SyncVerdict.REMOVE
        case "unchanged" | "changed", "unknown":
            return SyncVerdict.STORE
        case "changed", "unchanged":
            return SyncVerdict.TAKE
        case "changed", "changed" | "gone":
            return SyncVerdict.KEEP_BOTH
        case "missing", "unchanged":
            return SyncVerdict.FORGET
        case _:
            return SyncVerdict.DROP
