"""Tools for memory files: memories that have a path."""

from typing import Annotated

import msgspec
from msgspec import Meta

from memoryd_client.tools.memories import Limit
from memoryd_client.tools.tool import Tool, day, line
from memoryd_client.wire.request import Ask
from memoryd_client.wire.virtual_files import (
    DeleteFile,
    EditFile,
    GrepFiles,
    ListFiles,
    MemoryFile,
    ReadFile,
    SearchFiles,
    WriteFile,
)

Path = Annotated[str, Meta(description="relative, like notes/deploy.md")]
_NONE = "There are none."


class Ls(Tool, frozen=True, kw_only=True):
    """List memory files whose path begins with a prefix."""

    name = "ls"
    title = "List memory files"
    reads = True

    prefix: str = ""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100

    async def answer(self, ask: Ask) -> str:
        """Return their paths, a line each."""
        files = (await ask(ListFiles(prefix=self.prefix, limit=self.limit))).files
        return "\n".join(map(_listed, files)) or _NONE


class ReadMemoryFile(Tool, frozen=True, kw_only=True):
    """Read a memory file."""

    name = "read"
    title = "Read a memory file"
    found_by = "ls"
    reads = True

    path: Path
    offset: Annotated[int, Meta(ge=0)] = 0

    async def answer(self, ask: Ask) -> str:
        """Return a page of it."""
        page = (await ask(ReadFile(path=self.path, offset=self.offset))).page
        more = "" if page.next_offset is None else f"\n[{page.total} characters in all: offset={page.next_offset}]"
        return page.content + more


class WriteMemoryFile(Tool, frozen=True, kw_only=True):
    """Create a memory file, or write over it; earlier versions are kept."""

    name = "write"
    title = "Write a memory file"
    found_by = "ls"
    destroys = True

    path: Path
    content: str
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    async def answer(self, ask: Ask) -> str:
        """Write it."""
        tags, metadata = self.tags or None, self.metadata or None
        reply = await ask(WriteFile(path=self.path, content=self.content, tags=tags, metadata=metadata))
        return f"Written: {_listed(reply.only)}"


class EditMemoryFile(Tool, frozen=True, kw_only=True):
    """Replace a passage of a memory file that stands in it exactly once, or apply a unified diff."""

    name = "edit"
    title = "Edit a memory file"
    found_by = "ls"
    destroys = True

    path: Path
    old: str = ""
    new: str = ""
    diff: Annotated[str, Meta(description="hunks as of diff -u, instead of old and new")] = ""

    async def answer(self, ask: Ask) -> str:
        """Edit it."""
        request = EditFile(path=self.path, old=self.old, new=self.new, diff=self.diff)
        return f"Edited: {_listed((await ask(request)).only)}"


class Grep(Tool, frozen=True, kw_only=True):
    """Find the lines of memory files that a regular expression matches."""

    name = "grep"
    title = "Grep memory files"
    reads = True

    pattern: str
    prefix: str = ""
    limit: Limit = 50

    async def answer(self, ask: Ask) -> str:
        """Return lines with path and number."""
        found = (await ask(GrepFiles(pattern=self.pattern, prefix=self.prefix, limit=self.limit))).matches
        return "\n".join(f"{match.path}:{match.line}: {line(match.text)}" for match in found) or "No line matches."


class SearchMemoryFiles(Tool, frozen=True, kw_only=True):
    """Search memory files by meaning and words."""

    name = "search"
    title = "Search memory files"
    reads = True

    query: str
    tags: tuple[str, ...] = ()
    limit: Limit = 5

    async def answer(self, ask: Ask) -> str:
        """Return files, a line each with what they say."""
        files = (await ask(SearchFiles(query=self.query, tags=self.tags, limit=self.limit))).files
        return "\n".join(f"{_listed(file)}: {line(file.snippet)}" for file in files) or _NONE


class DeleteMemoryFile(Tool, frozen=True, kw_only=True):
    """Delete a memory file; it can be restored."""

    name = "delete"
    title = "Delete a memory file"
    found_by = "ls"
    destroys = True

    path: Path

    async def answer(self, ask: Ask) -> str:
        """Delete it."""
        return (await ask(DeleteFile(path=self.path))).detail


def _listed(file: MemoryFile) -> str:
    tags = f"; {line(', '.join(file.tags))}" if file.tags else ""
    return f"{file.path} ({file.characters} characters, {day(file.updated_at)}{tags})"
