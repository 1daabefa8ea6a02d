"""Dates and times of day in one way of writing: `3 pm` is 15:00, `20 May 2026` is 2026-05-20.

What may be morning or evening, `at 3:00`, stays as it is: it is neither 3:00 nor 15:00.
"""

import re
from typing import Final

from memoryd_actors.texts.languages import NEVER
from memoryd_actors.texts.numbers import NUMBERS

_ALL: Final = tuple(NUMBERS.values())
MONTHS: Final = {name: at for one in _ALL for at, names in enumerate(one.months, 1) for name in names.split()}
DAYS: Final = frozenset(word for one in _ALL for word in one.days.split())
RELATIVE: Final = frozenset(word for one in _ALL for word in one.relative.split())
_CLOCKS: Final = "|".join(one.clock for one in _ALL if one.clock) or NEVER
NTH: Final = "|".join(suffix for one in _ALL for suffix in one.nth.split()) or NEVER
_MAYBE: Final = re.compile(rf"\d[\s\u00a0\u202f]?(?:[ap]\.?m|{_CLOCKS})|\d\.\d\d?\.[12]", re.IGNORECASE)
_TIME: Final = re.compile(
    r"(?<![\d.,:/$€£+-])(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?[\s\u00a0\u202f]?"
    rf"(?:(?P<half>[ap])(?:m|\.m\.?)(?!\w)|(?P<clock>{_CLOCKS})(?:[\s\u00a0](?P<after>[0-5]\d)(?![\d:.,]))?(?!\w))",
    re.IGNORECASE,
)
_NAMED: Final = {name: time for one in _ALL for name, time in one.times.items()}
_NAME: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, _NAMED)) or NEVER})\b")
_ZONE: Final = re.compile(r"(?<=:[0-5]\d),(?=\s(?:UTC|GMT)\b)")
_DOTTED: Final = re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)(?![\d.]*\d)")
_NAMES: Final = "|".join(sorted((name.capitalize() for name in MONTHS), key=len, reverse=True))
_YEAR: Final = r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
_MONTH: Final = re.compile(rf"\b(?:{_NAMES})\b")
_DAY_FIRST: Final = re.compile(rf"(?<![\d.,:/-])\b(?P<day>\d{{1,2}})(?:{NTH}|\.)? (?:of )?(?P<month>{_NAMES})\b{_YEAR}")
_MONTH_FIRST: Final = re.compile(rf"\b(?P<month>{_NAMES})\.? (?P<day>\d{{1,2}})(?:{NTH})?(?!\d|[.:,]\d|\w){_YEAR}")


def written(text: str) -> str:
    """Return a text with the times of day and the days of a month that are certain as `15:00` and `2025-06-01`."""
    if any(name in text for name in _NAMED):
        text = _NAME.sub(lambda found: _NAMED[found.group()], text)
    if _MAYBE.search(text):
        text = _DOTTED.sub(_date, _TIME.sub(_time, text))
    if _MONTH.search(text):
        text = _MONTH_FIRST.sub(_date, _DAY_FIRST.sub(_date, text))
    return _ZONE.sub("", text) if "UTC" in text or "GMT" in text else text


def _time(found: re.Match[str]) -> str:
    hour = int(found["hour"])
    minute = found["minute"] or found["after"] or "00"
    if found["clock"]:
        return f"{hour:02}:{minute}" if hour <= 24 else found.group()
    if not 1 <= hour <= 12:
        return found.group()
    return f"{hour % 12 + (12 if found['half'] in 'pP' else 0):02}:{minute}"


def _date(found: re.Match[str]) -> str:
    name = found["month"]
    day, month = int(found["day"]), int(name) if name.isdecimal() else MONTHS[name.lower()]
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return found.group()
    return f"{found['year'] or '-'}-{month:02}-{day:02}"
