"""Whether a text denies something."""

import re
from typing import Final

from memoryd_actors.texts.languages import words_of

NEGATORS: Final = words_of("comparison", "negators")
"""Words that deny. Those of languages that are not read otherwise keep a denial from being merged, and no more."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def denies(text: str) -> bool:
    """Return whether one of its words is a negation."""
    words = {word.casefold().replace("\u2019", "'") for word in _WORD.findall(text)}
    return bool(words & NEGATORS) or any(word.endswith("n't") for word in words)
