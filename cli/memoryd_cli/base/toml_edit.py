"""Changes one value in a TOML text by its line, so that comments, order and spacing survive."""

import re
import tomllib
from typing import cast

TomlValue = str | int | float | bool | list[str]
Tables = dict[str, object]

_HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")
_VALUE = r"""("(?:\\.|[^"\\])*"|'[^']*'|\[[^\[\]]*\]|[^\s#"'\[]+)"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def literal(value: TomlValue) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.translate(_PLAIN)
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)


def with_value(text: str, section: str, key: str, value: TomlValue) -> str:
    """Return the text with `key` of `[section]` set: its line changed, or one added, or the section added at the end.

    A dot in `section` leads into a table of a table.

    What it cannot do, it does wrongly: compare `read` of the result with `expected` before using it.
    """
    key = key if _BARE.fullmatch(key) else literal(key)
    setting = re.compile(rf"^(\s*{re.escape(key)}\s*=\s*){_VALUE}(\s*(?:#.*)?)$")
    lines = text.splitlines()
    begin = next((at for at, line in enumerate(lines) if _name(line) == section), None)
    if begin is None:
        if lines and lines[-1].strip():
            lines.append("")
        return "\n".join([*lines, f"[{section}]", f"{key} = {literal(value)}"]) + "\n"
    end = next((at for at in range(begin + 1, len(lines)) if _HEADER.match(lines[at])), len(lines))
    for at in range(begin + 1, end):
        if found := setting.match(lines[at]):
            lines[at] = found[1] + literal(value) + found[3]
            break
    else:
        lines.insert(begin + 1, f"{key} = {literal(value)}")
    return "\n".join(lines) + "\n"


def without(text: str, section: str, key: str) -> str:
    """Return the text without the line that sets `key` of `[section]`; compare as with `with_value`."""
    key = key if _BARE.fullmatch(key) else literal(key)
    setting = re.compile(rf"^\s*{re.escape(key)}\s*=\s*{_VALUE}\s*(?:#.*)?$")
    kept: list[str] = []
    here: str | None = None
    for line in text.splitlines():
        here = _name(line) if _HEADER.match(line) else here
        if here != section or not setting.match(line):
            kept.append(line)
    return "\n".join(kept) + "\n"


def _name(line: str) -> str | None:
    header = _HEADER.match(line)
    return header[1].strip().strip("\"'") if header else None


def read(text: str) -> Tables | None:
    """Return what the text says; None where it is not TOML."""
    try:
        return cast("Tables", tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return None


def expected(text: str, section: str, key: str, value: TomlValue | None) -> Tables | None:
    """Return what the text should say once the value is set, or with None taken out.

    None where it is not TOML, or has no room for it.
    """
    tables = read(text)
    if tables is None:
        return None
    table = tables
    for name in section.split("."):
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            return None
        table = cast("Tables", inner)
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
    return tables
