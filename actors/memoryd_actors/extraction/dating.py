"""When something was said, where its words mean nothing without that: `yesterday`, `next week`, `in March`."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from memoryd_actors.comparison.languages import english, french, german, spanish

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
    "fr": r"hier|avant-hier|aujourd'hui|demain|récemment|(?:la semaine|le mois|l'année|l'été|l'hiver|\w+di)"
    r" (?:derni(?:er|ère)|prochaine?|passée?)|(?:cette|ce) (?:semaine|mois|année|week-end|été|hiver)|il y a \w+ "
    r"(?:jours?|semaines?|mois|ans?)|dans \w+ (?:jours?|semaines?|mois|ans?)",
    "es": r"ayer|anteayer|hoy|mañana|recientemente|(?:la semana|el mes|el año|el verano|el invierno|el \w+) "
    r"(?:pasad[oa]|próxim[oa]|que viene)|(?:esta semana|este mes|este año|este fin de semana|este verano)"
    r"|hace \w+ (?:días?|semanas?|mes(?:es)?|años?)|dentro de \w+ (?:días?|semanas?|mes(?:es)?|años?)",
}
_FIGURES: Final = {"en": english, "de": german, "fr": french, "es": spanish}
_BEFORE_MONTH: Final = {
    "en": "in by since until of early late mid from before after last next this starting",
    "de": "im bis seit ende anfang mitte ab",
    "fr": "en fin début depuis jusqu'en",
    "es": "en desde hasta de finales principios",
}
_YEAR = re.compile(r"(?<![\d$€£.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")


@cache
def _patterns(code: str) -> tuple["re.Pattern[str]", "re.Pattern[str]"]:
    """Return what is relative in a language, and a day or month that needs a year."""
    relative = _RELATIVE[code].replace("'", "['\u2019]")
    month = "|".join(" ".join(_FIGURES[code].FIGURES.months).split())
    before = "|".join(_BEFORE_MONTH[code].split())
    return (
        re.compile(rf"\b(?:{relative})\b", re.IGNORECASE),
        re.compile(
            rf"\b(?:(?:{month})\.? \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?(?:{month})"
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
