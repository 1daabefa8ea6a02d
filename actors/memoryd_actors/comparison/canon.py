"""A text in the form in which it says the same as another or does not: what is harmless is out or alike.

Harmless are the capital of a sentence, articles, white space, backticks, the last full stop, short forms, and other
ways to write a number, a date, a time or a measure.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from memoryd_actors.comparison.reading import Tokenizer
from memoryd_actors.comparison.tokens import WORDS, Token, words
from memoryd_actors.core.remembered import remembered
from memoryd_actors.texts.languages.recognition import COMMON, language_of
from memoryd_actors.texts.numbers import amount

_KEPT_BEFORE: Final = words("kept_before")
COPULAS: Final = words("copulas")
_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""Where the comma is no decimal one."""
_FINAL: Final = frozenset({".", "!", "\n", "`"})


class Canon(NamedTuple):
    """A text as it is compared."""

    tokens: tuple[Token, ...]
    language: str
    layout: tuple[str, ...]
    """The indents of its lines, where any line is indented: white space that may mean something."""
    text: str
    """In which the tokens stand."""


@remembered(2048)
def canon(text: str) -> Canon:
    """Return a text's canonical form. The last 2,048 are kept: a new memory is compared with ten old ones."""
    read = Tokenizer(text)
    language = language_of(text)
    return Canon(tuple(_without_marks(_without_articles(read.tokens, language))), language, layout(text), read.text)


def layout(text: str) -> tuple[str, ...]:
    """Return the indents of a text's lines; nothing where none but the first is indented."""
    indents = tuple(line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line.strip())
    return indents if any(indents[1:]) else ()


def equal(one: Canon, other: Canon) -> bool:
    """Return whether two readings say the same, token by token."""
    left, right = one.tokens, other.tokens
    return len(left) == len(right) and all(
        (a.text == b.text and a.article == b.article) or _alike(a, b, alone=len(left) == 1)
        for a, b in zip(left, right, strict=True)
    )


def _alike(one: Token, other: Token, *, alone: bool) -> bool:
    """Return whether two tokens say the same; a capital counts where no sentence begins, and in a word `alone`."""
    if one.text != other.text:
        if alone or not one.folded or one.folded != other.folded:
            return False
        if not all(token.first or token.text == token.folded for token in (one, other)):
            return False
    # German articles tell who does it to whom: one may be left out, none may take another's place.
    either = {one.article, other.article}
    return len(either) == 1 or "" in either or either in ({"a", "the"}, {"our", "the"})


def _without_articles(tokens: Sequence[Token], language: str) -> list[Token]:
    rules = WORDS.get(language)
    if rules is None:
        return list(tokens)
    articles = rules["articles"].split()
    found: list[Token] = []
    article = ""
    for at, given in enumerate(tokens):
        token = given
        before, after = (tokens[n] if 0 <= n < len(tokens) else None for n in (at - 1, at + 1))
        if token.folded in articles and _may_go(tokens, at, language):
            article = "a" if token.folded == "an" else token.folded
            continue
        if token.kind == "number" and rules.get("thousands") == "," and _THOUSANDS.fullmatch(token.text):
            token = token._replace(text=token.text.replace(",", ""))
        elif token.kind == "unit" and found and found[-1].kind == "number":
            number, unit = amount(found[-1].text, token.text)
            said = f"{found[-1].text} {token.text}"
            found[-1] = found[-1]._replace(text=number, said=said)
            token = token._replace(text=unit)
        elif token.folded == "on" and before and before.folded in COPULAS and after and after.kind == "date":
            continue
        found.append(token._replace(article=article) if article else token)
        article = ""
    return found


def _may_go(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Return whether a word is an article that may be left out, judged by its neighbours."""
    token = tokens[at]
    before, after, then = (tokens[n] if 0 <= n < len(tokens) else None for n in (at - 1, at + 1, at + 2))
    if (token.kind == "name" and not token.first) or after is None or after.folded in _KEPT_BEFORE:
        return False
    said_of = before is not None and (before.folded in COPULAS or before.text == ",")
    if said_of or after.kind in {"mark", "number", "unit", "date"}:
        return False  # `is the owner` is more than `is an owner`
    if "capital_nouns" in WORDS[language]:
        return after.kind in {"name", "symbol"} or after.folded not in COMMON[language]
    # The English are people, English is a language.
    named = after.kind == "name" and after.folded != ""
    return not (named and (then is None or then.kind == "mark" or then.folded in _KEPT_BEFORE))


def _without_marks(tokens: list[Token]) -> list[Token]:
    """Leave out the marks that change nothing: the last ones, and backticks."""
    end = len(tokens)
    while end and tokens[end - 1].kind == "mark" and tokens[end - 1].text in _FINAL:
        end -= 1
    return [token for token in tokens[:end] if (token.kind, token.text) != ("mark", "`")]
