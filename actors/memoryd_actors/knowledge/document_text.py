"""What a document says, whatever its format, and the port through which documents are read."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from memoryd_client.wire.knowledge import LeftOutFile


class DocumentSection(msgspec.Struct, frozen=True):
    """The lines beneath one heading, up to the next."""

    heading: str
    """With those above it, outermost first, ` > ` between them; empty before the first."""
    lines: tuple[tuple[int, str], ...]
    """Each with its number in the file, or that of its page."""


class DocumentText(msgspec.Struct, frozen=True):
    """What a document says."""

    sections: tuple[DocumentSection, ...]
    title: str = ""
    paged: bool = False
    """Whether its lines are numbered by their pages."""


class FileStamp(msgspec.Struct, frozen=True):
    """What tells that a file is the one that was read."""

    modified: datetime
    size: int

    def __str__(self) -> str:
        """Return it as it is kept."""
        return f"{self.modified.isoformat()} {self.size}"


class FoundDocuments(msgspec.Struct, frozen=True):
    """The documents at a path."""

    paths: tuple[str, ...]
    left_out: tuple[LeftOutFile, ...] = ()


class DocumentReader(Protocol):
    """Reads documents; the file system is one."""

    async def find(self, path: str) -> FoundDocuments:
        """Return a file, or the documents in a folder and all below it.

        Raises:
            Refused: there is nothing at that path.
        """
        ...

    async def stamps(self, paths: Sequence[str]) -> Mapping[str, FileStamp]:
        """Return the stamps of those files that there are."""
        ...

    async def root(self, path: str) -> str:
        """Return the folder that speaks for a file: of the repository that it is in, else its own."""
        ...

    async def why_closed(self, path: str, folder: str | None) -> str:
        """Return why a file or folder is closed to whoever may read a folder only, `None` for all; empty: it is not."""
        ...

    async def read(self, path: str) -> DocumentText:
        """Return what a document says.

        Raises:
            Refused: it cannot be read; the message says why.
        """
        ...
