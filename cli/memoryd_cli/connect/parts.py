"""What a connection consists of: entries in files that are others', and files of its own.

A part can be merged into its file's text any number of times, and stripped from it, whatever else stands there.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, cast

import msgspec

from memoryd_cli.connect import jsonc
from memoryd_cli.connect.edit import Edit, Malformed, without_gap
from memoryd_cli.connect.jsonc import JsonValue, PathStep

NAME = "memoryd"
HOOK = "memoryd-hook"
BEGIN, END = "<!-- memoryd: begin -->", "<!-- memoryd: end -->"


class Part(Protocol):
    """What belongs to a connection in one file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def mode(self) -> int | None:
        """The mode that the file needs; None: that of any new file."""
        ...

    def merge(self, edit: Edit) -> None:
        """Put it in where it is missing, and mend it where it is not as it should be.

        Raises:
            Malformed: the file cannot be understood, or somebody else's entry is where this one belongs.
        """
        ...

    def strip(self, edit: Edit) -> None:
        """Take it out.

        Raises:
            Malformed: the file cannot be understood.
        """
        ...

    def hollow(self, text: str) -> bool:
        """Return whether nothing but a frame is left of a file."""
        ...


class Own(msgspec.Struct, frozen=True):
    """A file that is memoryd's alone."""

    path: Path
    text: str
    mode: int | None = None

    def merge(self, edit: Edit) -> None:
        """Write it, unless somebody else's file has its name."""
        if edit.text.strip() and NAME not in edit.text:
            raise Malformed(f"it is not {NAME}'s")
        edit.replace(0, len(edit.text), self.text)

    def strip(self, edit: Edit) -> None:
        """Empty it."""
        if NAME in edit.text:
            edit.replace(0, len(edit.text), "")

    def hollow(self, text: str) -> bool:
        """Return whether it is empty."""
        return not text


class Block(msgspec.Struct, frozen=True):
    """A marked paragraph in a Markdown file."""

    path: Path
    text: str
    mode: int | None = None

    def merge(self, edit: Edit) -> None:
        """Add it at the end, or renew it where it stands."""
        block = f"{BEGIN}\n{self.text.strip()}\n{END}\n"
        if place := _marked(edit.text):
            edit.replace(*place, block)
            return
        gap = "" if not edit.text else "\n" if edit.text.endswith("\n") else "\n\n"
        edit.insert(len(edit.text), gap + block)

    def strip(self, edit: Edit) -> None:
        """Take it out, with the empty line before it."""
        if place := _marked(edit.text):
            edit.replace(without_gap(edit.text, place[0]), place[1], "")

    def hollow(self, text: str) -> bool:
        """Return whether nothing else is there."""
        return not text.strip()


def is_ours(there: object, server: Mapping[str, object]) -> bool:
    """Return whether an entry of an MCP server is one that connecting made: by what it runs, wherever memoryd was."""
    return len(_words(server)) > 1 and _words(there)[1:] == _words(server)[1:]


def may_be_renewed(there: object, server: Mapping[str, object]) -> bool:
    """Return whether an entry of an MCP server starts memoryd, whoever made it."""
    command = next(iter(_words(there)), "")
    return is_ours(there, server) or (isinstance(command, str) and Path(command).name == NAME)


def _words(server: object) -> list[object]:
    """Return the command line of a server."""
    said = cast("Mapping[str, object]", server) if isinstance(server, dict) else {}
    command, arguments = said.get("command"), said.get("args")
    first = cast("list[object]", command) if isinstance(command, list) else [command]
    return [*first, *(cast("list[object]", arguments) if isinstance(arguments, list) else [])]


