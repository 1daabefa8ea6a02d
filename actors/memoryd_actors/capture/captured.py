"""One thing that a user wants remembered."""

import msgspec

MOST_CHARACTERS = 1_000
"""Of what is remembered at once: a request is about a sentence or a short list, not about a document."""
FEWEST_CHARACTERS = 6
"""Letters and digits."""
FEWEST_LETTERS = 3
FEWEST_WORDS = 2
FEWEST_IDEOGRAPHS = 4
"""Of scripts without spaces, where each says more."""


class Captured(msgspec.Struct, frozen=True):
    """What is to be remembered, in the words that were used."""

    content: str
    category: str
    """fact, preference, rule, correction or procedural."""
    asked: str
    """The words that asked for it."""
    everywhere: bool = False
    """Whether it was said to hold everywhere, not in one project."""
    title: str = ""
    """What a procedure is for."""
    from_before: bool = False
    """Whether it was said in the message before."""


def says_something(content: str) -> bool:
    """Return whether a content is more than a word or a number."""
    if sum(char > "\u2e7f" for char in content) >= FEWEST_IDEOGRAPHS:
        return True
    if sum(char.isalnum() for char in content) < FEWEST_CHARACTERS or len(content.split()) < FEWEST_WORDS:
        return False
    return sum(char.isalpha() for char in content) >= FEWEST_LETTERS
