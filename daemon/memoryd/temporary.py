"""Temporary files: in the home, for they hold what people said, and another folder may be full or be cleared away."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from memoryd.private_folder import private_folder

PREFIX: Final = "memoryd-"
_OURS = (PREFIX, ".tmp")
"""How our own names begin, and those of LanceDB."""


def use_folder(folder: Path) -> None:
    """Have this process, with its libraries, write temporary files there, and delete what one before it left.

    Raises:
        DiskFull: there is no space for it.
        FolderUnsafe: it cannot be kept from others, or cannot be made.
    """
    private_folder(folder)
    for left in folder.iterdir():
        if left.name.startswith(_OURS):
            shutil.rmtree(left, ignore_errors=True)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def empty_folder() -> tempfile.TemporaryDirectory[str]:
    """Return an empty folder that goes at the end of its block. Blocks for a moment.

    Raises:
        OSError: there can be none.
    """
    Path(tempfile.gettempdir()).mkdir(mode=0o700, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