def _marked(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start < 0:
        return None
    if end < 0:
        raise Malformed(f"{BEGIN} has no {END}")
    end += len(END)
    return start, end + (2 if text[end : end + 2] == "\r\n" else 1 if text[end : end + 1] == "\n" else 0)


class Member(msgspec.Struct, frozen=True):
    """An MCP server in an object of servers."""

    path: tuple[str, ...]
    value: dict[str, JsonValue]

    def merge(self, edit: Edit) -> None:
        """Make it say what it should; what else somebody has put into it stays."""
        node = jsonc.parse(edit.text).at(self.path)
        if node is None:
            jsonc.put(edit, self.path, self.value)
            return
        if not may_be_renewed(node.plain(), self.value):
            raise Malformed(f"{'.'.join(self.path)} is there and is not {NAME}'s")
        for key, value in self.value.items():
            jsonc.put(edit, (*self.path, key), value)

    def strip(self, edit: Edit) -> None:
        """Take it out."""
        node = jsonc.parse(edit.text).at(self.path)
        if node is not None and is_ours(node.plain(), self.value):
            jsonc.cut(edit, self.path)


class Default(msgspec.Struct, frozen=True):
    """A member that a file needs to be read at all, and that stays as it is where it is there."""

    key: str
    value: JsonValue

    def merge(self, edit: Edit) -> None:
        """Add it where it is missing."""
        if jsonc.parse(edit.text).at((self.key,)) is None:
            jsonc.put(edit, (self.key,), self.value)

    def strip(self, edit: Edit) -> None:
        """Leave it: others may need it by now."""


class Item(msgspec.Struct, frozen=True):
    """A word in a list."""

    path: tuple[str, ...]
    value: str

    def merge(self, edit: Edit) -> None:
        """Add it where it is missing."""
        node = jsonc.parse(edit.text).at(self.path)
        if node is None or node.items is None or self.value not in [item.plain() for item in node.items]:
            jsonc.append(edit, self.path, self.value)

    def strip(self, edit: Edit) -> None:
        """Take it out."""
        node = jsonc.parse(edit.text).at(self.path)
        values = [item.plain() for item in node.items or ()] if node is not None else []
        if self.value in values:
            jsonc.cut(edit, (*self.path, values.index(self.value)))


class Hook(msgspec.Struct, frozen=True):
    """A hook in a list of an event's hooks, known again by the program that it runs.

    Its timeout, matcher and position stay as they are found: people change them, and Codex trusts a hook by them.
    """

    path: tuple[str, ...]
    item: dict[str, JsonValue]

    def merge(self, edit: Edit) -> None:
        """Add it, or have the one that is there run the program that it should."""
        found = list(_commands(jsonc.parse(edit.text).at(self.path), self.path))
        (_, wanted), *_ = _handlers(self.item)
        if not found:
            jsonc.append(edit, self.path, self.item)
            return
        for path, handler in found:
            for key in ("command", "bash", "args"):
                if key in wanted and handler.get(key) != wanted[key]:
                    jsonc.put(edit, (*path, key), wanted[key])

    def strip(self, edit: Edit) -> None:
        """Take out every hook that runs the program, and a group in which there is no other."""
        while found := list(_commands((root := jsonc.parse(edit.text)).at(self.path), self.path)):
            place = found[-1][0]
            handlers = root.at(place[:-1])
            alone = place[-2] == "hooks" and handlers is not None and len(handlers.children) == 1
            jsonc.cut(edit, place[:-2] if alone and len(place) > len(self.path) + 1 else place)


def hook_places(file: Path) -> list[tuple[str, int, int]]:
    """Return event, group and place of each hook in a file of grouped hooks that runs the hook program."""
    try:
        events = jsonc.parse(file.read_text(encoding="utf-8")).at(("hooks",))
    except (OSError, Malformed):
        return []
    found: list[tuple[str, int, int]] = []
    for event, node in ((events.members or {}) if events else {}).items():
        for path, _ in _commands(node, ()):
            match path:
                case (int(group), "hooks", int(place)):
                    found.append((event, group, place))
                case _:
                    continue
    return found


def _commands(
    node: jsonc.Node | None, path: tuple[PathStep, ...]
) -> Iterator[tuple[tuple[PathStep, ...], dict[str, JsonValue]]]:
    """Yield the place and the content of each handler in a list of hooks that runs the hook program."""
    if node is None:
        return
    plain = node.plain()
    if not isinstance(plain, list):
        raise Malformed(f"{'.'.join(map(str, path))} is no list")
    for at, item in enumerate(plain):
        for inner, handler in _handlers(item):
            if any(_runs_hook(handler.get(key)) for key in ("command", "bash")):
                yield (*path, at, *inner), handler


def _handlers(item: JsonValue) -> Iterator[tuple[tuple[PathStep, ...], dict[str, JsonValue]]]:
    """Yield the handlers of an entry: those under `hooks` where it groups them, else it itself."""
    if not isinstance(item, dict):
        return
    hooks = item.get("hooks")
    if isinstance(hooks, list):
        yield from ((("hooks", at), handler) for at, handler in enumerate(hooks) if isinstance(handler, dict))
    else:
        yield (), item


def _runs_hook(command: JsonValue) -> bool:
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return bool(words) and any(Path(word).name == HOOK for word in (*words[:1], command))


class Json(msgspec.Struct, frozen=True):
    """Entries in a JSON file."""

    path: Path
    entries: tuple[Member | Default | Item | Hook, ...] = msgspec.field(default_factory=tuple)
    mode: int | None = None
    alone: bool = False
    """Whether nobody else writes into it."""

    def merge(self, edit: Edit) -> None:
        """Merge every entry."""
        for entry in self.entries:
            entry.merge(edit)

    def strip(self, edit: Edit) -> None:
        """Strip every entry."""
        for entry in self.entries:
            entry.strip(edit)

    def hollow(self, text: str) -> bool:
        """Return whether nothing but what the file needs to be read is left."""
        plain = jsonc.parse(text).plain()
        # Some hosts write `$schema` into their files by themselves.
        needed = {"$schema", *(entry.key for entry in self.entries if isinstance(entry, Default))}
        return isinstance(plain, dict) and plain.keys() <= needed
