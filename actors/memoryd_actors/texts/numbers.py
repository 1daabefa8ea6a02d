"""Numbers in words, and what they count, in one way of writing: `two thousand` is 2000, `1.5 kg` 1500 g."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from memoryd_actors.core.remembered import remembered
from memoryd_actors.texts.languages import tables


class Compound(msgspec.Struct, frozen=True):
    """How several numbers are written as one word."""

    joins: str
    """What stands between ones and tens, the ones first."""
    one: str
    """How one is written within."""


class Numbers(msgspec.Struct, frozen=True):
    """How numbers, days and what is counted are written out."""

    months: list[str]
    days: str
    relative: str
    ones: str
    tens: str
    ordinals: str
    scales: dict[str, int]
    units: dict[str, str]
    before_month: str = ""
    """What stands before the name of a month."""
    no_month_alone: str = ""
    """Names of months that mean something else by themselves."""
    nth: str = ""
    """What stands behind the figures of an ordinal."""
    clock: str = ""
    """What stands behind a time of day."""
    times: dict[str, str] = {}
    """Times of day that have a name, each with what it says."""
    compound: Compound | None = None
    """Where numbers are written as one word."""


NUMBERS: Final = tables("numbers", Numbers)
_ALL: Final = tuple(NUMBERS.values())
UNITS: Final = {
    alias: name for one in _ALL for name, aliases in one.units.items() for alias in (name, *aliases.split())
}
"""What a number counts, case included."""
ORDINALS: Final = {word: f"#{at}" for one in _ALL for at, word in enumerate(one.ordinals.split(), 1)}
SCALES: Final = {word: scale for one in _ALL for word, scale in one.scales.items()}
_ONES: Final = {
    **{word: value for one in _ALL for value, word in enumerate(one.ones.split()) if word != "-"},
    **{word: value for one in _ALL for value, word in zip(range(30, 100, 10), one.tens.split(), strict=True)},
}
_COMPOUNDS: Final = tuple(
    (one.compound, sorted(((scale, name) for name, scale in one.scales.items() if scale <= 1_000), reverse=True))
    for one in _ALL
    if one.compound
)
_LONGEST: Final = 40
"""Letters of a word that is read as a number."""

_BASE: Final = {
    "kg": ("g", 1_000),
    "km": ("metres", 1_000),
    "s": ("ms", 1_000),
    "min": ("ms", 60_000),
    "h": ("ms", 3_600_000),
}
_PLAIN: Final = re.compile(r"\d{1,9}(?:[.,]\d\d?)?")
"""With three digits behind it, the point may stand for thousands."""


def amount(number: str, unit: str) -> tuple[str, str]:
    """Return a number and its unit in the smallest unit of their kind: 1.5 kg as 1500 g."""
    if unit not in _BASE or not _PLAIN.fullmatch(number):
        return number, unit
    smaller, factor = _BASE[unit]
    return f"{float(number.replace(',', '.')) * factor:.12g}", smaller


@remembered(4096)
def numeral(word: str) -> int | None:
    """Return the number that one word in lower case is, and nothing else; None where it is none."""
    if (value := _ONES.get(word)) is not None or len(word) > _LONGEST:
        return value
    tens, hyphen, ones = word.partition("-")
    if hyphen:
        left, right = _ONES.get(tens, 0), _ONES.get(ones, 0)
        return left + right if follows(left, right) and left < 100 else None
    read = (_compound(word, compound, scales) for compound, scales in _COMPOUNDS)
    return next((value for value in read if value is not None), None)


def _compound(word: str, compound: Compound, scales: Sequence[tuple[int, str]]) -> int | None:
    """Read `zweitausenddreihundertfünfundzwanzig`; every part has to be a number."""

    def part(text: str) -> int | None:
        return 1 if text == compound.one else _ONES.get(text) or _compound(text, compound, scales)

    for scale, name in scales:
        left, found, right = word.partition(name)
        if found:
            right = right.removeprefix(compound.joins)
            times, rest = part(left) if left else 1, part(right) if right else 0
            if times is None or rest is None or times >= 1_000 or rest >= scale or not (left or right):
                return None
            return times * scale + rest
    ones, joined, tens = word.partition(compound.joins)
    if not joined:
        return None
    left_over, whole = 1 if ones == compound.one else _ONES.get(ones, 0), _ONES.get(tens, 0)
    return left_over + whole if follows(whole, left_over) else None


def follows(whole: int, rest: int) -> bool:
    """Return whether a number in words goes on with another: twenty-five, two hundred (and) five."""
    if whole >= 100 and whole % 100 == 0:
        return 1 <= rest < 100
    return 20 <= whole % 100 <= 90 and whole % 10 == 0 and 1 <= rest <= 9


def times(number: str, scale: int) -> int:
    """Return a number with `hundred`, `thousand` or more behind it; zero where that is no number."""
    value = float(number.replace(",", ".")) if _PLAIN.fullmatch(number) else 0.0
    if scale > 100:
        return round(value * scale) if value < scale else 0
    low = value % 1_000
    return round(value + 99 * low) if 1 <= low <= 9 else 0
