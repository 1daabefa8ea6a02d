"""Phone numbers: international ones, those of some countries as they are written there, and what is called one.

Which numbers there are is known to Google's libphonenumber (phonenumberslite: half a megabyte, and nothing else;
17 ms and 3 MB when the first number is looked at). It knows no context: what is a number of another kind is
decided here.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

import msgspec

from memoryd_actors.redaction.finding import SecretFinding

NATIONAL: Final = ("DE", "AT", "CH", "GB", "IE", "FR", "BE", "NL", "IT", "SE", "FI", "AU", "NZ")
"""Countries whose numbers are known without their prefix, by the 0 that they begin with."""
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
"""Digits of a phone number (ITU-T E.164: at most 15)."""
_FEWEST_NATIONAL, _MOST_NATIONAL = 9, 13
_FEWEST_IN_ONE = 10
"""Of one written without any gap."""
_MOST_GROUPS = 6
_TYPED = str.maketrans({**dict.fromkeys("\u00a0\u202f", " "), **dict.fromkeys("\u2010\u2011\u2012\u2013", "-")})
"""Spaces that do not break, and dashes, as what they stand for."""

_LANGUAGES: Final = msgspec.toml.decode(
    files("memoryd_actors.redaction").joinpath("phones.toml").read_bytes(), type=dict[str, dict[str, str]]
)


def _words(key: str) -> str:
    return "|".join(words[key] for words in _LANGUAGES.values() if key in words)


_RUN = re.compile(
    r"(?<![\w.,/#=$€£%@+-])(?<!\d:)(?:\(?\+ ?)?\(?\d(?:[ ()./\u00a0\u202f\u2010-\u2013-]{0,3}\d){6,17}"
    r"(?![\w%-]|[.,:]\d)",
    re.ASCII,
)
_AMERICAN = re.compile(r"(?:\+?1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}")
_ITALIAN_MOBILE = re.compile(r"3[2-9]\d[ .-]\d{3}[ .-]?\d{4}")
"""Begins with no 0, and is written with a gap behind its prefix."""
_DATE = re.compile(r"(?<!\d)(?:\d{1,2}([./-])\d{1,2}\1)?(?:19|20)\d\d(?!\d)(?:([./-])\d{1,2}\2\d{1,2}(?!\d))?")
_NUMBERS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|0\d{2,}(?:[ ./-]{1,3}0\d{2,})+")
"""An address of IP; numbers that are filled up with zeros, one after the other."""
_CALLED = re.compile(
    rf"(?i:\b(?:{_words('called')})\b)(?:[ \t]{{0,2}}(?:{_words('number')}))?"
    rf"[ \t]{{0,2}}(?:{_words('is')}|:|=|\.)?:?[ \t]{{0,3}}"
    r"(\(?\d{2,5}\)?(?:[ ./-]{0,2}\(?\d{2,5}\)?){1,5})(?![\w-])",
    re.ASCII,
)
_OTHER = re.compile(
    rf"\b(?:{_words('other')})(?:[ -]?(?:no|nr|num|number|nummer|id|code))?[\s.:#=]{{0,4}}\Z", re.IGNORECASE
)
"""What stands before a number and says that it is one of another kind."""


def find_phones(text: str) -> Iterator[SecretFinding]:
    """Yield phone numbers."""
    for match in _CALLED.finditer(text):
        if _FEWEST_DIGITS <= sum(map(str.isdigit, match[1])) <= _MOST_DIGITS:
            yield SecretFinding("phone", *match.span(1))
    at, last = 0, -1
    while (run := _RUN.search(text, at)) is not None:
        start = run.start()
        goes_on = start > 1 and text[start - 1] == " " and text[start - 2].isdigit() and start - 1 != last
        is_other = goes_on or _OTHER.search(text, max(0, start - 40), start)
        told = "" if is_other else _first(run.group().translate(_TYPED))
        if told:
            at = last = start + len(told)
            yield SecretFinding("phone", start, last)
        else:
            at = run.end()


def _first(run: str) -> str:
    """Return the phone number that a run of digits is, or that it begins with where another one follows."""
    if _is_phone(run):
        return run
    ends = [gap.start() for gap in re.finditer(r" (?=[+(0])", run)]
    return next((run[:end] for end in reversed(ends) if _is_phone(run[:end])), "")


def _is_phone(run: str) -> bool:
    digits = "".join(filter(str.isdigit, run))
    if not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS or _DATE.search(run) or _NUMBERS.fullmatch(run):
        return False
    if run.startswith(("+", "(+")):
        return _is_valid(run)
    if (american := _AMERICAN.fullmatch(run)) or _ITALIAN_MOBILE.fullmatch(run):
        return _is_valid(f"+1{digits[-10:]}" if american else f"+39{digits}")
    groups = re.findall(r"\d+", run)
    if min(map(len, groups)) < 2 or len(groups) > _MOST_GROUPS or ("." in run and set(run) & set(" /-")):
        return False
    if run.startswith("00"):
        return not run.startswith("001") and _is_valid(f"+{digits[2:]}")
    return digits.startswith("0") and _is_national(digits, in_one=len(groups) == 1)


def _is_valid(number: str) -> bool:
    """Return whether there can be such a number; it begins with the country's prefix."""
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


def _is_national(digits: str, *, in_one: bool) -> bool:
    """Return whether a number that begins with a 0 is one somewhere; without a gap, one of a mobile phone."""
    if not (_FEWEST_IN_ONE if in_one else _FEWEST_NATIONAL) <= len(digits) <= _MOST_NATIONAL:
        return False
    return any(_is_valid_in(country, int(digits), mobile=in_one) for country in NATIONAL)


def _is_valid_in(country: str, national: int, *, mobile: bool) -> bool:
    """Return whether a country has a number. Put together, not parsed: that takes a quarter of the time."""
    from phonenumbers import (
        PhoneNumber,
        PhoneNumberType,
        country_code_for_region,
        is_valid_number_for_region,
        number_type,
    )

    number = PhoneNumber(
        country_code=country_code_for_region(country),
        national_number=national,
        italian_leading_zero=country == "IT" or None,  # a part of the number there
    )
    return is_valid_number_for_region(number, country) and (not mobile or number_type(number) == PhoneNumberType.MOBILE)
