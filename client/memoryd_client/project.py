"""Which project a path belongs to: the root that all worktrees of one repository share."""

import os
from collections.abc import Mapping
from pathlib import Path

from memoryd_client.base.errors import WrongType

_MAX_POINTER_BYTES = 4096
"""A `.git` file holds one path; more is not one."""


def project_root(path: str | Path | None) -> str:
    """Return the absolute root of the project around `path`; empty for None and for an empty string (no project).

    The root is the folder of the nearest `.git` upwards. A worktree answers with the main working tree of its
    repository (or the repository itself where it is bare), a submodule is a project of its own, and a path outside any
    repository is its own root. A `.git` that leads nowhere counts as the mark of a root. Never raises for what it finds
    on the disk.

    Raises:
        WrongType: it is no path.
    """
    if path is None or path == "":
        return ""
    if not isinstance(path, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance] - not all check types
        raise WrongType(f"`project` is of type {type(path).__name__}, and has to be a path", "Name a folder.")
    start = _resolved(Path(path))
    for folder in (start, *start.parents):
        mark = folder / ".git"
        try:
            if mark.is_dir():
                return str(folder)
            if mark.is_file():
                return str(_behind(mark))
        except OSError:
            continue
    try:
        return str(start.parent if start.is_file() else start)
    except OSError:
        return str(start)


def here() -> str:
    """Return the current folder; nothing where somebody deleted it under our feet."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def moved(path: str, places: Mapping[str, str]) -> str:
    """Return where a folder is now: the one that was named for it, or for the nearest one around it."""
    for old, new in sorted(places.items(), key=lambda pair: -len(pair[0])):
        if path == old:
            return new
        if path.startswith(f"{old}/"):
            return new + path.removeprefix(old)
    return path


def _behind(mark: Path) -> Path:
    """Return the root that a `.git` file stands for."""
    pointer = _first_line(mark)
    if not pointer.startswith("gitdir:"):
        return mark.parent
    git_folder = _resolved(mark.parent / pointer.removeprefix("gitdir:").strip())
    common = _first_line(git_folder / "commondir")
    if not common:
        return mark.parent
    shared = _resolved(git_folder / common)
    if not shared.is_dir():
        return mark.parent
    if shared.name == ".git":
        return shared.parent
    return _working_tree(shared) or shared


def _working_tree(repository: Path) -> Path | None:
    """Return where a repository that lies elsewhere (a submodule's) keeps its main working tree, if it says so."""
    section = ""
    for line in _text(repository / "config", 64 * 1024).splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.lower()
        elif section == "[core]" and text.partition("=")[0].strip().lower() == "worktree":
            return _resolved(repository / text.partition("=")[2].strip().strip('"'))
    return None


def _first_line(file: Path) -> str:
    lines = _text(file, _MAX_POINTER_BYTES).splitlines()
    return lines[0].strip() if lines else ""


def _text(file: Path, limit_bytes: int) -> str:
    """Return the beginning of a file as text; empty where it cannot be read or holds a NUL, as no path does."""
    try:
        with file.open("rb") as stream:
            content = stream.read(limit_bytes)
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in content else os.fsdecode(content)


def named_or_root(project: str | Path) -> str:
    """Return a project as users name it (`ferry`), where that is no path and no folder here; else its root."""
    # `Path.exists` raises where a name is longer than any file's.
    named = isinstance(project, str) and not {"/", "\\", "~"} & set(project) and not os.path.exists(Path(project))
    return str(project) if named else project_root(project)


def _resolved(path: Path) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, an unknown user's home, a NUL
        return path.absolute()
