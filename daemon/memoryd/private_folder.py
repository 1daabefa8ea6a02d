"""A folder for this user alone: made, or mended, or refused."""

import os
import stat
from pathlib import Path

from memoryd.rewriting import is_disk_full
from memoryd_actors.core.errors import DiskFull, Unavailable


class FolderUnsafe(Unavailable):
    """Raised when a folder cannot be kept from other users."""

    def __init__(self, path: Path, reason: str, hint: str) -> None:
        super().__init__(f"{path} cannot be used: {reason}", hint)


def private_folder(path: Path) -> Path:
    """Make sure that `path` is a folder with mode 0700 that belongs to this user, and return it.

    It is created where it is missing; where it is ours and others have access, that is taken from them.

    Raises:
        DiskFull: there is no space for it.
        FolderUnsafe: it belongs to somebody else, is no folder, or cannot be made or mended.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if not stat.S_ISDIR(status.st_mode):
            raise FolderUnsafe(path, "it is not a folder", "Move it away, or choose another place.")
        if status.st_uid != os.geteuid():
            raise FolderUnsafe(
                path,
                f"it belongs to user {status.st_uid}, and memoryd runs as user {os.geteuid()}",
                "Run memoryd as its owner, or choose another folder with MEMORYD_HOME and MEMORYD_RUNTIME_DIR.",
            )
        if status.st_mode & 0o077:
            path.chmod(0o700)
            if path.stat().st_mode & 0o077:
                raise FolderUnsafe(path, "its file system lets others in", "Choose a folder on another file system.")
    except FileExistsError as exc:
        raise FolderUnsafe(path, "it is not a folder", "Move it away, or choose another place.") from exc
    except OSError as exc:
        if is_disk_full(exc):
            raise DiskFull(str(path)) from exc
        raise FolderUnsafe(path, exc.strerror or str(exc), "Choose a folder that you can write to.") from exc
    return path
