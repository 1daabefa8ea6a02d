"""Words of a reaction, which say nothing that could be remembered (`Good catch, remember that`)."""

import re
from typing import Final

from memoryd_actors.texts.languages import words_of

_EMPTY: Final = words_of("words", "stop") | words_of("capture", "empty")
_WORDS: Final = words_of("capture", "reactions")
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NUMBER: Final = re.compile(r"\d")


def is_reaction(text: str) -> bool:
    """Return whether a text is nothing but a reaction to something that was said."""
    words = _WORD.findall(text.casefold())
    return not _NUMBER.search(text) and all(word in _WORDS for word in words)


def is_empty(text: str) -> bool:
    """Return whether a text has nothing but words that mean nothing by themselves: `more of it`."""
    words = _WORD.findall(text.casefold())
    return not _NUMBER.search(text) and all(word in _EMPTY or word in _WORDS for word in words)
