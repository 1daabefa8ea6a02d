"""What follows from a sentence that says it more strongly: who loves jazz likes it, what is highly likely is likely."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from memoryd_actors.comparison.canon import Canon, settled, spelled_out
from memoryd_actors.comparison.denials import SPREAD
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.phrases import BE, is_named, is_one_sentence

_LONGEST: Final = 40
_FEELING: Final = {
    "loves": ("likes", "enjoys"),
    "love": ("like", "enjoy"),
    "loved": ("liked", "enjoyed"),
    "adores": ("loves", "likes"),
    "adore": ("love", "like"),
    "adored": ("loved", "liked"),
    "hates": ("dislikes",),
    "hate": ("dislike",),
    "hated": ("disliked",),
    "detests": ("hates", "dislikes"),
    "detest": ("hate", "dislike"),
    "detested": ("hated", "disliked"),
}
_STRONGLY: Final = frozenset(
    """
    extremely incredibly highly severely deeply strongly absolutely truly definitely certainly totally terribly hugely
    particularly greatly exceptionally immensely
    """.split()
)
"""How much: what is so to that degree is so."""
_WORK: Final = {"works": "is", "work": "am", "worked": "was"}
_TELLING: Final = _STRONGLY | frozenset(_FEELING) | frozenset(_WORK)


@lru_cache(maxsize=2048)
def weakened(text: str) -> tuple[Canon, ...]:
    """Return what says less than a text by one word; nothing where the text denies, limits or doubts anything."""
    given, spoken = spelled_out(text)
    if _TELLING.isdisjoint(one.text for one in given):
        return ()
    if spoken != "en" or len(given) > _LONGEST or not is_one_sentence(given):
        return ()
    words = [one.folded or one.text for one in given]
    working = [at for at in range(1, len(words)) if words[at] == "as" and words[at - 1] in _WORK]
    if any(word == "?" or (word in SPREAD and at not in working) for at, word in enumerate(words)):
        return ()
    return tuple(settled(less, spoken) for less in _less(given))


def _less(given: Sequence[Lexeme]) -> Iterator[list[Lexeme]]:
    for at, one in enumerate(given[:-1]):
        if not at or one.kind != "word":
            continue
        after = given[at + 1]
        told = one.text in _STRONGLY or one.text in _FEELING or (one.text in _WORK and after.text == "as")
        if not told or not is_named(given[: at - (given[at - 1].text in BE)]):
            continue
        if one.text in _STRONGLY and after.kind == "word":
            yield [*given[:at], *given[at + 1 :]]
        for word in _FEELING.get(one.text, ()):
            yield [*given[:at], Lexeme(word, "word", word), *given[at + 1 :]]
        if one.text in _WORK and at + 2 < len(given) and given[at + 2].text in {"a", "an"}:
            be = "is" if one.text == "work" and given[at - 1].folded != "i" else _WORK[one.text]
            yield [*given[:at], Lexeme(be, "word", be), *given[at + 2 :]]
