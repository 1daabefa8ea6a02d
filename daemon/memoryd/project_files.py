"""Reads what a project says about its files: ignore files at every level, and the variables of environment files.

Ignore files are `.gitignore`, `.secretsignore` (the same form, for what git has to know) and `.git/info/exclude`. Files
are sensitive by their names, by an attribute in `.gitattributes`, or because their own front matter says so.
Everything is bounded, read in a worker thread, and read again only when a file has changed. What cannot be read says
nothing. Values of variables stay in this process and are never logged.
"""

import os
import re
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from memoryd_actors.admission.ignore_rules import Rule, parse, verdict
from memoryd_actors.admission.project_files import ENVIRONMENT_REASON, NO_FILES, ProjectFiles, is_environment
from memoryd_actors.core.worker_threads import WorkerThreads
from memoryd_actors.redaction.rules import Variable

LARGEST_BYTES = 256 * 1024
"""Of a file more than this is not read."""
CACHED_FILES = 512
MOST_VARIABLES = 500
MOST_FOLDERS = 400
"""Folders of a project in which environment files are looked for: a stat each, 1.1 ms together when nothing changed, of
which the stats alone take 0.75."""
MOST_LEVELS = 5
MOST_SEEN = 64
FILLED_BY_TOOLS = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "site-packages", "target", "dist", "build"}
    | {".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".cache", ".next", "vendor", "bower_components"}
)
"""Folders that tools fill."""
_MOST_ENTRIES = 2_000
"""Entries of a folder among which environment files are looked for."""
SENSITIVE_FILES = (
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.gpg", "*.age", "*.tfstate", "*.secret"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass", ".pypirc", ".htpasswd", "credentials"),
    *("credentials.json", "service-account*.json", "secrets.*", "*.tfvars", ".npmrc", ".aws/", ".ssh/", ".gnupg/"),
)
"""What holds keys and passwords, and little else."""
_ATTRIBUTES = ".gitattributes"
_MARKS = re.compile(
    r"(?<!\S)(?:(?P<off>[-!])(?:sensitive|secret)|(?:sensitive|secret)(?:=(?:true|1|yes))?|filter=git-crypt)(?!\S)"
)
_MACRO = "[attr]"
_QUOTED = re.compile(r'"(?P<pattern>(?:[^"\\]|\\.)*)"[ \t]+(?P<attributes>.*)')
_ESCAPED = re.compile(r"\\(.)")
_FRONT_MATTER_BYTES = 64 * 1024
"""Of a file, among which it is looked for its front matter."""
_MARKED = {
    fence: re.compile(
        rf"^[\"']?(?:sensitive|private|confidential|secret)[\"']?\s*{sign}\s*[\"']?(?:true|yes|on|1)\b",
        re.IGNORECASE | re.MULTILINE,
    )
    for fence, sign in (("---", ":"), ("+++", "="))
}
"""How front matter begins and ends, and what it says there: in YAML and in TOML."""
_DEEPEST = 64
"""Folders of a path; a deeper one is looked at as far as this."""
_IGNORE_FILES = (".gitignore", ".secretsignore")
_ASSIGNMENT = re.compile(r"\s{0,40}(?:export\s{1,8})?([A-Za-z_][\w.-]{0,127})\s{0,8}[=:]\s{0,8}(.{1,4096})")
_COMMENT = re.compile(r"\s#.*")

Content = TypeVar("Content")


class _Stamp(msgspec.Struct, frozen=True):
    """What tells that a file is the one that was read."""

    inode: int
    size: int
    changed_ns: int


