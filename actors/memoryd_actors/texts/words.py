"""Words that carry meaning, for rules that count them."""

import re

from memoryd_actors.texts.languages import words_of

_WORD = re.compile(r"[^\W_]+(?:[._/:'-][^\W_]+)*")

STOP_WORDS = words_of("words", "stop")
"""Words that say nothing about a topic."""


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, without stop words and single letters."""
    return [
        word
        for word in (match.group().casefold() for match in _WORD.finditer(text))
        if len(word) > 1 and word not in STOP_WORDS
    ]
