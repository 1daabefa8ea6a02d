"""What the tokens of a text are, and what each language has for them."""

from typing import Final, Literal, NamedTuple

from memoryd_actors.texts.languages import tables, words_of

Kind = Literal["word", "name", "number", "unit", "date", "symbol", "mark"]


class Token(NamedTuple):
    """One word, number, symbol or punctuation mark."""

    text: str
    """As it is compared, case included."""
    kind: Kind
    folded: str = ""
    """In lower case, where it is a word or a name."""
    first: bool = False
    """Of its sentence, where a capital says nothing."""
    at: int = 0
    """Where it stands in the text as it is read, in characters."""
    article: str = ""
    """What stood before it, where that is an article."""
    said: str = ""
    """Of a number whose unit was changed for the comparison, both before that."""


WORDS: Final = tables("comparison", dict[str, str])
"""The words that the rules go by; the data files say what each is for."""


def words(key: str) -> frozenset[str]:
    """Return the words of all languages that the rules have under a key."""
    return words_of("comparison", key)
