"""Streets with the number of a house, in English, German, Dutch, French, Italian, Spanish and Portuguese.

What kind of road it is shows a street. Where that is a word of everyday as well (`Drive`, `Close`, `Via`), what follows
has to be an address's, too. Every pattern is bounded, and the time is linear in the text.
"""

import re
from collections.abc import Iterator

from memoryd_actors.redaction.finding import SecretFinding

_APOSTROPHE = r"['\u2019]"
_CAPITAL = r"[A-ZÄÖÜÉÀÁÇØŁŠŽ][\w'\u2019-]{0,30}"
_PLAIN = r"[A-ZÀ-Þ][a-zß-ÿ'\u2019]{1,30}"
"""A word of no abbreviation, and of no name in the middle of which there are capitals."""
_END = r"(?=[ ]?(?:[,.;:!?)\]\n\"]|\Z)|[ ](?:in|a|à|en|em)[ ][A-Z])"
"""What follows an address: an end, or the town."""

_ROAD = "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Dr|Boulevard|Blvd|Ct|Pl|Sq|Terrace|Crescent|Highway|Hwy|Parkway|Pkwy|Mews"
_EVERYDAY_ROAD = "Drive|Court|Place|Square|Way|Close|Alley|Row"
_NO_DRIVE = "(?:[A-Z][a-z]{1,20}[ ])?(?:Hard|Flash|Thumb|Dis[ck]|Tape|State|Network|Cloud|Google|Test)[ ]Drive"
_FLAT = r"(?:,?[ ](?:Apt|Unit|Suite|Flat|#)\.?[ ]?\w{1,6})?"
_BEFORE_YEAR = re.compile(
    r"\b(?:in|since|by|until|till|from|during|of|for|the|late|early|spring|summer|autumn|fall|winter)[ ]\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d[ ]")
_GERMAN_ROAD = (
    "straße|strasse|str|gasse|weg|platz|allee|damm|ufer|steig|gürtel|kai|promenade|chaussee"
    "|straat|laan|plein|gracht|dijk|singel|steeg|plantsoen"
)
_NO_ROAD = "Arbeits|Park|Speicher|Steck|Sitz|Stell|(?:Um|Fahr|Aus|Heim|Rück|Hin|Lösungs|Rechts|Dienst|Irr)weg"
"""How words begin that end like a street and are none."""
_HOUSE = r"\.?[ ]\d{1,4}(?:[ ]?[a-h])?(?:-(?:\d{1,3}|[IVX]{1,4}))?(?![\w])(?:/\d{1,4}){0,3}"
_FRENCH_ROAD = "rue|avenue|boulevard|impasse|quai|chemin"
_OF = rf"(?:[ ](?:de|du|des|la|le|les|l{_APOSTROPHE}|d{_APOSTROPHE})){{0,3}}"
_SOUTHERN_ROAD = (
    r"Viale|Piazzale|Piazza|Vicolo|Lungomare|Lungotevere|Strada|Calle|C/|Avenida|Avda\.?|Av\.|Paseo|Glorieta|Travesía|Carrer"
    r"|Rua|Praça|Travessa|Alameda|Estrada"
)
_EVERYDAY_SOUTHERN_ROAD = "Via|Corso|Largo|Plaza|Camino"
_SOUTHERN_NAME = (
    rf"(?:[ ](?:de|del|della|delle|dello|dei|degli|di|da|do|dos|das|la|las|los|el|e|y"
    rf"|d{_APOSTROPHE}|dell{_APOSTROPHE})){{0,2}}[ ]?{_PLAIN}"
    rf"(?:[ ](?:(?:de|del|di|da|do|dos|la|los|las|e|y)[ ]){{0,2}}(?:{_PLAIN}|[IVX]{{1,4}})){{0,3}}"
)
_SOUTHERN_HOUSE = r"(?:,[ ]?|[ ])(?:n[º°.]?[ ]?)?\d{1,4}(?:[ ]?bis|/?[a-zA-Z])?(?![\w])"
_POSTCODE = r"(?=,?[ ](?:[A-Z]{1,2}-)?(?!(?:19|20)\d\d[ ]|\d\d00[ ])\d{4,5}[ ][A-ZÄÖÜ])"

