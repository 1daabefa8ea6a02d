"""Marks within a sentence that change what its words say: `Nein, retten.` and `Nein retten.`; `(1,)` and `(1)`."""

import re
from functools import lru_cache
from typing import Final

_PART: Final = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*|[,;:\"()\[\]{}]")
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„«»\u2039\u203a", '"') | {"\uff0c": ",", "\uff1b": ";", "\uff1a": ":"})
_MARKS: Final = frozenset(',;:"()[]{}')
_OPENERS: Final = frozenset(
    """currently also however usually generally normally often sometimes here today then thus therefore finally
    unfortunately additionally moreover furthermore meanwhile recently instead again still actually basically
    aktuell derzeit außerdem normalerweise meistens allerdings schließlich actuellement aussi cependant normalement
    actualmente también normalmente""".split()
)
"""Words that open a sentence with a comma or without."""


_AND: Final = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "of"})


@lru_cache(maxsize=2048)
def marked(text: str) -> tuple[tuple[str, ...], frozenset[tuple[int, str]]]:
    """Return the words of a text, and each mark between them with how many words stand before it."""
    words: list[str] = []
    marks: set[tuple[int, str]] = set()
    for part in _PART.findall(text.translate(_QUOTES).strip().rstrip(".!?;, ")):
        if part not in _MARKS:
            words.append(part)
        elif not (part == "," and len(words) == 1 and words[0].casefold() in _OPENERS):
            marks.add((len(words), part))
    return tuple(words), frozenset(marks)


def otherwise_marked(one: str, other: str) -> bool:
    """Return whether two texts have the same words, and other marks between them: but for a list's last comma."""
    words, marks = marked(one)
    others, other_marks = marked(other)
    if list(map(str.casefold, words)) != list(map(str.casefold, others)):
        return False
    shared = marks & other_marks
    return not all(mark == "," and _ends_list(words, at, shared) for at, mark in marks ^ other_marks)


def _ends_list(words: tuple[str, ...], at: int, marks: frozenset[tuple[int, str]]) -> bool:
    """Return whether a comma stands before the last item of a list: `Vim, Emacs, and Nano`.

    In `my parents, Ann and Bob` the names say who the parents are.
    """
    before = [place for place, mark in marks if mark == "," and 0 < place < at]
    if not before or at + 1 >= len(words) or words[at].casefold() not in _AND:
        return False
    first = max(before) - 1
    return first == 0 or len({words[n][0].isupper() for n in (first, at - 1)}) == 1
