"""The wire of memory files: memories that have a path, listed, read, written and searched like files."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_client.wire.memories import Page
from memoryd_client.wire.memory import MAX_FILE_BYTES
from memoryd_client.wire.request import Done, Request

MAX_PATH_CHARACTERS = 512
Path = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PATH_CHARACTERS)]
Prefix = Annotated[str, msgspec.Meta(max_length=MAX_PATH_CHARACTERS)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_FILE_BYTES)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class ReadFile(Request[Page], frozen=True, kw_only=True, omit_defaults=True, tag="files_read"):
    """A page of one memory file."""

    path: Path
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_FILE_BYTES)] = 20_000


class DeleteFile(Request[Done], frozen=True, kw_only=True, omit_defaults=True, tag="files_delete"):
    """Delete a memory file; `restore` brings its memory back, and with it the file."""

    path: Path


class MemoryFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory file, without its content."""

    path: str
    id: str
    """Of the memory that it is."""
    title: str = ""
    category: str = "file"
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = {}
    characters: int
    revision: int
    updated_at: datetime
    score: float = 0.0
    """Of a search: fused relevance, 0 to 1."""
    snippet: str = ""
    """Of a search: what it says, in one line."""


class FileMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line that matches."""

    path: str
    line: int
    """From 1."""
    text: str


class MemoryFiles(msgspec.Struct, frozen=True, kw_only=True, tag="files"):
    """Memory files."""

    files: tuple[MemoryFile, ...]

    @property
    def only(self) -> MemoryFile:
        """The one that was asked for."""
        (only,) = self.files
        return only


class ListFiles(Request[MemoryFiles], frozen=True, kw_only=True, omit_defaults=True, tag="files_list"):
    """Memory files whose path begins with a prefix, in the order of their paths."""

    prefix: Prefix = ""
    limit: Limit = 200


class WriteFile(Request[MemoryFiles], frozen=True, kw_only=True, omit_defaults=True, tag="files_write"):
    """Create a memory file, or overwrite it; answered when it is durable."""

    needs_memory = True

    path: Path
    content: Text
    tags: tuple[str, ...] | None = None
    """None: as they are."""
    metadata: dict[str, str] | None = None
    """None: as they are."""
    revision: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Refused where the file is at another revision; None: whatever it is at."""


class EditFile(Request[MemoryFiles], frozen=True, kw_only=True, omit_defaults=True, tag="files_edit"):
    """Replace a passage of a memory file, which has to stand in it exactly once; or apply a unified diff."""

    needs_memory = True

    path: Path
    old: Text = ""
    new: Text = ""
    diff: Text = ""
    """Instead of both."""
    revision: Annotated[int, msgspec.Meta(ge=1)] | None = None


class SearchFiles(Request[MemoryFiles], frozen=True, kw_only=True, omit_defaults=True, tag="files_search"):
    """Memory files by meaning and words, best first."""

    needs_memory = True

    query: str
    prefix: Prefix = ""
    tags: tuple[str, ...] = ()
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5


class FileMatches(msgspec.Struct, frozen=True, kw_only=True, tag="file_matches"):
    """Lines that match, in the order of paths and lines."""

    matches: tuple[FileMatch, ...]


class GrepFiles(Request[FileMatches], frozen=True, kw_only=True, omit_defaults=True, tag="files_grep"):
    """Lines of memory files that a regular expression matches."""

    needs_memory = True

    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    prefix: Prefix = ""
    limit: Limit = 100


FileRequest = ListFiles | ReadFile | WriteFile | EditFile | GrepFiles | SearchFiles | DeleteFile
