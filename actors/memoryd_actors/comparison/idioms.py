"""Turns of phrase that a plainer one stands for: `is able to` for `can`, `Blue is my favourite colour`, told round."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memoryd_actors.comparison.canon import Canon, settled, spelled_out
from memoryd_actors.comparison.harmless import NEGATORS
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.phrases import BE, DETERMINERS, is_doing, is_one_sentence
from memoryd_actors.comparison.voice import PLACED, third

_LONGEST: Final = 40
_PHRASES: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    tuple(before.split()): tuple(after.split())
    for before, after in (
        line.split(":")
        for line in """
        is able to: can
        are able to: can
        am able to: can
        is unable to: can not
        are unable to: can not
        am unable to: can not
        is not able to: can not
        are not able to: can not
        am not able to: can not
        in order to: to
        so as to: to
        owing to: because of
        lots of: a lot of
        resides in: lives in
        reside in: live in
        is employed by: works for
        is employed at: works at
        takes place: is held
        take place: are held
        makes use of: uses
        make use of: use
        is fond of: likes
        are fond of: like
        am fond of: like
        right now: now
        at the moment: now
        every day: daily
        each day: daily
        once a day: daily
        every week: weekly
        each week: weekly
        once a week: weekly
        every month: monthly
        each month: monthly
        once a month: monthly
        every year: yearly
        each year: yearly
        once a year: yearly
        """.strip().splitlines()
    )
}
_LONGEST_PHRASE: Final = max(map(len, _PHRASES))
_OPENING: Final = frozenset(phrase[0] for phrase in _PHRASES)
_HAVING: Final = {"do": "have", "does": "has", "did": "had"}
_HOW_MANY: Final = frozenset(
    """
    to the this that these those enough all much many more less most only just every both either been his her its my
    your our their another other no not such too very really yet ever always as so what it them him us me you
    """.split()
)
"""Words behind `does not have` that say of how much or of which."""
_RELATED: Final = frozenset(
    """
    owner name brother sister mother father wife husband son daughter child friend boss manager author maintainer
    colour color size age birthday birthplace title version address capital hometown job editor language food drink
    sport song book film band team shell browser framework database tool port branch deadline budget goal
    """.split()
)
"""What somebody or something has one of, or is asked for by that word."""
_WHOSE: Final = frozenset("the my your our his her their".split())
_TELLING: Final = _OPENING | _RELATED | frozenset({"not", "prefer", "prefers"})
"""Words of which a text has one where it can be put more plainly."""


@lru_cache(maxsize=2048)
def plainer(text: str) -> Canon | None:
    """Return a text in plainer words; None where it is in them, in another language, or more than a sentence."""
    given, spoken = spelled_out(text)
    if spoken != "en" or len(given) > _LONGEST or _TELLING.isdisjoint(one.folded for one in given):
        return None
    if not is_one_sentence(given):
        return None
    found = _told_first(_preferred(_belonging(_no_longer(_having_none(_in_few_words(given))))))
    return None if found == list(given) else settled(found, spoken)


def _word(text: str, *, first: bool = False) -> Lexeme:
    return Lexeme(text, "word", text, first)


def _in_few_words(given: Sequence[Lexeme]) -> list[Lexeme]:
    found: list[Lexeme] = []
    at = 0
    while at < len(given):
        for length in range(_LONGEST_PHRASE, 1, -1) if given[at].folded in _OPENING else ():
            phrase = tuple(one.folded for one in given[at : at + length])
            if plain := _PHRASES.get(phrase):
                found += (_word(word, first=given[at].first) for word in plain)
                at += length
                break
        else:
            found.append(given[at])
            at += 1
    return found


def _having_none(given: list[Lexeme]) -> list[Lexeme]:
    """Write `has no pets` for `does not have any pets`."""
    for at in range(1, len(given) - 3):
        denied = given[at].text in _HAVING and [one.text for one in given[at + 1 : at + 3]] == ["not", "have"]
        if not denied:
            continue
        what = at + 3 + (given[at + 3].text in {"a", "an", "any"})
        if what >= len(given) or given[what].kind != "word" or given[what].text in _HOW_MANY:
            return given
        return [*given[:at], _word(_HAVING[given[at].text]), _word("no"), *given[what:]]
    return given


def _no_longer(given: list[Lexeme]) -> list[Lexeme]:
    """Write `no longer smokes` for `does not smoke anymore`."""
    end = len(given) - (given[-1].text == ".")
    more = (
        1 if given[end - 1].text == "anymore" else 2 if [o.text for o in given[end - 2 : end]] == ["any", "more"] else 0
    )
    at = next((place for place, one in enumerate(given) if one.text in {"do", "does"}), 0)
    if not (more and at and at + 2 < end - more and given[at + 1].text == "not" and given[at + 2].kind == "word"):
        return given
    verb = given[at + 2].text
    told = third(verb) if given[at].text == "does" else verb
    return [*given[:at], _word("no"), _word("longer"), _word(told), *given[at + 3 : end - more], *given[end:]]


def _belonging(given: list[Lexeme]) -> list[Lexeme]:
    """Write `the repo's owner` for `the owner of the repo`."""
    for at in range(len(given) - 3):
        if given[at].folded != "the" or given[at + 1].text not in _RELATED or given[at + 2].text != "of":
            continue
        article = given[at + 3].text in DETERMINERS
        owner = at + 3 + article
        if owner >= len(given) or given[owner].kind not in ({"word"} if article else {"name"}):
            continue
        if owner + 1 == len(given) or given[owner + 1].kind == "mark" or given[owner + 1].text in BE:
            return [*given[:at], *given[at + 3 : owner + 1], _word("'s"), given[at + 1], *given[owner + 1 :]]
    return given


def _preferred(given: list[Lexeme]) -> list[Lexeme]:
    """Write `prefers tea to milk` for `prefers tea over milk`."""
    end = len(given) - (given[-1].text == ".")
    if end > 4 and given[end - 4].text in {"prefer", "prefers"} and given[end - 2].text == "over":
        return [*given[: end - 2], _word("to"), *given[end - 1 :]]
    return given


def _told_first(given: list[Lexeme]) -> list[Lexeme]:
    """Write `my boss is Ann` for `Ann is my boss`: what one is asked for comes first."""
    end = len(given) - (given[-1].text == ".")
    at = next((place for place, one in enumerate(given) if one.text in {"is", "was"}), 0)
    left, right = given[:at], given[at + 1 : end]
    if not left or not right or len(left) > 2 or any(one.text in BE | NEGATORS for one in right):
        return given
    whose = right[0].folded in _WHOSE or any(one.text == "'s" for one in right)
    plain = all(one.kind in {"word", "name"} and one.text not in PLACED for one in right) and not is_doing(right[-1])
    if not whose or not plain or right[-1].text not in _RELATED or not _is_value(left):
        return given
    return [*right, given[at], *left, *given[end:]]


def _is_value(given: Sequence[Lexeme]) -> bool:
    """Return whether words are a bare value: a name, a number, a noun without article."""
    return not any(one.folded in DETERMINERS | _WHOSE | _PRONOUNS or one.kind in {"mark", "symbol"} for one in given)


_PRONOUNS: Final = frozenset(
    "i you he she it we they this that these those there here what who which where when".split()
)
