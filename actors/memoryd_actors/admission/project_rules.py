"""What is not to be kept in a project: the user's rules, its environment files, and what its ignored files hold."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec.structs import replace

from memoryd_actors.admission.project_files import NO_FILES, ProjectFiles
from memoryd_actors.redaction import Rules


class IgnoredFiles(Protocol):
    """Knows what a project says about its files: what is not to be kept, and what its environment files hold."""

    async def look(self, project: str, paths: Iterable[str]) -> ProjectFiles:
        """Return which of the paths, as a memory names them, are not to be kept, and the project's variables.

        What cannot be read says nothing; nothing is raised.
        """
        ...

    @property
    def looks(self) -> int:
        """How often it was looked so far."""
        ...

    def look_now(self, project: str, paths: Sequence[str], *, since: int | None = None) -> ProjectFiles:
        """Do what `look` does, in this thread; any may call it.

        What was asked for when `looks` was `since` is content with what others have looked for after that.
        """
        ...


class ProjectRules:
    """Asks the project before anything that was said in it is kept."""

    def __init__(self, rules: Rules, files: IgnoredFiles | None = None) -> None:
        self._rules = rules
        self._files = files

    async def look(self, project: str, paths: Iterable[str] = ()) -> tuple[Rules, ProjectFiles]:
        """Return the rules that are in force in a project, and what it says of the paths."""
        if self._files is None or not project:
            return self._rules, NO_FILES
        seen = await self._files.look(project, paths)
        return in_force(self._rules, seen), seen

    @property
    def looks(self) -> int:
        """How often any project was looked at so far."""
        return self._files.looks if self._files else 0

    def look_now(self, project: str, paths: Sequence[str], *, since: int) -> tuple[Rules, ProjectFiles]:
        """Do what `look` does, in this thread, for who asked when `looks` was `since`."""
        if self._files is None or not project:
            return self._rules, NO_FILES
        seen = self._files.look_now(project, paths, since=since)
        return in_force(self._rules, seen), seen


def in_force(rules: Rules, seen: ProjectFiles) -> Rules:
    """Return the rules with what stands in the project's environment files."""
    return replace(rules, environment=seen.environment) if seen.environment else rules
