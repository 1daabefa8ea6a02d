"""The months that a question names."""

import re
from dataclasses import dataclass
from datetime import datetime

_NAMES = (
    ("january", "januar", "janvier"),
    ("february", "februar", "février", "fevrier"),
    ("march", "märz", "mars"),
    ("april", "avril"),
    ("may", "mai"),
    ("june", "juni", "juin"),
    ("july", "juli", "juillet"),
    ("august", "août"),
    ("september", "septembre"),
    ("october", "oktober", "octobre"),
    ("november", "novembre"),
    ("december", "dezember", "décembre"),
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names}
_NO_MONTHS_ALONE = frozenset({"may", "march", "mars"})
"""Words that mean a month only beside a number or behind one of these words."""
_MONTH = re.compile(
    r"\b(?:(?P<before>in|of|since|until|by|during|last|this|next|early|late|mid|im|seit|bis|en|depuis)\s+)?"
    r"(?P<day>\d{1,2}(?:st|nd|rd|th|\.|er)?\s+(?:of\s+)?)?"
    rf"(?P<month>{'|'.join(_MONTHS)})\b"
    r"(?P<later>\s+\d{1,2}(?:st|nd|rd|th)?\b)?(?:,?\s+(?P<year>\d{4})\b)?"
)


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a year, or of any year."""

    month: int
    year: int | None

    def has(self, moment: datetime) -> bool:
        """Return whether a moment lies in it."""
        return moment.month == self.month and (self.year is None or moment.year == self.year)


def months(question: str) -> list[Month]:
    """Return the months that a question names, in English, German or French, in order."""
    found: list[Month] = []
    for match in _MONTH.finditer(question.lower()):
        told = any(match[group] for group in ("before", "day", "later", "year"))
        if told or match["month"] not in _NO_MONTHS_ALONE:
            found.append(Month(_MONTHS[match["month"]], int(match["year"]) if match["year"] else None))
    return found
