"""Which language a text is in, by its commonest words."""

import re
from typing import Final

from memoryd_actors.texts.languages import CODES, ELSEWHERE, common_words

COMMON: Final = {code: common_words(code) for code in CODES}
"""The commonest words of each language."""
_ELSEWHERE: Final = common_words(ELSEWHERE)
"""Without them Dutch `we hebben geen tests` would pass for English."""
_READ: Final = 2_000
"""Characters of a text that are looked at."""
_WORD: Final = re.compile(r"[^\W\d_]+")


def languages_of(text: str) -> list[str]:
    """Return the languages that a text may be in, the likeliest first.

    A short sentence has few common words, and neighbouring languages share some: the second may be the right one.
    English comes first where that is open. None where it is in another language by all that it shows.
    """
    counts, elsewhere = _counts(text)
    best = max(counts.values())
    if elsewhere > best:
        return []
    likely = [code for code, count in counts.items() if count >= max(best - 1, 1) or best == 0]
    return sorted(likely, key=lambda code: -counts[code])


def language_of(text: str) -> str:
    """Return the language that a text is in; empty where its words do not tell, or tell of another one."""
    counts, elsewhere = _counts(text)
    best = max(counts, key=lambda code: counts[code])
    others = [elsewhere, *(count for code, count in counts.items() if code != best)]
    return best if counts[best] > max(others) else ""


def _counts(text: str) -> tuple[dict[str, int], int]:
    words = {word.lower() for word in _WORD.findall(text[:_READ])}
    return {code: len(words & common) for code, common in COMMON.items()}, len(words & _ELSEWHERE)
