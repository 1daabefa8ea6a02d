"""Unicode's normal forms in time in proportion to the text, whatever somebody writes.

Marks that stand one upon another are put in order by moving each past the others, so a text of nothing but marks takes
time in proportion to its square: 200,000 of them minutes. Unicode's Stream-Safe Text Format (UAX #15, section 13) has
no more than thirty in a row, which no language needs, and a joiner of no width after each thirty.
"""

import re
import unicodedata
from functools import cache
from typing import Final, Literal

MOST_MARKS: Final = 30
_JOINER: Final = "\u034f"
_FIRST_MARK: Final = "\u0300"
_BASIC: Final = "\uffff"
_LAST_MARK: Final = 0x1E94A
"""No character above this one combines with the one before it."""


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form; of more than thirty marks in a row, a joiner stands after each thirty."""
    if text.isascii():
        return text
    if len(text) > MOST_MARKS and (highest := max(text)) >= _FIRST_MARK:
        text = _crowded(beyond=highest > _BASIC).sub(_apart, text)
    return unicodedata.normalize(form, text)


def _apart(marks: re.Match[str]) -> str:
    found = marks.group()
    return _JOINER.join(found[at : at + MOST_MARKS] for at in range(0, len(found), MOST_MARKS))


@cache
def _crowded(*, beyond: bool) -> re.Pattern[str]:
    """Return a pattern of marks in a row; those `beyond` the basic plane make it twenty times slower."""
    codes = range(ord(_FIRST_MARK), (_LAST_MARK if beyond else ord(_BASIC)) + 1)
    decomposed = ((chr(code), unicodedata.normalize("NFKD", chr(code))[0]) for code in codes)
    marks = "".join(letter for letter, first in decomposed if unicodedata.combining(first))
    return re.compile(f"[{marks}][{marks}]{{{MOST_MARKS},}}")  # the first by itself: that is quick to search for
