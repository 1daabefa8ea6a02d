"""What a mirror knows of its files: in memory, and what of it is to be saved."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from memoryd.mirror.state import FileRow
from memoryd_actors.mirroring.naming import folded


def stem(path: str) -> str:
    """Return what a file is called, without its folders and its ending."""
    return PurePosixPath(path).name.removesuffix(".md")


class KnownFiles:
    """The files of a mirror, each with its memory."""

    def __init__(self, rows: Iterable[FileRow]) -> None:
        self._by_path: dict[str, FileRow] = {}
        self._paths: dict[str, str] = {}
        self._names: Counter[str] = Counter()
        self._others: frozenset[str] = frozenset()
        self._unsaved: dict[str, FileRow] = {}
        self._gone: set[str] = set()
        self.paths_changed = True
        """Whether files came, went or got other names since somebody said that this is seen to."""
        for row in rows:
            self._add(row)

    def __len__(self) -> int:
        return len(self._by_path)

    def __iter__(self) -> Iterator[FileRow]:
        return iter(self._by_path.values())

    def at(self, path: str) -> FileRow | None:
        """Return what is known of the file at a path."""
        return self._by_path.get(path)

    def of(self, memory_id: str) -> FileRow | None:
        """Return what is known of a memory's file."""
        path = self._paths.get(memory_id)
        return None if path is None else self._by_path[path]

    def put(self, row: FileRow) -> None:
        """Note a file as it is now, wherever its memory's was before."""
        before = self.of(row.memory_id)
        if before is not None and before.path != row.path:
            self.drop(row.memory_id)
        there = self.at(row.path)
        if there is not None and there.memory_id != row.memory_id:
            self.drop(there.memory_id)
        if self.at(row.path) is None:
            self._add(row)
            self.paths_changed = True
        self._by_path[row.path] = row
        self._unsaved[row.path] = row
        self._gone.discard(row.path)

    def drop(self, memory_id: str) -> None:
        """Note that a memory has no file any more."""
        if (path := self._paths.pop(memory_id, None)) is not None:
            del self._by_path[path]
            self._names[folded(stem(path))] -= 1
            self._unsaved.pop(path, None)
            self._gone.add(path)
            self.paths_changed = True

    def is_taken(self, name: str) -> bool:
        """Return whether a file is called so; the name is folded."""
        return self._names[name] > 0 or name in self._others

    def note_others(self, paths: Iterable[str]) -> None:
        """Note files that are no memory, or not yet: their names are taken, too."""
        self._others = frozenset(folded(stem(path)) for path in paths)

    def _add(self, row: FileRow) -> None:
        self._by_path[row.path] = row
        self._paths[row.memory_id] = row.path
        self._names[folded(stem(row.path))] += 1

    def unsaved(self) -> tuple[list[FileRow], list[str]]:
        """Return what is to be saved: files as they are, and paths at which none is any more."""
        return list(self._unsaved.values()), sorted(self._gone)

    def saved(self, rows: Iterable[FileRow], gone: Iterable[str]) -> None:
        """Note that these are saved, unless they changed again."""
        for row in rows:
            if self._unsaved.get(row.path) is row:
                del self._unsaved[row.path]
        self._gone -= set(gone)
