"""Where in a mirrored folder a memory belongs, and what the path of a file says of its memory."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from msgspec import structs

from memoryd.mirror.known import stem
from memoryd.mirror.state import FileRow
from memoryd_actors.core.errors import Refused
from memoryd_actors.mirroring.document import MemoryNote, said_by
from memoryd_actors.mirroring.naming import file_name, folded, name_of
from memoryd_client.wire.memory import Memory

GLOBAL = "global"
"""The folder of what belongs to no project."""


class Places:
    """The folders of a mirror: of one project a folder for each category, of all of them first one for each project."""

    def __init__(self, project: str | None, named: Mapping[str, str]) -> None:
        """Prepare; `named`: projects by the names of their folders, as far as they have one."""
        self._only = project
        self._named = {**named, GLOBAL: ""} if project is None else {}
        self._names = {path: name for name, path in self._named.items()}

    def folder(self, memory: Memory) -> tuple[str, str]:
        """Return the folder of a memory, and the name that its project got for it, if that is new."""
        category = name_of(memory.category)
        if self._only is not None:
            return category, ""
        new = ""
        if memory.project not in self._names:
            new = self._name(memory.project)
            self.name(new, memory.project)
        return f"{self._names[memory.project]}/{category}", new

    def name(self, name: str, project: str) -> None:
        """Let a project have a folder."""
        self._named[name] = project
        self._names[project] = name

    def _name(self, project: str) -> str:
        """Return a name that no other project has."""
        bare = name_of(PurePosixPath(project).name)
        taken = {folded(name) for name in self._named}
        numbered = (f"{bare} {number}" for number in range(2, len(taken) + 3))
        return next(name for name in (bare, *numbered) if folded(name) not in taken)

    def project(self, path: str) -> str:
        """Return the project that a path belongs to; empty: none.

        Raises:
            Refused: there is no project of that name here.
        """
        if self._only is not None:
            return self._only
        parts = PurePosixPath(path).parts[:-1]
        if not parts:
            return ""
        if parts[0] not in self._named:
            raise Refused(
                f"no project here is called {parts[0]!r}",
                f"`memoryd mirror on FOLDER --project-map {parts[0]}=/where/it/is` says which one is meant.",
            )
        return self._named[parts[0]]

    def category(self, path: str) -> str:
        """Return the category that a path says; empty where it says none."""
        parts = PurePosixPath(path).parts[:-1]
        return next(iter(parts[0 if self._only is not None else 1 :]), "")

    def as_placed(
        self, note: MemoryNote, path: str, memory: Memory | None, row: FileRow | None, *, unchanged: bool
    ) -> MemoryNote:
        """Return what a file says, with what its name and folder say: the front matter's own changes come first."""
        name, category = stem(path), self.category(path)
        if memory is None:
            named_so = note.title or note.id or folded(name) == folded(file_name(note))
            return _with(note, title=note.title if named_so else name, category=note.category or category)
        if row is None or row.path == path:
            return note
        if unchanged or not note.headed:
            note = said_by(memory, note.content if not unchanged else memory.content)
        if folded(name) != folded(stem(row.path)) and note.title == memory.title and name != file_name(memory):
            note = _with(note, title=name, category=note.category)
        before = self.category(row.path)
        if category and category != before and note.category in {"", memory.category}:
            same = folded(category) == folded(name_of(memory.category))
            note = _with(note, title=note.title, category=memory.category if same else category)
        return note


def _with(note: MemoryNote, *, title: str, category: str) -> MemoryNote:
    return structs.replace(note, title=title, category=category, headed=True)