class _Reader(Generic[Content]):
    """Files as they were understood, read again when they have changed."""

    def __init__(self, understand: Callable[[str], tuple[Content, ...]], *, largest_bytes: int = LARGEST_BYTES) -> None:
        self._understand = understand
        self._largest_bytes = largest_bytes
        self._known: OrderedDict[Path, tuple[_Stamp, tuple[Content, ...]]] = OrderedDict()

    def read(self, path: Path) -> tuple[Content, ...]:
        """Return what a file says; nothing where there is none to read."""
        try:
            # Not blocking: where a pipe lies in the place of a file, opening it would wait for its other end.
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            self._known.pop(path, None)
            return ()
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            os.close(descriptor)
            return ()
        with os.fdopen(descriptor, "rb") as file:
            stamp = _Stamp(about.st_ino, about.st_size, about.st_mtime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                self._known.move_to_end(path)
                return known[1]
            content = self._understand(file.read(self._largest_bytes).decode("utf-8", "replace"))
        self._known[path] = (stamp, content)
        while len(self._known) > CACHED_FILES:
            self._known.popitem(last=False)
        return content


class _Listing(msgspec.Struct, frozen=True):
    """What a folder held when it was last changed."""

    changed_ns: int
    environment: tuple[Path, ...]
    folders: tuple[Path, ...]


class _Tree:
    """The environment files of a project, in all its folders; a folder is listed again only when it has changed."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, _Listing] = OrderedDict()

    def environment_files(self, roots: Iterable[Path]) -> Iterator[Path]:
        """Yield them, nearest to the roots first, of at most `MOST_FOLDERS` folders."""
        front = dict.fromkeys(roots)
        seen: set[Path] = set()
        for _ in range(MOST_LEVELS + 1):
            below: dict[Path, None] = {}
            for folder in front:
                if len(seen) >= MOST_FOLDERS:
                    return
                if folder in seen:
                    continue
                seen.add(folder)
                listing = self._listed(folder)
                yield from listing.environment
                below.update(dict.fromkeys(listing.folders))
            front = below

    def _listed(self, folder: Path) -> _Listing:
        try:
            changed_ns = os.stat(folder).st_mtime_ns
        except OSError:
            return _NOTHING
        known = self._known.get(folder)
        if known is not None and known.changed_ns == changed_ns:
            self._known.move_to_end(folder)
            return known
        listing = _list(folder, changed_ns)
        self._known[folder] = listing
        while len(self._known) > 4 * MOST_FOLDERS:
            self._known.popitem(last=False)
        return listing


_NOTHING = _Listing(0, (), ())


def _list(folder: Path, changed_ns: int) -> _Listing:
    environment: list[Path] = []
    folders: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False):
                if is_environment(entry.name):
                    environment.append(folder / entry.name)
                elif entry.name not in FILLED_BY_TOOLS and entry.is_dir(follow_symlinks=False):
                    folders.append(folder / entry.name)
    except OSError:
        return _NOTHING
    return _Listing(changed_ns, tuple(environment), tuple(folders))


class ProjectFolders:
    """The port `IgnoredFiles` over the local file system."""

    def __init__(self, sensitive: Sequence[str] = SENSITIVE_FILES) -> None:
        """Prepare; `sensitive` are patterns of names, as in an ignore file."""
        self._sensitive = parse("\n".join(sensitive))
        self._thread = WorkerThreads(name="project files")
        self._lock = Lock()
        self._looks = 0
        self._seen: OrderedDict[tuple[str, ...], tuple[int, ProjectFiles]] = OrderedDict()
        """What was seen, and the number of that look."""
        self._rules = _Reader[Rule](parse)
        self._attributes = _Reader[Rule](lambda text: parse("\n".join(_sensitive_lines(text))))
        self._texts = _Reader[str](lambda text: (text,) if "\0" not in text else ())
        self._fronts = _Reader[bool](_is_marked, largest_bytes=_FRONT_MATTER_BYTES)
        self._variables = _Reader[Variable](_variables)
        self._tree = _Tree()

    async def look(self, project: str, paths: Iterable[str]) -> ProjectFiles:
        """Return which of the paths are not to be kept and why, and the variables of the environment files around."""
        named = list(dict.fromkeys(paths))
        return await self._thread.run(partial(self.look_now, project, named, since=self._looks))

    @property
    def looks(self) -> int:
        """How often it was looked so far."""
        return self._looks

    def look_now(self, project: str, paths: Sequence[str], *, since: int | None = None) -> ProjectFiles:
        """Do what `look` does, in this thread; see the port.

        A hundred sessions of a project that ask at the same time have it looked at once or twice.
        """
        asked = (project, *paths)
        with self._lock:
            number, seen = self._seen.get(asked, (0, NO_FILES))
            if since is None or number <= since:
                self._looks += 1
                number = self._looks  # before the look: who asks from now on has not been looked for
                seen = self._look(project, paths)
                self._seen[asked] = number, seen
            self._seen.move_to_end(asked)
            while len(self._seen) > MOST_SEEN:
                self._seen.popitem(last=False)
        return seen

    async def text(self, project: str, path: str) -> str:
        """Return what a file of a project says; nothing where it lies elsewhere, is no text, or is not to be kept."""
        return await self._thread.run(partial(self._text, project, path))

    def _text(self, project: str, path: str) -> str:
        if self.look_now(project, [path]).why_not(path) or not os.path.isabs(project):
            return ""
        root = Path(os.path.realpath(project))
        below = _below(Path(os.path.normpath(project)), path)
        # Where a link leads out of the project, or to what has another name there, that name counts.
        whole = Path(os.path.realpath(os.path.join(project, below))) if below is not None else root
        if whole == root or not whole.is_relative_to(root) or FILLED_BY_TOOLS & set(whole.relative_to(root).parts):
            return ""
        if self.look_now(str(root), [str(whole)]).why_not(str(whole)):
            return ""
        return next(iter(self._texts.read(whole)), "")

    def _look(self, project: str, paths: Sequence[str]) -> ProjectFiles:
        ignored = {path: "which is sensitive by its name" for path in paths if self._is_sensitive(path)}
        if not os.path.isabs(project) or not os.path.isdir(project):
            return ProjectFiles(ignored=ignored) if ignored else NO_FILES
        root = Path(os.path.normpath(project))
        folders = {root: None}
        for path in paths:
            below = _below(root, path)
            if below is None:
                continue
            for parent in list(below.parents)[-2::-1]:
                folders[root / parent] = None
            if is_environment(path):
                ignored[path] = ENVIRONMENT_REASON
            elif by := self._ignored_by(root, below.parts[:_DEEPEST]):
                ignored[path] = f"which {by} leaves out"
            elif self._verdict(root, below.parts[:_DEEPEST], _ATTRIBUTES, is_folder=False):
                ignored[path] = f"which {_ATTRIBUTES} calls sensitive"
            elif self._fronts.read(root / below):
                ignored[path] = "which calls itself sensitive"
        variables: dict[Variable, None] = {}
        for above in _up_to_repository(root):
            for file in _list(above, 0).environment:
                variables.update(dict.fromkeys(self._variables.read(file)))
        # Folders of files that are named come first: the tree may be larger than what is looked at.
        for file in self._tree.environment_files(list(folders)[:_DEEPEST]):
            variables.update(dict.fromkeys(self._variables.read(file)))
        return ProjectFiles(ignored=ignored, environment=tuple(variables)[:MOST_VARIABLES])

    def _is_sensitive(self, path: str) -> bool:
        names = tuple(name for name in path.replace("\\", "/").split("/") if name not in {"", ".", "~"})[-_DEEPEST:]
        return any(
            verdict(self._sensitive, names[:end], is_folder=end < len(names)) for end in range(len(names), 0, -1)
        )

    def _ignored_by(self, root: Path, names: tuple[str, ...]) -> str:
        """Return the name of the ignore file that leaves a path out; a file in an ignored folder stays ignored."""
        for end in range(1, len(names) + 1):
            is_folder = end < len(names) or os.path.isdir(root.joinpath(*names))
            for name in _IGNORE_FILES:
                if self._verdict(root, names[:end], name, is_folder=is_folder):
                    return name
        return ""

    def _verdict(self, root: Path, names: tuple[str, ...], name: str, *, is_folder: bool) -> bool:
        """Ask the ignore files from the path's own folder up to the root; the nearest that speaks of it decides."""
        for depth in range(len(names) - 1, -1, -1):
            reader = self._attributes if name == _ATTRIBUTES else self._rules
            rules = reader.read(root.joinpath(*names[:depth], name))
            said = verdict(rules, names[depth:], is_folder=is_folder)
            if said is not None:
                return said
        if name != ".gitignore":
            return False
        excluded = self._rules.read(root / ".git" / "info" / "exclude")
        return verdict(excluded, names, is_folder=is_folder) or False


def _sensitive_lines(text: str) -> Iterator[str]:
    """Yield the patterns of a `.gitattributes` that make files sensitive, or take that back, as ignore files say it."""
    macros: set[str] = set()
    for line in map(str.strip, text.splitlines()):
        if quoted := _QUOTED.fullmatch(line):
            pattern, attributes = _ESCAPED.sub(r"\1", quoted["pattern"]), quoted["attributes"]
        else:
            pattern, _, attributes = line.replace("\t", " ").partition(" ")
        marks = [bool(mark["off"]) for mark in _MARKS.finditer(attributes)]
        marks += [word[0] in "-!" for word in attributes.split() if word.lstrip("-!") in macros]
        if pattern.startswith(_MACRO):
            if marks and not marks[-1]:
                macros.add(pattern.removeprefix(_MACRO))
        elif pattern and not pattern.startswith("#"):
            yield from (f"!{pattern}" if off else pattern for off in marks)


def _is_marked(text: str) -> tuple[bool, ...]:
    """Return something where the front matter of a text calls it sensitive, and nothing else."""
    text = text.removeprefix("\ufeff")
    marked = _MARKED.get(text[:3])
    if marked is None:
        return ()
    head, end, _ = text[3:].partition(f"\n{text[:3]}")
    # One that goes on beyond what is read counts as far as it was read.
    goes_on = not end and len(text.encode()) >= _FRONT_MATTER_BYTES
    return (True,) if (end or goes_on) and marked.search(head) else ()


def _below(root: Path, path: str) -> PurePosixPath | None:
    """Return a path relative to the root; None where it lies elsewhere."""
    if "\0" in path:
        return None
    whole = os.path.normpath(os.path.join(root, os.path.expanduser(path)))
    try:
        below = PurePosixPath(whole).relative_to(root)
    except ValueError:
        return None
    return below if below.parts else None


def _up_to_repository(root: Path) -> list[Path]:
    """Return the folders above a project, up to the root of the repository that it is a part of; none elsewhere."""
    if os.path.exists(root / ".git"):
        return []
    above = list(root.parents)[:_DEEPEST]
    for number, folder in enumerate(above):
        if os.path.exists(folder / ".git"):
            return above[: number + 1]
    return []


def _variables(text: str) -> tuple[Variable, ...]:
    """Return the assignments of an environment file; a quoted value may not span lines."""
    found: list[Variable] = []
    for line in text.splitlines()[:_MOST_ENTRIES]:
        match = _ASSIGNMENT.fullmatch(line.rstrip())
        if match is None:
            continue
        name, value = match.groups()
        quote = value[0]
        closing = value.find(quote, 1) if quote in "\"'`" else -1
        value = value[1:closing] if closing > 0 else _COMMENT.sub("", value).strip()
        found.append(Variable(name, value))
    return tuple(found[:MOST_VARIABLES])
