"""What says the same as a plainer sentence: clauses for adjectives, `there is a dog barking`, several words for one."""

from collections.abc import Sequence
from typing import Final

from memoryd_actors.comparison.kinds import COLOURS, COUNTED, QUALITIES
from memoryd_actors.comparison.lexemes import Lexeme

BE: Final = frozenset({"is", "are", "am", "was", "were"})
DETERMINERS: Final = frozenset({"a", "an", "the"})
_RELATIVE: Final = frozenset({"which", "who", "that"})
_SMALL: Final = frozenset(
    """
    a an the and or not no in on at of to by for with from near under over up down out off into onto it he she they we
    you i all both here there where when how why what who so too very more less most least same other able about like
    his her its their my your our being been be is are was were now then ever never always alone done gone one
    present responsible concerned involved proper able left due
    """.split()
)
"""Words that are no adjective, or one that stands behind its noun only."""
_ONE_FOR: Final = {
    ("next", "to"): "beside",
    ("swimming", "pool"): "swimming-pool",
    ("holding", "up"): "up-holding",
    ("chopping", "up"): "up-chopping",
    ("deep", "frying"): "deep-frying",
    ("dressed", "in"): "in",
    ("off", "of"): "off",
    ("inside", "of"): "inside",
    ("each", "other"): "one-another",
    ("one", "another"): "one-another",
}
_ENDS: Final = frozenset({".", "!", "?", ":", ";", "...", "\u2026", "\n"})
_LAID: Final = frozenset({"putting", "placing"})
"""What is put into a thing is put in it."""


def is_doing(one: Lexeme) -> bool:
    """Return whether a word may be a verb in its -ing form."""
    return one.kind == "word" and one.text.endswith("ing") and len(one.text) > len("being")


def is_one_sentence(given: Sequence[Lexeme]) -> bool:
    """Return whether no sentence follows another."""
    told = [place for place, one in enumerate(given) if one.kind != "mark"]
    return bool(told) and not any(one.text in _ENDS for one in given[: told[-1]])


def is_named(given: Sequence[Lexeme]) -> bool:
    """Return whether words name one thing, or several joined, and say nothing of it: no `Ann doubts that the dog`."""
    left = _NOTHING
    before: Lexeme | None = None
    for one in given:
        article = one.article or (one.folded if one.folded in DETERMINERS else "")
        if one.text in _JOINING:
            left = _NOTHING
        elif left == _NOTHING:
            left = 0 if one.folded in _ALONE else 1
        elif before is not None and before.folded in DETERMINERS and not article:
            left = 1
        elif article or one.folded in _ALONE or one.kind == "number":
            return False
        elif one.kind == "name":
            if before is None or (before.kind != "name" and not before.first):
                return False
        elif before is not None and before.text not in QUALITIES and before.kind != "number":
            # `The toy dog` is one thing; of `the user said dogs` the second word is not.
            left -= 1
            if left < 0 or not _has_article(given, before):
                return False
        before = one
    return before is not None and left != _NOTHING and before.folded not in DETERMINERS


def _has_article(given: Sequence[Lexeme], one: Lexeme) -> bool:
    at = next(place for place, each in enumerate(given) if each is one)
    while at and given[at - 1].text in QUALITIES and not given[at].article:
        at -= 1
    return bool(given[at].article) or (
        at > 0 and (given[at - 1].folded in DETERMINERS or given[at - 1].kind == "number")
    )


_NOTHING: Final = -1
_JOINING: Final = frozenset("in on at of with from near under over beside behind and 's".split())
_ALONE: Final = frozenset("i you he she it we they this that these those there what who someone".split())


def rephrased(given: Sequence[Lexeme]) -> list[Lexeme]:
    """Return the plainer sentence; the one given where nothing can be put more plainly."""
    return _in_one_word(_again(_there(_small(_adjectives(given)))))


def _small(given: list[Lexeme]) -> list[Lexeme]:
    """Write `a small dog` for `a little dog`, which is no little of anything, and `red` for `red colored`."""
    found: list[Lexeme] = []
    for place, one in enumerate(given):
        after = given[place + 1] if place + 1 < len(given) else None
        if after and one.text == "little" and (after.text in COUNTED or after.text in QUALITIES or after.text == "and"):
            found.append(Lexeme("small", "word", "small"))
        elif not (one.text in {"colored", "coloured"} and found and found[-1].text in COLOURS):
            found.append(one)
    return found


def _adjectives(given: Sequence[Lexeme]) -> list[Lexeme]:
    """Write `a black dog` for `a dog, which is black,`."""
    found = list(given)
    at = 0
    while at < len(found):
        if found[at].text in _RELATIVE and (ended := _adjective_clause(found, at)):
            found = ended
        at += 1
    return found


def _adjective_clause(given: list[Lexeme], at: int) -> list[Lexeme] | None:
    comma = at > 0 and given[at - 1].text == ","
    noun = at - 1 - comma
    if noun < 1 or at + 2 >= len(given) or given[at + 1].text not in {"is", "are"}:
        return None
    end = at + 3
    if end + 1 < len(given) and given[end].text == "and":
        end += 2
    closed = end >= len(given) or given[end].text == "." or (comma and given[end].text == ",")
    told = given[at + 2 : end]
    if not closed or not all(_is_adjective(one) for one in told[::2]):
        return None
    start = noun
    while start and given[start - 1].text in QUALITIES:
        start -= 1
    if not start or given[start - 1].folded not in DETERMINERS or given[noun].kind != "word":
        return None
    after = end + 1 if comma and end < len(given) and given[end].text == "," else end
    return [*given[:start], *told, *given[start : noun + 1], *given[after:]]


def _is_adjective(one: Lexeme) -> bool:
    plain = one.kind == "word" and one.text.isalpha() and one.text.islower()
    return plain and one.text not in _SMALL and not one.text.endswith("ing")


def _there(given: list[Lexeme]) -> list[Lexeme]:
    """Write `a dog is barking` for `there is a dog barking`."""
    if len(given) < 4 or given[0].folded != "there" or given[1].text not in BE:
        return given
    at = next((place for place in range(3, len(given)) if is_doing(given[place])), 0)
    named = given[2:at]
    if not at or any(one.kind not in {"word", "number"} or one.text in BE for one in named):
        return given
    return [*named, given[1], *given[at:]]


def _again(given: list[Lexeme]) -> list[Lexeme]:
    """Write `is sitting and reading` for `is sitting and is reading`."""
    found: list[Lexeme] = []
    for place, one in enumerate(given):
        repeated = one.text in BE and found and found[-1].text == "and" and any(one.text == e.text for e in found)
        doing = any(is_doing(each) for each in given[place + 1 : place + 3])
        if not (repeated and doing):
            found.append(one)
    return found


def _in_one_word(given: list[Lexeme]) -> list[Lexeme]:
    found: list[Lexeme] = []
    laid = any(one.text in _LAID for one in given)
    for one in given:
        if found and (word := _ONE_FOR.get((found[-1].text, one.text))):
            found[-1] = Lexeme(word, "word", word, found[-1].first)
        elif laid and one.text == "into":
            found.append(Lexeme("in", "word", "in"))
        else:
            found.append(one)
    return found
