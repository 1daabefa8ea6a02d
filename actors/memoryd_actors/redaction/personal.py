"""Personal data: card numbers, IBANs, national ids; phone numbers, addresses, streets and names on demand.

Where a number has a check digit, it is checked: of numbers of the same length one in ten passes for a card and one in
97 for an IBAN. Every pattern is bounded, and the time is linear in the text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal, get_args

from memoryd_actors.redaction.email_addresses import find_emails
from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.people import find_names
from memoryd_actors.redaction.phones import find_phones
from memoryd_actors.redaction.streets import find_streets

PersonalData = Literal["card", "iban", "national-id", "phone", "email", "street", "name"]
KINDS: tuple[PersonalData, ...] = get_args(PersonalData)
DEFAULT_KINDS: tuple[PersonalData, ...] = ("card", "iban", "national-id")
"""What nobody asks an agent to remember. Addresses, phone numbers and names are what people do want remembered."""
PersonalGroup = Literal["numbers", "contact", "names", "all"]
GROUPS: Final[Mapping[PersonalGroup, tuple[PersonalData, ...]]] = {
    "numbers": DEFAULT_KINDS,
    "contact": ("phone", "email", "street"),
    "names": ("name",),
    "all": KINDS,
}
"""Several kinds by one name."""

# A pattern that begins with a character is looked for five times as fast as one that begins with what stands before it.
_CARD = re.compile(r"\d(?<![\w.+/-]\d)(?:[ -]?\d){12,18}(?![\w/-]|\.\d)", re.ASCII)
# Issuer ranges and lengths: ISO/IEC 7812, and the brands' own documents.
_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)
_TEST_CARDS_TEXT = """
4242424242424242 4111111111111111 4012888888881881 4000056655665556 5555555555554444 5105105105105100
378282246310005 371449635398431 6011111111111117 30569309025904 3530111333300000 2223003122003222
"""
_TEST_CARDS = frozenset(_TEST_CARDS_TEXT.split())
"""What payment providers print for tests; no card has these numbers."""

_IBAN = re.compile(r"[A-Z](?<![A-Za-z0-9][A-Z])[A-Z]\d\d(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_LENGTHS_TEXT = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25
SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _LENGTHS_TEXT.split()}
"""Characters of an IBAN by country (SWIFT's IBAN registry)."""

_US = re.compile(r"[0-8](?<![\w.-]\d)\d\d(?<!000)(?<!666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-])", re.ASCII)
_UK = re.compile(
    r"[A-CEGHJ-PR-TW-Z](?<![A-Za-z0-9][A-Z])[A-CEGHJ-NPR-TW-Z](?<!BG|GB|KN|NK|NT|TN|ZZ)(?: ?\d\d){3} ?[A-D]"
    r"(?![A-Za-z0-9])"
)
_FRENCH = re.compile(
    r"[12](?<!\d[12]) ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?!\d)", re.ASCII
)
_GERMAN = re.compile(
    r"(?:steuer-?id(?:entifikationsnummer|entnummer|nr\.?)?|\bidnr\.?)[\s:=]{0,3}(?:(?:ist|lautet)\s)?"
    r"([1-9]\d(?: ?\d{3}){3})(?!\d)",
    re.IGNORECASE | re.ASCII,
)

_NUMBER = re.compile(r"\d[ -]?(?:\d[ -]?){4}\d")
"""Six digits, as the shortest of them has, a British national insurance number; the others have more."""


def kinds_of(named: Iterable[PersonalData | PersonalGroup]) -> frozenset[PersonalData]:
    """Return the kinds that are named, one by one or as a group."""
    found: set[PersonalData] = set()
    for name in named:
        match name:
            case "numbers" | "contact" | "names" | "all":
                found.update(GROUPS[name])
            case _:
                found.add(name)
    return frozenset(found)


def find_personal(text: str, kinds: frozenset[PersonalData]) -> Iterator[SecretFinding]:
    """Yield personal data of the given kinds."""
    # Most texts have no number as long as that; one look at them takes a fifth of the time of looking for each kind.
    numbers = _NUMBER.search(text) is not None
    for kind in KINDS:
        if kind in kinds and (numbers or kind not in _NUMBERS):
            yield from _FINDERS[kind](text)


def _cards(text: str) -> Iterator[SecretFinding]:
    for match in _CARD.finditer(text):
        digits = match.group().replace(" ", "").replace("-", "")
        if _ISSUERS.fullmatch(digits) and digits not in _TEST_CARDS and len(set(digits)) > 2 and _luhn(digits):
            yield SecretFinding("card-number", *match.span())


def _luhn(digits: str) -> bool:
    """Return whether the check digit is right (ISO/IEC 7812-1, annex B)."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[-1::-2]))) % 10 == 0


def _ibans(text: str) -> Iterator[SecretFinding]:
    for match in _IBAN.finditer(text):
        length = _LENGTHS.get(match.group()[:2])
        if length is None:
            continue
        # A word in capitals may follow: the country says where the number ends.
        place = [at for at in range(match.start(), match.end()) if text[at] != " "]
        if len(place) < length:
            continue
        end = place[length - 1] + 1
        number = text[match.start() : end].replace(" ", "")
        if not text[end : end + 1].isalnum() and _remainder(number) == 1:
            yield SecretFinding("iban", match.start(), end)


def _remainder(iban: str) -> int:
    """Return the remainder by 97 (ISO 13616, ISO 7064): 1 where the check digits are right."""
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97


def _national_ids(text: str) -> Iterator[SecretFinding]:
    for pattern in (_US, _UK):
        for match in pattern.finditer(text):
            yield SecretFinding("national-id", *match.span())
    for match in _FRENCH.finditer(text):
        number = match.group().replace(" ", "").replace("2A", "19").replace("2B", "18")
        if 97 - int(number[:-2]) % 97 == int(number[-2:]):
            yield SecretFinding("national-id", *match.span())
    lowered = text.lower()
    for match in _GERMAN.finditer(text) if "steuer" in lowered or "idnr" in lowered else ():
        if _german(match.group(1).replace(" ", "")):
            yield SecretFinding("national-id", *match.span(1))


def _german(digits: str) -> bool:
    """Return whether the check digit of a German tax id is right (ISO 7064, MOD 11,10)."""
    product = 10
    for digit in digits[:-1]:
        rest = (int(digit) + product) % 10 or 10
        product = 2 * rest % 11
    return (11 - product) % 10 == int(digits[-1])


_NUMBERS = frozenset[PersonalData]({"card", "national-id"})
_FINDERS: dict[PersonalData, Callable[[str], Iterator[SecretFinding]]] = {
    "card": _cards,
    "iban": _ibans,
    "national-id": _national_ids,
    "phone": find_phones,
    "email": find_emails,
    "street": find_streets,
    "name": find_names,
}
