"""A text as tokens, of which nothing is dropped: words as written, numbers with sign and unit, symbols, punctuation.

What two texts say can only be called the same where every character that differs is accounted for. So white space
separates, punctuation becomes marks, and all that is neither a word nor a number stays to the letter: `userId`, `C++`,
`>=`, `src/Main.py`, an emoji.
"""

import re
from typing import Final

from memoryd_actors.comparison.tokens import Kind, Token, words
from memoryd_actors.texts.dates import DAYS, MONTHS, NTH, RELATIVE, written
from memoryd_actors.texts.normal_form import normalized
from memoryd_actors.texts.numbers import ORDINALS, SCALES, UNITS, follows, numeral, times

_LOOKALIKES: Final = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2212": "-", "\u2011": "-", "\u2013": "-", "\u00a0": " "}
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
)
_OPENING: Final = frozenset("\"'`\u201a([{\u00bf\u00a1")
_CLOSING: Final = frozenset(".,;:!?\u2026\"'`)]}")
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_ENDS: Final = frozenset(".!?\u2026\n")
"""Marks after which a capital says nothing."""
_SEPARATE: Final = frozenset({".", ",", ";", ":", "!", "?", "...", "\u2026"})
_CHUNK: Final = re.compile(r"\S+|\n")
_NUMBER: Final = re.compile(
    r"(?P<prefix>[<>=~\u2248\u2264\u2265\u00b1]*)(?P<currency>[$\u20ac\u00a3\u00a5]?)(?P<sign>[+-]?)"
    r"(?P<inner>[$\u20ac\u00a3\u00a5]?)(?P<digits>\d+(?:[.,']\d+)*|\d{1,2}:\d\d)"
    r"(?P<unit>(?:\u00b0|%|\u2030|[$\u20ac\u00a3\u00a5]|[^\W\d_]{1,3})?(?:[^\W\d_])?)"
)
_ORDINAL: Final = re.compile(rf"(\d{{1,9}})(?:{NTH})")
_NAME: Final = re.compile(r"(?=.*(?:[^\W\d_]{2}|_))(?:[\w./:]|(?<=[a-z])-)+(?:\(\))?")
"""What things are called: files, functions, machines. What is said of `parser_a` says nothing of `parser_b`."""
_DATE: Final = re.compile(r"(?:\d{4}|-)-\d\d-\d\d")
_CLITICS: Final = (("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'m", "am"))
_IS: Final = frozenset("it he she that there here what who where something everything nothing".split())
"""Words after which 's is `is`, and not an owner's mark."""
_SHORTENED: Final = {"ca": "can", "wo": "will", "sha": "shall"}
_MERIDIEM: Final = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm"}
_MOST_SHORTENED: Final = 3
"""Apostrophes in a short form: `I'd've`."""
_LONGEST_UNIT: Final = 3
_SMALL: Final = words("small")
"""Words that are no unit, however short."""
_DATED: Final = frozenset(name.capitalize() for name in (*MONTHS, *DAYS)) | RELATIVE
_ITEMS: Final = frozenset("-*\u2022")


