"""The months that a question names."""

import re
from dataclasses import dataclass
from datetime import datetime

from memoryd_actors.texts.dates import MONTHS

_MONTHS = {name: number for name, number in MONTHS.items() if len(name) > len("jan") or name in {"may", "mai"}}
_NO_MONTHS_ALONE = frozenset({"may", "march"})
"""Words that mean a month only beside a number or behind one of these words."""
_MONTH = re.compile(
    r"\b(?:(?P<before>in|of|since|until|by|during|last|this|next|early|late|mid|im|seit|bis)\s+)?"
    r"(?P<day>\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?"
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
    """Return the months that a question names, in English or German, in order."""
    found: list[Month] = []
    for match in _MONTH.finditer(question.lower()):
        told = any(match[group] for group in ("before", "day", "later", "year"))
        if told or match["month"] not in _NO_MONTHS_ALONE:
            found.append(Month(_MONTHS[match["month"]], int(match["year"]) if match["year"] else None))
    return found