_STREETS = tuple(
    re.compile(pattern)
    for pattern in (
        # 12 Old Mill Lane; 221B Baker Street
        rf"(?<![\w.-])\d{{1,5}}[A-Za-z]?,?[ ](?:{_CAPITAL}[ ]|\d\w{{0,4}}[ ]){{1,4}}(?:{_ROAD})\b\.?{_FLAT}",
        # 4 Harbour Drive, Leeds
        rf"(?<![\w.-])(?!(?:19|20)\d\d[ ])\d{{1,5}}[A-Za-z]?,?[ ](?!{_NO_DRIVE})(?:{_PLAIN}[ ]){{1,3}}"
        rf"(?:{_EVERYDAY_ROAD})\b{_FLAT}{_END}",
        # Hauptstraße 5, Keizersgracht 123-II
        rf"(?<![\w-])(?!{_NO_ROAD})[A-ZÄÖÜ][\wäöüßÄÖÜ-]{{0,40}}(?:{_GERMAN_ROAD}){_HOUSE}",
        # Kärntner Ring 12, Prins Hendrikkade 33
        r"(?<![\w-])(?:[A-ZÄÖÜ][\wäöüß-]{1,30}[ -]){1,3}"
        rf"(?:{_GERMAN_ROAD.title()}|Ring|[A-Z][a-z]{{2,20}}kade){_HOUSE}",
        # Am Markt 3, 8010 Graz
        r"(?<![\w-])(?:Am|Im|Zum|Zur|(?:An|Auf|In|Bei|Hinter|Vor|Unter)[ ](?:der|dem|den))"
        rf"(?:[ ][A-ZÄÖÜ][\wäöüß-]{{1,30}}){{1,3}}{_HOUSE}{_POSTCODE}",
        # Laan van Meerdervoort 12
        rf"(?<![\w-])Laan[ ]van(?:[ ](?:de|der|den|het))?(?:[ ]{_PLAIN}){{1,2}}{_HOUSE}",
        # rue de la Paix 3, 12 rue Victor Hugo
        rf"(?<![\w-])(?:\d{{1,4}}(?:[ ]?(?:bis|ter))?,?[ ])?(?:{_FRENCH_ROAD}){_OF}[ ]?"
        rf"{_CAPITAL}(?:[ ]{_CAPITAL}){{0,2}}"
        r"(?:,?[ ]\d{1,4})?(?![\w])",
        # 5 place de la République
        r"(?<![\w.-])\d{1,4}(?:[ ]?(?:bis|ter))?,?[ ](?:place|allée|cours|route|square)[ ]"
        rf"(?:de|du|des|d{_APOSTROPHE})(?:[ ](?:la|l{_APOSTROPHE}))?[ ]?{_PLAIN}",
        # Calle Mayor 5, Rua Augusta 100, Piazza del Duomo 1
        rf"(?<![\w-])(?:{_SOUTHERN_ROAD}){_SOUTHERN_NAME}{_SOUTHERN_HOUSE}",
        # Via Roma 10, Milano; abita in via Roma 10
        rf"(?<![\w-])(?:(?:{_EVERYDAY_SOUTHERN_ROAD})|(?<=[ ](?:in|di)[ ])(?:via|corso|piazza|viale))"
        rf"{_SOUTHERN_NAME}{_SOUTHERN_HOUSE}{_END}",
    )
)
_STREET_SIGN = re.compile(rf"\d|\b(?:{_FRENCH_ROAD})\b")


def find_streets(text: str) -> Iterator[SecretFinding]:
    """Yield streets with their numbers."""
    if not _STREET_SIGN.search(text):
        return
    for pattern in _STREETS:
        for match in pattern.finditer(text):
            if not (any(char.isdigit() for char in match.group()) or match.group()[0].islower()):
                continue
            # In 2025 Wall Street was calm.
            if _YEAR.match(match.group()) and _BEFORE_YEAR.search(text, max(0, match.start() - 12), match.start()):
                continue
            yield SecretFinding("street", *match.span())
