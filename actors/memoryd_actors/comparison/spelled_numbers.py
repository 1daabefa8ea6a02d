"""The lexemes of numbers that are written out in several words, put together."""

import re
from typing import Final

from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.numerals import ANDS, HESITANT, JOINED, SCALES, UNITS, behind, joined, numeral

_COMPOUND: Final = re.compile("-|und|hundert|tausend")


def numbered(given: list[Lexeme]) -> list[Lexeme]:
    """Put numbers of several words into one lexeme each, and what they count behind them: `neuf cents euros`."""
    if not any(one.folded in JOINED or _COMPOUND.search(one.folded) for one in given):
        return given
    found: list[Lexeme] = []
    total: int | None = None
    before = link = ""
    for place, one in enumerate(given):
        word = one.folded if one.kind in {"word", "symbol"} else ""
        after = given[place + 1].folded if place + 1 < len(given) else ""
        value = _value(word, before if total is not None else "", link, after)
        if total is not None and value is not None and word in JOINED:
            if word in SCALES and not link and total < SCALES[word]:
                both: int | None = total * SCALES[word]
            else:
                both = joined(total, value, (before, word), link=link)
            if both is not None:
                del found[-2 if link else -1 :]
                found.append(Lexeme(str(both), "number"))
                total, before, link = both, word, ""
                continue
        if total is not None and not link and word in ANDS and before in JOINED:
            found.append(one)
            link = word
            continue
        if total is not None and not link and (unit := UNITS.get(one.text)):
            found.append(Lexeme(unit, "unit"))
        else:
            found.append(one if value is None else Lexeme(str(value), "number"))
        total, before, link = value, word, ""
    return found


def _value(word: str, before: str, link: str, after: str) -> int | None:
    """Return the number that a word is, judged by the words beside it."""
    if before and (word in SCALES or (word in JOINED and behind(word, before, link) is not None)):
        return SCALES[word] if word in SCALES else behind(word, before, link)
    if word in {"tausend", "mille", "mil"}:
        return 1_000
    if word in {"neuf", "elf"} and (after in UNITS or after in SCALES or after == "cents"):
        return HESITANT[word]
    return numeral(word)
