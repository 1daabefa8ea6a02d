"""Streets and names of people, as far as their surroundings show them: both on demand.

A street is one by its kind of road and a number. A name is one after a title or where somebody is introduced, or a
given name with a capitalised word after it; a given name alone is not, as `Mark`, `Rose` and `Will` are words as well.
What no rule can know is a matter for `privacy.replace`. Every pattern is bounded, and the time is linear in the text.
"""

import re
from collections.abc import Iterator
from importlib.resources import files

from memoryd_actors.redaction.finding import SecretFinding

_APOSTROPHE = r"['\u2019]"
_CAPITAL = r"[A-ZÄÖÜÉÀÁÇØŁŠŽ][\w'\u2019-]{0,30}"
_ROAD = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Close"
    "|Crescent|Alley|Highway|Hwy|Parkway|Pkwy|Mews|Row"
)
_FLAT = r"(?:,?[ ](?:Apt|Unit|Suite|Flat|#)\.?[ ]?\w{1,6})?"
_GERMAN_ROAD = "straße|strasse|str|gasse|weg|platz|allee|damm|ufer|steig|gürtel|kai|promenade|chaussee"
_NO_ROAD = "Arbeits|Park|Speicher|Steck|Sitz|Stell|Umweg|Fahrweg"
"""How words begin that end like a street and are none."""
_HOUSE = r"\.?[ ]\d{1,4}(?:[ ]?[a-h])?(?![\w])(?:/\d{1,4}){0,3}"
_FRENCH_ROAD = "rue|avenue|boulevard|impasse|quai|chemin"
_OF = rf"(?:[ ](?:de|du|des|la|le|les|l{_APOSTROPHE}|d{_APOSTROPHE})){{0,3}}"
_STREETS = tuple(
    re.compile(pattern)
    for pattern in (
        # 12 Old Mill Lane; 221B Baker Street
        rf"(?<![\w.-])\d{{1,5}}[A-Za-z]?,?[ ](?:{_CAPITAL}[ ]|\d\w{{0,4}}[ ]){{1,4}}(?:{_ROAD})\b\.?{_FLAT}",
        # Hauptstraße 5
        rf"(?<![\w-])(?!{_NO_ROAD})[A-ZÄÖÜ][\wäöüßÄÖÜ-]{{0,40}}(?:{_GERMAN_ROAD}){_HOUSE}",
        # Kärntner Ring 12
        rf"(?<![\w-])(?:[A-ZÄÖÜ][\wäöüß-]{{1,30}}[ -]){{1,3}}(?:{_GERMAN_ROAD.title()}|Ring){_HOUSE}",
        # rue de la Paix 3, 12 rue Victor Hugo
        rf"(?<![\w-])(?:\d{{1,4}}(?:[ ]?(?:bis|ter))?,?[ ])?(?:{_FRENCH_ROAD}){_OF}[ ]?"
        rf"{_CAPITAL}(?:[ ]{_CAPITAL}){{0,2}}"
        r"(?:,?[ ]\d{1,4})?(?![\w])",
    )
)
_STREET_SIGN = re.compile(rf"\d|\b(?:{_FRENCH_ROAD})\b")

_FULL = rf"{_CAPITAL}(?:[ ](?:von|van|de|da|del|di|der|den|bin|al)){{0,2}}(?:[ ]{_CAPITAL}){{0,2}}"
_TITLED = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Mme|Señora?)\.?[ ](?:(?:Dr|Prof)\.?[ ]){{0,2}}({_FULL})"
)
_WHOSE = (
    rf"(?:my|his|her|their|(?:the[ ])?user{_APOSTROPHE}s)[ ]"
    r"(?:(?:full|first|last|preferred)[ ])?(?:name|surname)[ ]is"
)
_CALLED = rf"(?:i[ ]am|i{_APOSTROPHE}m|is|was|are)[ ](?:called|named)|(?:please[ ])?call[ ]me"
_GERMAN_NAME = "mein[ ](?:name|vorname|nachname)[ ]ist|ich[ ]hei(?:ß|ss)e|hei(?:ß|ss)t"
_INTRODUCED = re.compile(rf"(?i:\b(?:{_WHOSE}|{_CALLED}|{_GERMAN_NAME})[ ])({_FULL})")
_GIVEN = frozenset(files("memoryd_actors.redaction").joinpath("given_names.txt").read_text(encoding="utf-8").split())
"""Given names that are no English or German words."""
_TWO = re.compile(rf"\b({_CAPITAL})(?:[ ][A-Z]\.)?[ ]((?:(?:von|van|de|da|del|di|der|den)[ ]){{0,2}}{_CAPITAL})")
_NO_NAME = frozenset(
    " I I'm I'll The A An And But Or It He She They We You This That These Those Is Was Are At In On Of For"
    " From With Who What When Where Why How Not No Yes If Then So As My Your His Her Our Their Der Die Das Und"
    " Aber Ist Hat Will Can May Should Monday Tuesday Wednesday Thursday Friday Saturday Sunday January"
    " February March April June July August September October November December Street Road Avenue Cloud Code"
    " Desktop Studio Server User Project Team".split()
)


def find_streets(text: str) -> Iterator[SecretFinding]:
    """Yield streets with their numbers."""
    if not _STREET_SIGN.search(text):
        return
    for pattern in _STREETS:
        for match in pattern.finditer(text):
            if any(char.isdigit() for char in match.group()) or match.group()[0].islower():
                yield SecretFinding("street", *match.span())


def find_names(text: str) -> Iterator[SecretFinding]:
    """Yield names of people, without their titles."""
    for pattern in (_TITLED, _INTRODUCED):
        for match in pattern.finditer(text):
            if match[1] not in _NO_NAME:
                yield SecretFinding("name", *match.span(1))
    at = 0
    while (pair := _TWO.search(text, at)) is not None:
        given, family = pair[1], pair[2].rsplit(" ", 1)[-1]
        # The second word may begin the next pair: it is looked at once more.
        at = pair.start(2)
        if given.lower() in _GIVEN and family not in _NO_NAME:
            yield SecretFinding("name", *pair.span())
            at = pair.end()
