"""When something was said, where its words mean nothing without that: `yesterday`, `next week`, `in March`."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from memoryd_actors.extraction.telling import TELLINGS
from memoryd_actors.texts.languages import typed

_TELLINGS: Final = {telling.code: telling for telling in TELLINGS}
_YEAR = re.compile(r"(?<![\d$€£.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")


@cache
def _patterns(code: str) -> tuple["re.Pattern[str]", "re.Pattern[str]"]:
    """Return what is relative in a language, and a day or month that needs a year."""
    telling = _TELLINGS[code]
    return (
        re.compile(rf"\b(?:{typed(telling.relative)})\b", re.IGNORECASE),
        re.compile(rf"\b(?:{typed(telling.day)})\b", re.IGNORECASE),
    )


def needs_day(text: str, codes: Iterable[str]) -> bool:
    """Return whether a text cannot be understood without the day on which it was said.

    `codes` are the languages that it may be in, by ISO 639-1.
    """
    patterns = [_patterns(code) for code in codes]
    return any(relative.search(text) or (month.search(text) and not _YEAR.search(text)) for relative, month in patterns)