class Tokenizer:
    """Takes one text apart, in one pass; every token is looked at once."""

    def __init__(self, text: str) -> None:
        """Take the text apart. What follows from the words beside one another is not decided here."""
        self.text = written(normalized("NFC", text).translate(_LOOKALIKES))
        self._found: list[Token] = []
        self._begins = True
        """Whether a sentence begins with the next word."""
        lines = True
        for match in _CHUNK.finditer(self.text):
            chunk, at = match.group(), match.start()
            if chunk == "\n":
                if self._found and self._found[-1].kind != "mark":
                    self._add("\n", "mark", at)
                lines = True
            elif not (lines and chunk in _ITEMS and self.text[at + 2 : at + 4].isalpha()):
                self._chunk(chunk, at)
                lines = False
        self.tokens = _joined(self._found)

    def _add(self, text: str, kind: Kind, at: int, folded: str = "") -> None:
        self._found.append(Token(text, kind, folded, self._begins, at))
        self._begins = text in _ENDS or text == "..." or (self._begins and kind == "mark")

    def _chunk(self, chunk: str, at: int) -> None:
        if chunk.isalpha():
            self._word(chunk, at)
            return
        start, end = 0, len(chunk)
        while start < end and chunk[start] in _OPENING:
            start += 1
        lacking = {close: chunk.count(close, start) - chunk.count(begin, start) for close, begin in _PAIRS.items()}
        while end > start and chunk[end - 1] in _CLOSING:
            last = chunk[end - 1]
            if (end - 2 >= start and chunk[end - 2].isdigit() and last in "\"'") or lacking.get(last, 1) <= 0:
                break  # a part of what it follows: 5", f(x)
            lacking[last] = lacking.get(last, 0) - 1 if last in _PAIRS else 1
            end -= 1
        if start == end:
            # Punctuation alone: a full stop that stands by itself, or a smile.
            self._add(chunk, "mark" if chunk in _SEPARATE or set(chunk) <= _OPENING else "symbol", at)
            return
        for place in range(start):
            self._add(chunk[place], "mark", at + place)
        self._core(chunk[start:end], at + start)
        for place in range(end, len(chunk)):
            self._add(chunk[place], "mark", at + place)

    def _core(self, core: str, at: int) -> None:
        if core[0].isalpha() and core[-1].isalpha() and core.replace("'", "").replace("-", "").isalpha():
            self._word(core, at)
        elif core.lower() in _MERIDIEM and self._behind_number():
            self._add(_MERIDIEM[core.lower()], "unit", at)
        elif _DATE.fullmatch(core):
            self._add(core, "date", at)
        elif ordinal := _ORDINAL.fullmatch(core):
            self._add(f"#{int(ordinal[1])}", "number", at)
        elif number := _NUMBER.fullmatch(core):
            if number["prefix"]:
                self._add(number["prefix"], "symbol", at)
            self._add(number["sign"] + number["digits"], "number", at)
            for unit in (number["currency"], number["inner"], number["unit"]):
                if unit:
                    self._add(_MERIDIEM.get(unit.lower()) or UNITS.get(unit) or unit, "unit", at)
        else:
            self._add(core, "name" if _NAME.fullmatch(core) else "symbol", at)

    def _behind_number(self) -> bool:
        return bool(self._found) and self._found[-1].kind == "number"

    def _word(self, word: str, at: int) -> None:
        if 0 < word.count("'") <= _MOST_SHORTENED and self._taken_apart(word, at):
            return
        lower = word.lower()
        if self._behind_number():
            short = len(word) <= _LONGEST_UNIT and lower not in _SMALL
            if lower in _MERIDIEM or word in UNITS or short:
                # `5 Mb` is not `5 MB`.
                self._add(_MERIDIEM.get(lower) or UNITS.get(word, word), "unit", at)
                return
        if lower == "cannot":
            self._taken_apart("can't", at)
        elif lower in ORDINALS:
            self._add(ORDINALS[lower], "number", at)
        elif word in _DATED and (lower in RELATIVE or lower in DAYS or not self._begins):
            self._add(lower, "date", at, lower)
        elif word == lower:
            letter = len(word) == 1 and word.isascii() and word != "a"
            self._add(word, "symbol" if letter else "word", at, lower)
        elif word[1:].islower() or word in {"A", "I"}:
            self._add(word, "word" if self._begins or word == "I" else "name", at, lower)
        else:
            self._add(word, "name" if len(word) > 1 else "symbol", at)

    def _taken_apart(self, word: str, at: int) -> bool:
        """Write a short form out; return whether it was one."""
        lower = word.lower()
        if lower.endswith("n't"):
            stem = _SHORTENED.get(lower[:-3], lower[:-3])
            # As in the middle of a sentence: a verb has no capital of its own.
            self._add(stem, "word", at, stem)
            self._add("not", "word", at, "not")
            return True
        for clitic, full in _CLITICS:
            if lower.endswith(clitic):
                self._chunk(word[: -len(clitic)], at)
                self._add(full, "word", at, full)
                return True
        if lower.endswith("'s") and len(word) > len("'s"):
            self._chunk(word[:-2], at)
            full = "is" if lower[:-2] in _IS else "'s"
            self._add(full, "word", at, full)
            return True
        return False


def _joined(given: list[Token]) -> list[Token]:
    """Put numbers of several words into one token each, and what they count behind them: `nine hundred euros`."""
    found: list[Token] = []
    spelled = -1  # where a number that is written out stands in `found`, as its last token
    linked = False
    for token in given:
        word = token.folded if token.kind == "word" else ""
        last = found[spelled] if spelled >= 0 else None
        if last is not None and not linked and token.text in UNITS:
            found.append(token._replace(text=UNITS[token.text], kind="unit"))
            spelled = -1
            continue
        scale = SCALES.get(word, 0)
        if scale and found and found[-1].kind == "number" and (scaled := times(found[-1].text, scale)):
            found[-1] = found[-1]._replace(text=str(scaled))
            spelled = len(found) - 1
            continue
        told = numeral(word) if word else None
        if told is not None and last is not None:
            before = int(last.text)
            if follows(before, told) or (before > 0 == before % 1_000 and 0 < told < 1_000):
                del found[spelled + 1 :]
                found[spelled] = last._replace(text=str(before + told))
                linked = False
                continue
        if last is not None and not linked and word == "and" and int(last.text) >= 100:
            found.append(token)
            linked = True
            continue
        found.append(token if told is None else token._replace(text=str(told), kind="number", folded=""))
        spelled, linked = (-1 if told is None else len(found) - 1), False
    return found
