"""Markdown with front matter: names and values between two lines of `---`, then the text.

The part of YAML that people write by hand: text, quoted or not, lists, one level of names below a name, and text over
several lines after `|`. Values come back as text, lists of text and mappings; what a field makes of them is its own
affair, so `1.10` stays as it was written.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

FieldValue = str | list["FieldValue"] | dict[str, "FieldValue"]
Written = str | int | float | bool | None | Sequence["Written"] | Mapping[str, "Written"]

FENCE: Final = "---"
_NAME = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?")
_PLAIN = re.compile(r"[\w/](?:[\w ./@+-]|:(?! ))*(?<![ :])")
_OTHERWISE = re.compile(r"(?:true|false|null|yes|no|on|off|[-+.\d_eE]+)", re.IGNORECASE)
"""What YAML would take for something else than text."""


class FrontMatterInvalid(ValueError):
    """Raised when a text is not Markdown with front matter; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def joined(head: Mapping[str, Written], body: str) -> str:
    """Return the document. `split` returns the same body, character by character."""
    lines = [f"{name}: {_written(value)}".rstrip() for name, value in head.items()]
    return "\n".join([FENCE, *lines, FENCE, "", body, ""])


def split(text: str) -> tuple[dict[str, FieldValue], str]:
    """Return what stands between the fences, and the text after them.

    Raises:
        FrontMatterInvalid: it does not begin with a fence, has no second one, or has a line in between that cannot be
            read.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != FENCE:
        raise FrontMatterInvalid(1, f"front matter begins with a line of `{FENCE}`")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise FrontMatterInvalid(len(lines), f"the front matter has no end: a second line of `{FENCE}`")
    body = "\n".join(lines[end + 1 :])
    if lines[end + 1 : end + 2] and not lines[end + 1].strip():
        body = "\n".join(lines[end + 2 :])
    return _Head([line.rstrip() for line in lines[1:end]]).read(), body.removesuffix("\n")


class _Head:
    """The lines between the fences, read from top to bottom."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def read(self) -> dict[str, FieldValue]:
        found: dict[str, FieldValue] = {}
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if not line or line.startswith("#"):
                continue
            name, rest = self._named(line)
            if name in found:
                raise FrontMatterInvalid(self._at + 1, f"`{name}` is there twice")
            found[name] = self._value(rest)
        return found

    def _named(self, line: str) -> tuple[str, str]:
        parts = _NAME.fullmatch(line)
        if parts is None:
            raise FrontMatterInvalid(self._at + 1, f"`name: value` is expected, not {line.strip()[:60]!r}")
        return parts[1], (parts[2] or "").strip()

    def _value(self, text: str) -> FieldValue:
        if text in {"|", "|-", ">", ">-"}:
            block = self._indented()
            return (" " if text[0] == ">" else "\n").join(block)
        if text:
            return self._inline(text)
        below = self._indented(dashes=True)
        if not below:
            return ""
        if all(line.startswith("- ") or line == "-" for line in below):
            return [self._inline(line[1:].strip()) for line in below]
        return {name: self._inline(rest) for name, rest in map(self._named, below)}

    def _indented(self, *, dashes: bool = False) -> list[str]:
        """Take the lines that belong to the name above, without their common indentation."""
        begin = self._at
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line and not line.startswith((" ", "\t")) and not (dashes and line.startswith("- ")):
                break
            self._at += 1
        taken = self._lines[begin : self._at]
        while taken and not taken[-1]:
            taken = taken[:-1]
        margin = min((len(line) - len(line.lstrip()) for line in taken if line), default=0)
        return [line[margin:] for line in taken if line or not dashes]

    def _inline(self, text: str) -> FieldValue:
        if text.startswith(("[", "{", '"')):
            try:
                return _textual(json.loads(text, parse_int=str, parse_float=str))
            except (ValueError, RecursionError) as wrong:
                if not text.startswith("[") or not text.endswith("]") or '"' in text:
                    raise FrontMatterInvalid(
                        self._at + 1, f"{text[:60]!r} is no list, mapping or text in quotes: a bracket or quote is open"
                    ) from wrong
            return [_unquoted(part.strip()) for part in text[1:-1].split(",") if part.strip()]
        return _unquoted(text)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return re.split(r"\s#", text, maxsplit=1)[0].rstrip()


def _textual(value: object) -> FieldValue:
    match value:
        case str():
            return value
        case list():
            return [_textual(item) for item in value]
        case dict():
            return {str(name): _textual(item) for name, item in value.items()}
        case _:
            return json.dumps(value)


def _written(value: Written) -> str:
    match value:
        case None | "":
            return ""
        case str():
            return value if _is_plain(value) else json.dumps(value, ensure_ascii=False)
        case Mapping():
            return json.dumps(value, ensure_ascii=False) if value else ""
        case Sequence():
            if all(isinstance(item, str) and _is_plain(item) for item in value):
                return f"[{', '.join(map(str, value))}]" if value else ""
            return json.dumps(list(value), ensure_ascii=False)
        case _:
            return json.dumps(value)


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and _OTHERWISE.fullmatch(text) is None
