"""When something was said, where its words mean nothing without that: `yesterday`, `next week`, `in March`."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from memoryd_actors.texts.numbers import NUMBERS

_COUNT: Final = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several)"
_RELATIVE: Final = {
    "en": r"yesterday|today|tonight|tomorrow|recently|lately"
    r"|(?:last|next|this|past|coming) (?:few )?(?:(?:week|month|year|night|weekend|morning|evening|quarter)s?"
    r"|summer|winter|spring|fall|autumn|\w+day|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)"
    rf"|{_COUNT} (?:hour|day|week|month|year)s? (?:ago|from now|later)|in {_COUNT} (?:day|week|month|year)s?"
    r"|(?:on|by|since|until) \w+day(?!s)",
    "de": r"gestern|vorgestern|heute|übermorgen|morgen|neulich|kürzlich|letzt(?:e[nrms]?|es) \w+|nächste[nrms]? \w+"
    r"|kommende[nrms]? \w+|dies(?:e[nrms]?) (?:woche|monat|jahr|wochenende|sommer|winter|frühling|herbst|quartal)"
    r"|vor \w+ (?:tag|woche|monat|jahr)(?:e?n?|s)|in \w+ (?:tag|woche|monat|jahr)(?:e?n?|s)|am \w+tag",
}
_BEFORE_MONTH: Final = {
    "en": "in by since until of early late mid from before after last next this starting",
    "de": "im bis seit ende anfang mitte ab",
}
_YEAR = re.compile(r"(?<![\d$€£.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")


@cache
def _patterns(code: str) -> tuple["re.Pattern[str]", "re.Pattern[str]"]:
    """Return what is relative in a language, and a day or month that needs a year."""
    relative = _RELATIVE[code].replace("'", "['\u2019]")
    month = "|".join(" ".join(NUMBERS[code].months).split())
    before = "|".join(_BEFORE_MONTH[code].split())
    return (
        re.compile(rf"\b(?:{relative})\b", re.IGNORECASE),
        re.compile(
            rf"\b(?:(?:{month})\.? \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?(?:{month})"
            rf"|(?:{before}) (?:{month}))\b",
            re.IGNORECASE,
        ),
    )


def needs_day(text: str, codes: Iterable[str]) -> bool:
    """Return whether a text cannot be understood without the day on which it was said.

    `codes` are the languages that it may be in, by ISO 639-1.
    """
    patterns = [_patterns(code) for code in codes if code in _RELATIVE]
    return any(relative.search(text) or (month.search(text) and not _YEAR.search(text)) for relative, month in patterns)
