"""The commands of Anthropic's memory tool on memory files: the words are those of its SDK's own tool for local files.

Folders are what paths say: one is there as long as a file is in it. Each write is a new version of a memory, and what
is deleted can be restored.
"""

import posixpath
from collections.abc import Sequence
from typing import Final

from memoryd_client.base.errors import MemorydError
from memoryd_client.wire.memory import MAX_FILE_BYTES
from memoryd_client.wire.request import Ask
from memoryd_client.wire.virtual_files import DeleteFile, ListFiles, MemoryFile, ReadFile, WriteFile

ROOT: Final = "/memories"
_LEVELS: Final = 2
"""Of folders that a view goes down."""
_WIDTH: Final = 6
"""Of the numbers of lines."""
_AROUND: Final = 2
"""Lines that are shown before and after a change."""
_MOST: Final = 1_000


class CommandRefused(MemorydError):
    """Raised when a command of the memory tool cannot be done; the message is what the model is told."""


class MemoryFolder:
    """The memory files below a folder, as the memory tool's `/memories`."""

    def __init__(self, ask: Ask, folder: str) -> None:
        """Prepare; `folder` is where they are among all memory files."""
        self._ask = ask
        self._folder = folder.strip("/")

    async def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return the content of a file with numbered lines, or what is in a folder, two levels deep."""
        inside = _inside(path)
        files = await self._below(inside)
        if any(file.path == self._kept(inside) for file in files):
            return _numbered(path, await self._content(inside), view_range)
        if inside and not files:
            raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.")
        return self._listing(path, inside, files)

    async def create(self, path: str, content: str) -> str:
        """Create a file, which must not be there."""
        inside = _inside(path)
        if not inside or await self._below(inside):
            raise CommandRefused(f"File {path} already exists")
        await self._ask(WriteFile(path=self._kept(inside), content=content))
        return f"File created successfully at: {path}"

    async def replace(self, path: str, old: str, new: str) -> str:
        """Replace a passage, which has to stand in a file exactly once."""
        inside, file = await self._file(path)
        content = await self._content(inside)
        count = content.count(old)
        if count == 0 or not old:
            raise CommandRefused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if count > 1:
            places = [content[:at].count("\n") + 1 for at in range(len(content)) if content.startswith(old, at)]
            raise CommandRefused(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, places))}. Please ensure it is unique"
            )
        changed = content[: content.find(old)].count("\n")
        content = content.replace(old, new)
        await self._ask(WriteFile(path=self._kept(inside), content=content, revision=file.revision))
        lines = content.split("\n")
        first, last = max(0, changed - _AROUND), changed + _AROUND + 1
        shown = "\n".join(_lines(lines[first:last], first + 1))
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    async def insert(self, path: str, line: int, text: str) -> str:
        """Insert lines after a line of a file; after line 0: at its beginning."""
        inside, file = await self._file(path)
        lines = (await self._content(inside)).split("\n")
        if not lines[-1]:
            lines.pop()
        if not 0 <= line <= len(lines):
            raise CommandRefused(
                f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(line, text.rstrip("\n"))
        content = "\n".join(lines).removesuffix("\n") + "\n"
        await self._ask(WriteFile(path=self._kept(inside), content=content, revision=file.revision))
        return f"The file {path} has been edited."

    async def delete(self, path: str) -> str:
        """Delete a file, or a folder with all that is in it."""
        inside = _inside(path)
        if not inside:
            raise CommandRefused(f"Cannot delete the {ROOT} directory itself")
        files = await self._below(inside)
        if not files:
            raise CommandRefused(f"The path {path} does not exist")
        for file in files:
            await self._ask(DeleteFile(path=file.path))
        return f"Successfully deleted {path}"

    async def rename(self, old_path: str, new_path: str) -> str:
        """Give a file, or a folder, another path, at which nothing is."""
        old, new = _inside(old_path), _inside(new_path)
        if not old:
            raise CommandRefused(f"Cannot rename the {ROOT} directory itself")
        if not new or await self._below(new):
            raise CommandRefused(f"The destination {new_path} already exists")
        files = await self._below(old)
        if not files:
            raise CommandRefused(f"The path {old_path} does not exist")
        for file in files:
            content = (await self._ask(ReadFile(path=file.path, limit=MAX_FILE_BYTES))).page.content
            moved = self._kept(new) + file.path.removeprefix(self._kept(old))
            await self._ask(WriteFile(path=moved, content=content, tags=file.tags, metadata=file.metadata))
            await self._ask(DeleteFile(path=file.path))
        return f"Successfully renamed {old_path} to {new_path}"

    async def clear(self) -> str:
        """Delete everything; it can be restored, file by file."""
        for file in await self._below(""):
            await self._ask(DeleteFile(path=file.path))
        return "All memory cleared"

    def _kept(self, inside: str) -> str:
        return f"{self._folder}/{inside}".strip("/")

    async def _below(self, inside: str) -> list[MemoryFile]:
        """Return a file, or those in a folder."""
        kept = self._kept(inside)
        files = (await self._ask(ListFiles(prefix=kept, limit=_MOST))).files
        return [file for file in files if file.path == kept or file.path.startswith(f"{kept}/")]

    async def _file(self, path: str) -> tuple[str, MemoryFile]:
        inside = _inside(path)
        files = await self._below(inside)
        for file in files:
            if file.path == self._kept(inside):
                return inside, file
        if files or not inside:
            raise CommandRefused(f"The path {path} is not a file.")
        raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.")

    async def _content(self, inside: str) -> str:
        return (await self._ask(ReadFile(path=self._kept(inside), limit=MAX_FILE_BYTES))).page.content

    def _listing(self, path: str, inside: str, files: Sequence[MemoryFile]) -> str:
        sizes: dict[tuple[str, ...], int] = {(): 0}
        folders: set[tuple[str, ...]] = {()}
        for file in files:
            parts = tuple(file.path.removeprefix(self._kept(inside)).strip("/").split("/"))
            for depth in range(len(parts) + 1):
                sizes[parts[:depth]] = sizes.get(parts[:depth], 0) + file.characters
            folders.update(parts[:depth] for depth in range(len(parts)))
        lines = [
            f"{_size(size)}\t{'/'.join((path, *parts))}{'/' if parts and parts in folders else ''}"
            for parts, size in sorted(sizes.items())
            if len(parts) <= _LEVELS
        ]
        header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([header, *lines])


def _inside(path: str) -> str:
    """Return a path below `/memories`; empty: the folder itself."""
    if not path.startswith(ROOT):
        raise CommandRefused(f"Path must start with {ROOT}, got: {path}")
    inside = posixpath.normpath(path[len(ROOT) :].lstrip("/") or ".")
    if inside.split("/")[0] == "..":
        raise CommandRefused(f"Path {path} would escape {ROOT} directory")
    return "" if inside == "." else inside


def _numbered(path: str, content: str, view_range: Sequence[int] | None) -> str:
    lines, first = content.split("\n"), 1
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        lines = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
    numbered = "\n".join(_lines(lines, first))
    return f"Here's the content of {path} with line numbers:\n{numbered}"


def _lines(lines: Sequence[str], first: int) -> list[str]:
    return [f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first)]


def _size(count: int) -> str:
    if count == 0:
        return "0B"
    step = min((count.bit_length() - 1) // 10, 3)
    size = count / 1024**step
    return f"{int(size)}{'BKMG'[step]}" if size == int(size) else f"{size:.1f}{'BKMG'[step]}"
