"""What the rules know of a language: a data file for each, with a table for each room that needs one."""

from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")
CODES: Final = ("en", "de")
"""By ISO 639-1: languages in which it was measured how much is recognised."""


def table(code: str, name: str, kind: type[T]) -> T:
    """Return a table of a language, checked against the type that the room declares for it."""
    return msgspec.convert(_file(code)[name], kind)


def words_of(name: str, key: str) -> frozenset[str]:
    """Return the words that the languages have under a key of a table, all together."""
    return frozenset(word for code in CODES for word in table(code, name, dict[str, str])[key].split())


@cache
def _file(code: str) -> dict[str, Any]:
    text = files(__name__).joinpath(f"{code}.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Any])
