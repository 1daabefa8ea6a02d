"""The months that a question names."""

import re
from datetime import datetime

import msgspec

from memoryd_actors.texts.dates import NTH
from memoryd_actors.texts.numbers import NUMBERS

_ALL = tuple(NUMBERS.values())
_MONTHS = {
    name: number
    for one in _ALL
    for number, names in enumerate(one.months, 1)
    for place, name in enumerate(names.split())
    if place == 0 or len(name) > len("jan")
}
_NO_MONTHS_ALONE = frozenset(word for one in _ALL for word in one.no_month_alone.split())
"""Words that mean a month only beside a number or behind a word that leads to one."""
_BEFORE = "|".join(word for one in _ALL for word in one.before_month.split())
_MONTH = re.compile(
    rf"\b(?:(?P<before>{_BEFORE})\s+)?(?P<day>\d{{1,2}}(?:{NTH}|\.)?\s+(?:of\s+)?)?(?P<month>{'|'.join(_MONTHS)})\b"
    rf"(?P<later>\s+\d{{1,2}}(?:{NTH})?\b)?(?:,?\s+(?P<year>\d{{4}})\b)?"
)


class Month(msgspec.Struct, frozen=True):
    """A month of a year, or of any year."""

    month: int
    year: int | None

    def has(self, moment: datetime) -> bool:
        """Return whether a moment lies in it."""
        return moment.month == self.month and (self.year is None or moment.year == self.year)


def months(question: str) -> list[Month]:
    """Return the months that a question names, in order."""
    found: list[Month] = []
    for match in _MONTH.finditer(question.lower()):
        told = any(match[group] for group in ("before", "day", "later", "year"))
        if told or match["month"] not in _NO_MONTHS_ALONE:
            found.append(Month(_MONTHS[match["month"]], int(match["year"]) if match["year"] else None))
    return found
