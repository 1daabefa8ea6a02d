"""Whether a file or folder that is held open is still what has its name."""

from pathlib import Path

from memoryd_actors.core.errors import Unavailable


class InPlace:
    """Remembers what a path names, by device and inode, and refuses once it names another, or nothing.

    A disk that is taken away, or a folder that is removed or moved, leaves open files that take every write: it would
    be acknowledged, and gone with the process.
    """

    def __init__(self, path: Path, what: str) -> None:
        """Prepare; `what` is the path called in errors: "the ledger"."""
        self._path = path
        self._what = what
        self._known: tuple[int, int] | None = None

    def note(self) -> None:
        """Remember what the path names now, unless something is remembered already."""
        if self._known is None:
            self._known = self._named()

    def forget(self) -> None:
        """Remember nothing: the path is opened anew."""
        self._known = None

    def check(self) -> None:
        """Do nothing where it is in its place, or nothing was remembered.

        Raises:
            Unavailable: it is gone, or something else has its name.
        """
        if self._known is not None and self._named() != self._known:
            raise Unavailable(
                f"{self._what} {self._path} is gone: removed, moved or taken away while in use",
                "Put back what was there, and writing goes on by itself; without it, `memoryd restart` begins anew.",
            )

    def _named(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino
