"""Questions that ask what a word means, and nothing else; and texts that say it."""

import re
from functools import cache
from typing import Final

import msgspec

from memoryd_actors.texts.languages import pattern_of, tables, typed
from memoryd_actors.texts.stems import stem_set

LONGEST: Final = 120
"""Characters of a line that asks for a meaning."""
_WORD: Final = re.compile(r"\w+")


class _Table(msgspec.Struct, frozen=True):
    code: str
    asks: str
    says: str


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    known = tables("meanings", _Table).values()
    return tuple(re.compile(rf"\W*(?:{typed(table.asks)})\W*", re.IGNORECASE) for table in known)


@cache
def _saying() -> re.Pattern[str]:
    # What the word is called besides may stand in brackets behind it.
    says = pattern_of("meanings", "says")
    return re.compile(rf"(?:\s+\([^()\n]{{1,60}}\))?(?:\s*[:=]\s|\s+{says}(?!\w))", re.IGNORECASE)


def asked_meaning(message: str) -> str:
    """Return the word, or up to three, whose meaning is all that the last line of a message asks for; else nothing.

    `What is an API key?` does, `what is the API key?` asks for the one that there is.
    """
    line = message[-LONGEST - 1 :].rstrip().rpartition("\n")[2]
    if len(line) > LONGEST:
        return ""
    found = next(filter(None, (asks.fullmatch(line) for asks in _asking())), None)
    return found[found.lastindex or 0] if found else ""


def says_meaning(text: str, word: str) -> bool:
    """Return whether a text says what a word means: `A depot is a yard`, `TMS (the X) is our`, `Depot: a yard`."""
    words = _WORD.findall(word)
    wanted = stem_set(" ".join(words))
    before: list[str] = []
    for found in _WORD.finditer(text):
        before = [*before, found[0]][-len(words) :]
        if len(before) == len(words) and _saying().match(text, found.end()) and wanted <= stem_set(" ".join(before)):
            return True
    return False
