"""What the rules know of a language: a data file for each, with a table for each room that needs one.

A pattern may be written over several lines, which count for nothing; `<<name>>` in it stands for one of the `parts` of
its table. A space stands for any white space and an apostrophe for whichever is typed, once `typed` has made them so.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")
CODES: Final = ("en", "de")
"""By ISO 639-1: languages in which it was measured how much is recognised."""
_PART: Final = re.compile(r"<<(\w+)>>")


def table(code: str, name: str, kind: type[T]) -> T:
    """Return a table of a language, checked against the type that the room declares for it; with its `code`."""
    found = _file(code)[name]
    return msgspec.convert({**_filled(found, found.get("parts", {})), "code": code}, kind)


def words_of(name: str, key: str) -> frozenset[str]:
    """Return the words that the languages have under a key of a table, all together."""
    return frozenset(word for code in CODES for word in table(code, name, dict[str, str])[key].split())


def typed(pattern: str) -> str:
    """Return a pattern whose spaces and apostrophes stand for what people type."""
    spaced = pattern.replace("[- ]", r"[-\s]").replace(" ?", r"[^\S\n]*").replace(" ", r"[^\S\n]+")
    return spaced.replace("'", "['\u2019]")


@cache
def _file(code: str) -> dict[str, Any]:
    text = files(__name__).joinpath(f"{code}.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Any])


def _filled(value: Any, parts: Mapping[str, str]) -> Any:
    """Return a value of a table with the parts of its patterns in their places."""
    if isinstance(value, str):
        whole = value.replace("\n", "")
        return _PART.sub(lambda part: _filled(parts[part[1]], parts), whole)
    if isinstance(value, list):
        return [_filled(item, parts) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, parts) for key, item in value.items() if key != "parts"}
    return value
