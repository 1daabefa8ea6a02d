"""What the rules know of a language: a data file for each, with a table for each room that needs one.

A pattern may be written over several lines, which count for nothing; `<<name>>` in it stands for one of the `parts` of
its table, or for the language's names of a `month`, what stands `before_month`, a `weekday`, a `unit`, a
`numeral` or the `suffix` of an ordinal. A space stands for any white
space and an apostrophe for whichever is typed, once `typed` has made them so. A language that lacks a table adds
nothing there.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")
ELSEWHERE: Final = "elsewhere"
"""The file of all languages that have none of their own."""
CODES: Final = (
    "en",
    *sorted(
        file.name.removesuffix(".toml")
        for file in files(__name__).iterdir()
        if file.name.endswith(".toml") and file.name not in {"en.toml", f"{ELSEWHERE}.toml"}
    ),
)
"""By ISO 639-1, those that have a file, English first: where nothing tells, a text is taken for English."""
NEVER: Final = "(?!)"
"""A pattern that is found nowhere."""
_PART: Final = re.compile(r"<<(\w+)>>")


def tables(name: str, kind: type[T]) -> dict[str, T]:
    """Return a table of the languages that have it, by their code, checked against the type that the room declares.

    A table is whole, or not there; in it stands its `code`, too.
    """
    found = {code: rows for code in CODES if (rows := _file(code).get(name)) is not None}
    return {
        code: msgspec.convert({**_filled(rows, _parts(code, rows)), "code": code}, kind) for code, rows in found.items()
    }


def words_of(name: str, key: str) -> frozenset[str]:
    """Return the words that the languages have under a key of a table, all together."""
    return frozenset(word for text in texts_of(name, key) for word in text.split())


def common_words(code: str) -> frozenset[str]:
    """Return the commonest words of a language."""
    return frozenset(_filled(_file(code).get("words", {}).get("common", ""), {}).split())


def pattern_of(name: str, key: str) -> str:
    """Return what finds the pattern that any language has under a key of a table."""
    return f"(?:{'|'.join(map(typed, texts_of(name, key))) or NEVER})"


def typed(pattern: str) -> str:
    """Return a pattern whose spaces and apostrophes stand for what people type."""
    spaced = pattern.replace("[- ]", r"[-\s]").replace(" ?", r"[^\S\n]*").replace(" ", r"[^\S\n]+")
    return spaced.replace("'", "['\u2019]")


def texts_of(name: str, key: str) -> list[str]:
    """Return what each language has under a key of a table."""
    found = [(code, _file(code).get(name, {})) for code in (*CODES, ELSEWHERE)]
    return [_filled(rows[key], _parts(code, rows)) for code, rows in found if key in rows]


@cache
def _file(code: str) -> dict[str, Any]:
    text = files(__name__).joinpath(f"{code}.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Any])


def _parts(code: str, rows: Mapping[str, Any]) -> dict[str, str]:
    """Return what stands for a name in the patterns of a table."""
    return {**_shared_parts(code), **rows.get("parts", {})}


@cache
def _shared_parts(code: str) -> dict[str, str]:
    numbers = _file(code).get("numbers", {})
    units = [name for unit, names in numbers.get("units", {}).items() for name in (unit, *names.split())]
    return {
        "month": rf"(?:{_either(numbers.get('months', ()))})\.?",
        "weekday": f"(?:{_either([numbers.get('days', '')])})",
        "numeral": f"(?:{_either([numbers.get('ones', ''), numbers.get('tens', '')])})",
        "suffix": f"(?:{_either([numbers.get('nth', '')])})",
        "before_month": f"(?:{_either([numbers.get('before_month', '')])})",
        "unit": f"(?:{_either(filter(str.isalpha, units))})",
    }


def _either(lists: Iterable[str]) -> str:
    """Return what finds one of the words of some lists, the longest first."""
    words = {word for words in lists for word in words.split()} - {"-"}
    return "|".join(sorted(words, key=lambda word: (-len(word), word))) or NEVER


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
