"""Changes members of a JSON text, with comments and trailing commas or without, and leaves every other byte alone."""

import json
import re
from collections.abc import Sequence

import msgspec

from memoryd_cli.connect.edit import Edit, Malformed

JsonValue = str | int | float | bool | list["JsonValue"] | dict[str, "JsonValue"] | None
PathStep = str | int

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_DEEPEST = 200


class Node(msgspec.Struct):
    """A value and where it stands."""

    start: int
    end: int = 0
    value: str | int | float | bool | None = None
    """Of what is neither an object nor an array."""
    members: dict[str, "Node"] | None = None
    items: list["Node"] | None = None
    begins: int = 0
    """Where its key begins, or it itself."""
    comma: bool = False
    """Whether a comma follows its last child."""
    children: list["Node"] = msgspec.field(default_factory=list)

    def plain(self) -> JsonValue:
        """Return what it says."""
        if self.members is not None:
            return {key: node.plain() for key, node in self.members.items()}
        if self.items is not None:
            return [node.plain() for node in self.items]
        return self.value

    def at(self, path: Sequence[PathStep]) -> "Node | None":
        """Return the node at a path of keys and indexes."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            if isinstance(step, str):
                node = (node.members or {}).get(step)
            else:
                node = node.items[step] if node.items is not None and step < len(node.items) else None
        return node


def parse(text: str) -> Node:
    """Read a JSON text; one without any value counts as an empty object at its end.

    Raises:
        Malformed: it is not JSON, or says one key twice.
    """
    reader = _Reader(text)
    begin = reader.space(0)
    if begin == len(text):
        return Node(begin, begin, members={})
    node = reader.value(begin, 0)
    if reader.space(node.end) != len(text):
        raise reader.wrong(node.end, "something follows the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, at: int, what: str) -> Malformed:
        return Malformed(f"line {self.text.count(chr(10), 0, at) + 1}: {what}")

    def space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.wrong(at, "nested too deeply")
        match self.text[at : at + 1]:
            case "{":
                return self.children(Node(at, begins=at, members={}), "}", depth)
            case "[":
                return self.children(Node(at, begins=at, items=[]), "]", depth)
            case '"':
                return self.scalar(at, _STRING)
            case _:
                return self.scalar(at, _SCALAR)

    def scalar(self, at: int, pattern: re.Pattern[str]) -> Node:
        found = pattern.match(self.text, at)
        try:
            if found is None:
                raise ValueError
            return Node(at, found.end(), value=json.loads(found[0]), begins=at)
        except ValueError:
            raise self.wrong(at, "no JSON value") from None

    def children(self, parent: Node, closing: str, depth: int) -> Node:
        at = self.space(parent.start + 1)
        while self.text[at : at + 1] != closing:
            if parent.children and not parent.comma:
                raise self.wrong(at, "a comma is missing")
            begins, key = at, ""
            if parent.members is not None:
                named = self.scalar(at, _STRING)
                key = str(named.value)
                at = self.space(named.end)
                if self.text[at : at + 1] != ":":
                    raise self.wrong(at, "a colon is missing")
                at = self.space(at + 1)
            child = self.value(at, depth + 1)
            child.begins = begins
            if parent.members is not None:
                if key in parent.members:
                    raise self.wrong(begins, f"{key!r} is there twice")
                parent.members[key] = child
            elif parent.items is not None:
                parent.items.append(child)
            parent.children.append(child)
            at = self.space(child.end)
            parent.comma = self.text[at : at + 1] == ","
            if parent.comma:
                at = self.space(at + 1)
        parent.end = at + 1
        return parent


def put(edit: Edit, path: Sequence[PathStep], value: JsonValue) -> None:
    """Make the member at a path say `value`; what leads there is made where it is missing.

    Raises:
        Malformed: something else than an object is on the way.
    """
    root = _root(edit)
    node = root.at(path)
    if node is not None:
        if node.plain() != value:
            edit.replace(node.start, node.end, _written(edit, value, _indent(edit.text, node.begins)))
        return
    for length in range(len(path) - 1, -1, -1):
        parent = root.at(path[:length])
        if parent is None:
            continue
        if parent.members is None:
            raise Malformed(f"{'.'.join(map(str, path[:length])) or 'it'} is no object")
        for key in reversed(path[length + 1 :]):
            value = {str(key): value}
        _add(edit, parent, f"{json.dumps(str(path[length]), ensure_ascii=False)}: ", value)
        return


def append(edit: Edit, path: Sequence[str], value: JsonValue) -> None:
    """Add an item to the array at a path, which is made where it is missing.

    Raises:
        Malformed: something else than an array is there.
    """
    node = _root(edit).at(path)
    if node is None:
        put(edit, path, [value])
    elif node.items is None:
        raise Malformed(f"{'.'.join(path)} is no array")
    else:
        _add(edit, node, "", value)


def cut(edit: Edit, path: Sequence[PathStep]) -> None:
    """Take out the member or item at a path, and with it what would be left empty around it."""
    root = parse(edit.text)
    while len(path) > 1:
        parent = root.at(path[:-1])
        if parent is None or len(parent.children) > 1:
            break
        path = path[:-1]
    parent, node = root.at(path[:-1]), root.at(path)
    if parent is None or node is None:
        return
    reader = _Reader(edit.text)
    start, end = len(edit.text[: node.begins].rstrip()), node.end
    follows = reader.space(end)
    place = parent.children.index(node)
    if edit.text[follows] == ",":
        end = follows + 1
    edit.replace(start, end, "")
    if end != follows + 1 and place:
        comma = reader.space(parent.children[place - 1].end)
        edit.replace(comma, comma + 1, "")
    if len(parent.children) == 1 and not edit.text[parent.start + 1 : parent.end - 1 - (end - start)].strip():
        edit.replace(parent.start + 1, parent.end - 1 - (end - start), "")


def _root(edit: Edit) -> Node:
    root = parse(edit.text)
    if root.members is None:
        raise Malformed("it is no object")
    if root.start == root.end:
        edit.insert(root.end, "{}\n")
        root = parse(edit.text)
    return root


def _add(edit: Edit, parent: Node, head: str, value: JsonValue) -> None:
    """Add a child at the end of an object or array."""
    text = edit.text
    closing = parent.end - 1
    if parent.children:
        last = parent.children[-1]
        if "\n" not in text[parent.start : parent.end]:
            edit.insert(last.end, f"{'' if parent.comma else ','} {head}{json.dumps(value, ensure_ascii=False)}")
            return
        indent = _indent(text, last.begins)
        # Behind what is said beside the last child, too.
        behind = len(text[:closing].rstrip())
        edit.insert(behind, f"\n{indent}{head}{_written(edit, value, indent)}")
        if not parent.comma:
            edit.insert(last.end, ",")
        return
    outer = _indent(text, parent.begins)
    indent = outer + _unit(text)
    within = text[parent.start + 1 : closing]
    kept = within.rstrip() if within.strip() else ""
    written = f"{kept}\n{indent}{head}{_written(edit, value, indent)}\n{outer}"
    edit.replace(parent.start + 1, closing, written)


def _written(edit: Edit, value: JsonValue, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(edit.text), ensure_ascii=False).split("\n")
    return f"\n{indent}".join(lines)


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1][:8]


def _indent(text: str, at: int) -> str:
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:at]) - len(text[line:at].lstrip(" \t"))]
