"""Numbers written out, in any of the languages: `twenty-five`, `neunhundert`, `neuf cents`, `treinta y cinco`."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from memoryd_actors.comparison.languages import FIGURES

_LONGEST: Final = 40
"""Letters of a word that is read as a number."""


def _by_word(tables: Iterable[Mapping[int, str]]) -> dict[str, int]:
    return {word: value for table in tables for value, words in table.items() for word in words.split()}


EXACT: Final = _by_word(one.cardinals for one in FIGURES)
"""Words that are a number, and nothing else, with it."""
HESITANT: Final = _by_word(one.hesitant for one in FIGURES)
"""Words that are one, or something else."""
ORDINALS: Final = _by_word(dict(enumerate(one.ordinals, 1)) for one in FIGURES)
SCALES: Final = _by_word(one.scales for one in FIGURES)
HUNDREDS: Final = frozenset(word for word, value in HESITANT.items() if value == 100)
_HUNDREDS_OF: Final = {
    word: frozenset(_by_word([one.cardinals, one.hesitant])) for one in FIGURES for word in one.hundreds.split()
}
ANDS: Final = frozenset(word for one in FIGURES for word in one.ands.split())
JOINED: Final = EXACT.keys() | HUNDREDS | SCALES.keys() | _HUNDREDS_OF.keys() | {"neuf", "elf", "vingts", "un", "une"}
"""Words that may be part of a longer number."""
UNITS: Final = {
    alias: name for one in FIGURES for name, aliases in one.units.items() for alias in (name, *aliases.split())
}
"""What a number counts, by names that mean nothing else behind a number, case included."""
MONTHS: Final = _by_word(dict(enumerate(one.months, 1)) for one in FIGURES)
MONTHS_IN_LOWER_CASE: Final = frozenset(
    word for one in FIGURES if one.months_in_lower_case for words in one.months for word in words.split()
)
DAYS: Final = _by_word(dict(enumerate(one.days)) for one in FIGURES)
RELATIVE_DAYS: Final = {word: name for one in FIGURES for word, name in one.relative.items()}
_GERMAN_UNITS: Final = {"ein": 1, **{word: value for word, value in EXACT.items() if 1 <= value <= 9}}


_BASE: Final = {
    "kg": ("g", 1_000),
    "km": ("metres", 1_000),
    "s": ("ms", 1_000),
    "min": ("ms", 60_000),
    "h": ("ms", 3_600_000),
}
"""Units of which so many of a smaller one are one, to the letter of the law."""
_PLAIN: Final = re.compile(r"\d{1,9}(?:[.,]\d\d?)?")
"""With three digits behind it, the point may stand for thousands."""


def amount(number: str, unit: str) -> tuple[str, str]:
    """Return a number and its unit in the smallest unit of their kind: 1.5 kg as 1500 g."""
    if unit not in _BASE or not _PLAIN.fullmatch(number):
        return number, unit
    smaller, factor = _BASE[unit]
    return f"{float(number.replace(',', '.')) * factor:.12g}", smaller


@lru_cache(maxsize=4096)
def numeral(word: str) -> int | None:
    """Return the number that one word in lower case is, and nothing else; None where it is none."""
    if (value := EXACT.get(word)) is not None:
        return value
    if len(word) > _LONGEST:
        return None
    if "-" in word:
        return _hyphened(word.split("-"))
    return _german(word) if "hundert" in word or "tausend" in word or "und" in word else None


def joined(left: int, right: int, words: tuple[str, str], *, link: str = "") -> int | None:
    """Return the number that two numbers beside each other are, each told by a word; None where they are two.

    `words` are the words themselves, the left one's last where it has several; `link` what stands between them.
    """
    before, word = words
    low = left % 1_000
    if word in HUNDREDS or before in _HUNDREDS_OF.get(word, ()):
        return left + 99 * low if 1 <= low <= 9 and not link else None
    if link:
        tens = link != "and" and left % 10 == 0 and 20 <= low < 100 and 1 <= right <= 11
        return left + right if tens or (left >= 100 and low % 100 == 0 and right < 100) else None
    if word in {"vingt", "vingts"} and left == 4:
        return 80
    tens = 20 <= low % 100 < 100 and low % 10 == 0
    if tens and (1 <= right <= 9 or (low % 100 in {60, 80} and 10 <= right <= 19)):
        return left + right
    round_hundred = left >= 100 and low % 100 == 0 and 1 <= right < 100
    return left + right if round_hundred or (left >= 1_000 and low == 0 and 1 <= right < 1_000) else None


def behind(word: str, before: str, link: str = "") -> int | None:
    """Return the number that a word is only behind another one: `neuf cents`, `quatre-vingts`, `vingt et un`."""
    if word in {"un", "une"}:
        return 1 if link == "et" and before in JOINED else None
    if word == "vingts":
        return 20 if before == "quatre" else None
    return 100 if word in HUNDREDS or before in _HUNDREDS_OF.get(word, ()) else None


def _hyphened(parts: list[str]) -> int | None:
    total: int | None = None
    before = ""
    for part in parts:
        value = EXACT.get(part)
        if value is None:
            value = {"un": 1, "une": 1, "neuf": 9, "vingts": 20, "cent": 100, "hundred": 100}.get(part)
        if part in ANDS and total is not None:
            continue
        if value is None:
            return None
        total = value if total is None else joined(total, value, (before, part))
        if total is None:
            return None
        before = part
    return total if len(parts) > 1 and total is not None and total > 16 else None


def _german(word: str) -> int | None:
    """Read `zweitausenddreihundertfünfundzwanzig`; every part has to be a number."""
    for name, scale in (("tausend", 1_000), ("hundert", 100)):
        left, found, right = word.partition(name)
        if not found:
            continue
        if not left and not right:
            return None
        times = _part(left) if left else 1
        rest = _part(right.removeprefix("und")) if right else 0
        return None if times is None or rest is None or times >= 1_000 or rest >= scale else times * scale + rest
    unit, found, tens = word.partition("und")
    one, other = _GERMAN_UNITS.get(unit), EXACT.get(tens)
    return one + other if one and other and 20 <= other < 100 and other % 10 == 0 else None


def _part(word: str) -> int | None:
    if word in _GERMAN_UNITS or word in EXACT:
        return _GERMAN_UNITS.get(word) or EXACT[word]
    return 11 if word == "elf" else _german(word)
