"""Whether a text tells what another one says: four words in a row, or all of a shorter text, in whatever case."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from memoryd_actors.texts.quoting import what_was_said
from memoryd_actors.texts.words import STOP_WORDS

IN_A_ROW = 4
"""Words: of two sentences about different things hardly any share as many."""
ELSEWHERE = 2
"""Words that say something, of the four in a row by which a memory is found again where it is not known to come from:
`I would like to` stands in every conversation."""
_WORD = re.compile(r"\w+")


class PhraseMatcher:
    """What some texts say, to be found again in others."""

    def __init__(self, texts: Iterable[str], *, telling: int = 0) -> None:
        """Take in the texts; `telling`: only runs with so many words that say something (`content_words`) count."""
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            words = _words(what_was_said(text))  # that the user said something stands in many memories
            if words:
                runs = _runs(words, min(IN_A_ROW, len(words)))
                self._runs.update(run for run in runs if _told(run) >= min(telling, len(run)))
        self._lengths = sorted({len(run) for run in self._runs})

    def __bool__(self) -> bool:
        """Whether there is anything to find."""
        return bool(self._runs)

    def within(self, text: str) -> bool:
        """Return whether a text tells some of it. In linear time."""
        words = _words(text)
        return any(run in self._runs for length in self._lengths for run in _runs(words, length))


def _told(run: tuple[str, ...]) -> int:
    return sum(len(word) > 1 and word not in STOP_WORDS for word in run)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(islice(words, start, None) for start in range(length)), strict=False)
