"""A text as lexemes, of which nothing is dropped: words as written, numbers with sign and unit, symbols, punctuation.

What two texts say can only be called the same where every character that differs is accounted for. So white space
separates, punctuation becomes marks, and all that is neither a word nor a number stays to the letter: `userId`, `C++`,
`>=`, `src/Main.py`, an emoji.
"""

import re
import unicodedata
from typing import Final, Literal, NamedTuple

from memoryd_actors.comparison.clock import on_the_clock
from memoryd_actors.comparison.numerals import UNITS

Kind = Literal["word", "name", "number", "unit", "date", "symbol", "mark"]


class Lexeme(NamedTuple):
    """One word, number, symbol or punctuation mark."""

    text: str
    """As it is compared, case included."""
    kind: Kind
    folded: str = ""
    """In lower case, where a capital may come from a beginning sentence only; else empty."""
    first: bool = False
    """Of its sentence."""
    article: str = ""
    """What stood before it, where that is an article."""


_LOOKALIKES: Final = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2212": "-", "\u2011": "-", "\u2013": "-", "\u00a0": " "}
)
_OPENING: Final = frozenset("\"'`\u201c\u201d\u201e\u00ab\u00bb\u201a([{\u00bf\u00a1")
_CLOSING: Final = frozenset(".,;:!?\u2026\"'`\u201d\u201c\u00bb\u00ab)]}")
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_ENDS: Final = frozenset(".!?\u2026\n")
"""Marks after which a capital says nothing."""
_SEPARATE: Final = frozenset({".", ",", ";", ":", "!", "?", "...", "\u2026"})
_NUMBER: Final = re.compile(
    r"(?P<prefix>[<>=~\u2248\u2264\u2265\u00b1]*)(?P<currency>[$\u20ac\u00a3\u00a5]?)(?P<sign>[+-]?)"
    r"(?P<inner>[$\u20ac\u00a3\u00a5]?)(?P<digits>\d+(?:[.,']\d+)*|\d{1,2}:\d\d)"
    r"(?P<unit>(?:\u00b0|%|\u2030|[$\u20ac\u00a3\u00a5]|[^\W\d_]{1,3})?(?:[^\W\d_])?)"
)
_ORDINAL: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ISO_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ELISION: Final = re.compile(r"(l|d|n|qu|j|s|c|m|t|jusqu|lorsqu|puisqu)'(?=[^\W\d_]{2})", re.IGNORECASE)
_CLITICS: Final = (("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'m", "am"))
_IS: Final = frozenset("it he she that there here what who where something everything nothing".split())
"""Words after which 's is `is`, and not an owner's mark."""
MERIDIEM: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm"}
LONGEST_UNIT: Final = 3
_SMALL: Final = frozenset(
    """
    a an the and or nor not no but if of to in on at by for as is are was per it its so do did has had may can off out
    up he she his her we our you i der die das den dem ein und am im zu mit von ist aus auf an la le les un une et ou du
    de des en pas ni не и или
    """.split()
)
"""Words that are no unit, however short."""


def lexemes(text: str) -> list[Lexeme]:
    """Take a text apart. What follows from the words beside one another is not decided here."""
    text = on_the_clock(unicodedata.normalize("NFC", text).translate(_LOOKALIKES))
    found: list[Lexeme] = []
    for line in text.splitlines():
        if found and found[-1].kind != "mark":
            found.append(Lexeme("\n", "mark"))
        for place, chunk in enumerate(line.split()):
            if place == 0 and chunk in {"-", "*", "\u2022"} and line.lstrip(" \t-*\u2022")[:2].isalpha():
                continue  # an item of a list
            _chunk(found, chunk)
    return found


def _chunk(found: list[Lexeme], chunk: str) -> None:
    if chunk.isalpha():
        _word(found, chunk)
        return
    start, end = 0, len(chunk)
    while start < end and chunk[start] in _OPENING and chunk[start] not in _SEPARATE:
        start += 1
    while end > start and chunk[end - 1] in _CLOSING and _detaches(chunk, start, end):
        end -= 1
    if start == end:
        # Punctuation alone: a full stop that stands by itself, or a smile.
        found.append(Lexeme(chunk, "mark" if chunk in _SEPARATE or set(chunk) <= _OPENING else "symbol"))
        return
    found.extend(Lexeme(mark, "mark") for mark in chunk[:start])
    _core(found, chunk[start:end])
    found.extend(Lexeme(mark, "mark") for mark in chunk[end:])


