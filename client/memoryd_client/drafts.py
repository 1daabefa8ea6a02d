"""What somebody wrote in an editor and could not be stored: kept for a week in the home, until it is purged."""

import os
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

KEPT_DAYS = 7
_DAY_S = 86_400


def new(folder: Path, memory_id: str) -> Path:
    """Return a file of one's own for a memory, empty; drafts older than a week go."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    expire(folder)
    file = folder / f"{memory_id}.{secrets.token_hex(4)}.md"
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return file


def expire(folder: Path) -> None:
    """Delete what is older than a week, with what editors left beside it."""
    oldest = time.time() - KEPT_DAYS * _DAY_S
    for draft in _files(folder):
        with suppress(FileNotFoundError):
            if draft.stat().st_mtime < oldest:
                draft.unlink()


def destroy(folder: Path, memory_ids: Iterable[str]) -> None:
    """Delete the drafts of memories, and what editors left beside them."""
    gone = tuple(memory_ids)
    for draft in _files(folder):
        if any(memory_id in draft.name for memory_id in gone):
            draft.unlink(missing_ok=True)


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
