"""Where in a mirrored folder a memory belongs, and to which project and category a path belongs."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from memoryd_actors.core.errors import Refused
from memoryd_actors.mirroring.naming import folded, name_of
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