def _detaches(chunk: str, start: int, end: int) -> bool:
    """Return whether the last character is punctuation, and no part of what it follows: 5", 3!, f(x)."""
    last, rest = chunk[end - 1], chunk[start : end - 1]
    if rest[-1:].isdigit() and last in "\"'!":
        return False
    return last not in _PAIRS or rest.count(_PAIRS[last]) <= rest.count(last)


def _core(found: list[Lexeme], core: str) -> None:
    if core.replace("'", "").replace("-", "").isalpha() and core[0].isalpha() and core[-1].isalpha():
        _word(found, core)
    elif core.lower() in MERIDIEM and found and found[-1].kind == "number":
        found.append(Lexeme(MERIDIEM[core.lower()], "unit"))
    elif iso := _ISO_DATE.fullmatch(core):
        found.append(Lexeme(f"@{iso[1]}-{iso[2]}-{iso[3]}", "date"))
    elif ordinal := _ORDINAL.fullmatch(core):
        found.append(Lexeme(f"#{int(ordinal[1])}", "number"))
    elif number := _NUMBER.fullmatch(core):
        _number(found, number)
    else:
        found.append(Lexeme(core, "symbol"))


def _number(found: list[Lexeme], match: re.Match[str]) -> None:
    if match["prefix"]:
        found.append(Lexeme(match["prefix"], "symbol"))
    found.append(Lexeme(match["sign"] + match["digits"], "number"))
    units = [unit for unit in (match["currency"], match["inner"], match["unit"]) if unit]
    found.extend(Lexeme(MERIDIEM.get(unit.lower()) or UNITS.get(unit) or unit, "unit") for unit in units)


def _word(found: list[Lexeme], word: str) -> None:
    first = _begins(found)
    if "'" in word and _taken_apart(found, word, first=first):
        return
    if found and found[-1].kind == "number":
        if word.lower() in MERIDIEM:
            found.append(Lexeme(MERIDIEM[word.lower()], "unit"))
            return
        if word in UNITS or (len(word) <= LONGEST_UNIT and word.lower() not in _SMALL):
            # `5 Mb` is not `5 MB`.
            found.append(Lexeme(UNITS.get(word, word), "unit"))
            return
    if word == "cannot":
        found += (Lexeme("can", "word", "can", first), Lexeme("not", "word", "not"))
        return
    lower = word.lower()
    if word == lower:
        found.append(Lexeme(word, "symbol" if len(word) == 1 and word.isascii() and word != "a" else "word", lower))
    elif word[1:].islower() or word in {"A", "I"}:
        found.append(Lexeme(word, "word" if first or word == "I" else "name", lower, first))
    else:
        found.append(Lexeme(word, "name" if len(word) > 1 else "symbol", "", first))


def _taken_apart(found: list[Lexeme], word: str, *, first: bool) -> bool:
    """Write a short form out; return whether it was one."""
    lower = word.lower()
    if lower.endswith("n't"):
        stem = {"ca": "can", "wo": "will", "sha": "shall"}.get(lower[:-3], lower[:-3])
        # As in the middle of a sentence: a verb has no capital of its own.
        found += (Lexeme(stem, "word", stem, first), Lexeme("not", "word", "not"))
        return True
    for clitic, full in _CLITICS:
        if lower.endswith(clitic):
            _chunk(found, word[: -len(clitic)])
            found.append(Lexeme(full, "word", full))
            return True
    if lower.endswith("'s"):
        _chunk(found, word[:-2])
        full = "is" if lower[:-2] in _IS else "'s"
        found.append(Lexeme(full, "word", full))
        return True
    if elided := _ELISION.match(word):
        found.append(Lexeme(elided.group(), "word", elided.group().lower(), first))
        _chunk(found, word[elided.end() :])
        return True
    return False


def _begins(found: list[Lexeme]) -> bool:
    """Return whether a sentence begins here."""
    for one in reversed(found):
        if one.kind != "mark":
            return False
        if one.text in _ENDS or one.text == "...":
            return True
    return True
