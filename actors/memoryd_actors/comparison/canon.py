"""A text in the form in which it says the same as another or does not: what is harmless is out or alike."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from memoryd_actors.comparison.equivalents import (
    COMPLEMENTS,
    canonical,
    number,
    written,
)
from memoryd_actors.comparison.harmless import (
    ADVERBS,
    ARTICLES,
    COPULAS,
    NEGATORS,
    OURS,
    Language,
    is_article,
    is_joint,
    language,
)
from memoryd_actors.comparison.lexemes import Lexeme, lexemes
from memoryd_actors.comparison.numerals import MONTHS, MONTHS_IN_LOWER_CASE, amount
from memoryd_actors.comparison.opposites import EXCLUDED
from memoryd_actors.comparison.spelled_numbers import numbered

_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""In English; elsewhere the comma is a decimal one."""
_PREDICATE: Final = "*"
"""Behind an article that stands after a copula: `is the owner` is more than `is an owner`."""
_LIKE: Final = frozenset(EXCLUDED) | frozenset(
    """
    mean fine native light individual novel general patient regular local green red blue white black foreign
    criminal liberal conservative radical musical principal chief ideal initial
    """.split()
)
"""What one can be like, or be one of: `is well` and `is a well`."""
_VALUES: Final = frozenset({"name", "number", "unit", "symbol", "date"})
_FIGURES: Final = frozenset({"number", "unit", "symbol", "date"})
_SPEAKERS: Final = frozenset("i me my we us our you your ich wir mein je j' nous mon ma".split())
_WHOLLY: Final = frozenset("all every each both everyone everybody everything always any".split())
"""Words with which `not` has more than one scope."""
_NOBODY: Final = frozenset({"somebody", "everybody"})
"""Words that are nobody's name."""
_SHORTEST_TAGGED: Final = 5
_TAGGED: Final = frozenset("i you he she it we they there".split())
_ASKING: Final = frozenset("is are was were am do does did have has had can could will would should".split())
_QUIET: Final = frozenset("`\u201c\u201d\u201e\u00ab\u00bb\"'")
_FINAL: Final = frozenset({".", "!", "\n", *_QUIET})


class Canon(NamedTuple):
    """A text as it is compared."""

    lexemes: tuple[Lexeme, ...]
    language: Language
    layout: tuple[str, ...]
    """The indents of its lines, where any line is indented: white space that may mean something."""


@lru_cache(maxsize=2048)
def canon(text: str) -> Canon:
    """Return a text's canonical form. The last 2,048 are kept: a new memory is compared with ten old ones."""
    return settled(*spelled_out(text), layout(text))


@lru_cache(maxsize=2048)
def spelled_out(text: str) -> tuple[tuple[Lexeme, ...], Language]:
    """Return the lexemes of a text, each in the spelling that stands for it, and their language; nothing left out."""
    found = lexemes(text)
    spoken = language(found)
    return tuple(_without_tag(_weighed(_dated([_spelled(one, spoken) for one in numbered(found)])))), spoken


def settled(given: Sequence[Lexeme], spoken: Language, indents: tuple[str, ...] = ()) -> Canon:
    """Return the canonical form of lexemes that are spelled out."""
    found = _without_marks(_without_light(_complemented(given), spoken))
    return Canon(tuple(found), spoken, indents)


def layout(text: str) -> tuple[str, ...]:
    """Return the indents of a text's lines; nothing where none but the first is indented."""
    indents = tuple(line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line.strip())
    return indents if any(indents[1:]) else ()


def alike(one: Lexeme, other: Lexeme, spoken: Language, *, alone: bool = False) -> bool:
    """Return whether two lexemes say the same; a capital counts where no sentence begins, and in a word `alone`."""
    if one.text != other.text:
        if alone or not one.folded or one.folded != other.folded:
            return False
        if not all(each.first or each.text == each.folded for each in (one, other)):
            return False
    if one.article == other.article:
        return True
    if one.text in _LIKE and f"a{_PREDICATE}" in {one.article, other.article} and "" in {one.article, other.article}:
        return False
    return _articles_alike(one.article, other.article, spoken)


def _articles_alike(one: str, other: str, spoken: Language) -> bool:
    if not one or not other:
        return True
    ours = one.rstrip(_PREDICATE) in OURS, other.rstrip(_PREDICATE) in OURS
    if any(ours):
        return all(ours) or "a" not in (one, other)
    return spoken == "en" and _PREDICATE not in one + other


def _spelled(one: Lexeme, spoken: Language) -> Lexeme:
    if one.kind == "number" and spoken == "en" and _THOUSANDS.fullmatch(one.text):
        return Lexeme(one.text.replace(",", ""), "number")
    if one.kind == "name" and (name := written(one.text)):
        return Lexeme(name, "name", name, one.first)
    if one.kind != "word":
        return one
    if name := written(one.text):
        return Lexeme(name, "name", name, one.first)
    if figure := number(one.folded):
        return Lexeme(figure, "number")
    # One with a capital may be somebody's name: Grey is not Gray.
    plain = canonical(one.folded if one.first and one.folded in _NOBODY else one.text)
    return one if plain == one.text else Lexeme(plain, "word", plain, one.first)


def _weighed(given: list[Lexeme]) -> list[Lexeme]:
    """Give what is counted in the smallest unit of its kind: two minutes are 120 seconds."""
    for at, (one, unit) in enumerate(pairwise(given)):
        if unit.kind == "unit" and one.kind == "number":
            number, name = amount(one.text, unit.text)
            given[at], given[at + 1] = one._replace(text=number), unit._replace(text=name)
    return given


def _dated(given: list[Lexeme]) -> list[Lexeme]:
    """Put dates that are written out into one lexeme each."""
    if not any((one.folded or one.text.lower()) in MONTHS for one in given):
        return given
    found: list[Lexeme] = []
    at = 0
    while at < len(given):
        if dated := _date(given, at):
            found.append(dated[0])
            at = dated[1]
        else:
            found.append(given[at])
            at += 1
    return found


def _date(given: list[Lexeme], at: int) -> tuple[Lexeme, int] | None:
    """Return the date that begins here and where it ends."""
    one = given[at]
    if day := _day(one):
        following = at + 1
        while following < len(given) and (given[following].text in {".", "of", "de"}):
            following += 1
        month = _month(given[following]) if following < len(given) else 0
    else:
        month = _month(one)
        following = at + 1
        day = _day(given[following]) if month and following < len(given) else 0
    if not (day and month):
        return None
    end = following + 1
    after = end + 1 if end < len(given) and given[end].text == "," else end
    year = given[after].text if after < len(given) and given[after].kind == "number" else ""
    if len(year) == 4 and year.isdecimal():
        return Lexeme(f"@{year}-{month:02}-{day:02}", "date"), after + 1
    return Lexeme(f"@{month:02}-{day:02}", "date"), end


def _day(one: Lexeme) -> int:
    figure = one.text.removeprefix("#")
    small = one.kind == "number" and figure.isdecimal() and len(figure) <= 2
    return int(figure) if small and 1 <= int(figure) <= 31 else 0


def _month(one: Lexeme) -> int:
    capital = one.text[:1].isupper() or (one.folded or one.text) in MONTHS_IN_LOWER_CASE
    # Behind a number, `20 May`, it was taken for a unit.
    return MONTHS.get(one.text.lower(), 0) if capital and one.kind in {"word", "name", "unit"} else 0


def _without_tag(given: list[Lexeme]) -> list[Lexeme]:
    """Ask `it is open?` for `it is open, isn't it?`: what a tag denies is denied by nobody."""
    end = len(given) - 1
    if end < _SHORTEST_TAGGED or given[end].text != "?" or given[end - 1].text not in _TAGGED:
        return given
    start = end - 2 - (given[end - 2].text == "not")
    if given[start].text in _ASKING and given[start - 1].text == ",":
        return [*given[: start - 1], given[end]]
    return given


def _complemented(given: Sequence[Lexeme]) -> list[Lexeme]:
    """Write `is not open.` as `is closed.`, where nothing follows that it might hold for only in part."""
    if any(one.folded in _WHOLLY for one in given):
        return list(given)
    found: list[Lexeme] = []
    for place, one in enumerate(given):
        ends = place + 1 == len(given) or given[place + 1].text in _FINAL
        other = COMPLEMENTS.get(one.text, "")
        if other and ends and len(found) > 1 and found[-1].text == "not" and found[-2].folded in COPULAS:
            found[-1] = Lexeme(other, "word", other)
        else:
            found.append(one)
    return found


def _without_light(given: list[Lexeme], spoken: Language) -> list[Lexeme]:
    if not spoken:
        return given
    denies = any(one.folded in NEGATORS for one in given)
    found: list[Lexeme] = []
    article = ""
    for place, one in enumerate(given):
        before = given[place - 1] if place else None
        after = given[place + 1] if place + 1 < len(given) else None
        then = given[place + 2] if place + 2 < len(given) else None
        if is_article(spoken, before, one, after, then):
            article = ARTICLES[spoken][one.folded]
            if before is not None and before.folded in COPULAS:
                article += _PREDICATE
        elif (not denies and one.text in ADVERBS[spoken]) or is_joint(spoken, before, one, after):
            continue
        else:
            found.append(one._replace(article=article) if article else one)
            article = ""
    return found


def _without_marks(given: list[Lexeme]) -> list[Lexeme]:
    """Leave out the punctuation that changes nothing.

    What a sentence denies may hang on a comma (`no, deploy`), and so may what belongs to which value.
    """
    end = len(given)
    while end and given[end - 1].text in _FINAL and given[end - 1].kind == "mark":
        end -= 1
    denies = any(one.folded in NEGATORS for one in given)
    speaks = any(one.folded in _SPEAKERS for one in given)
    found: list[Lexeme] = []
    for place, one in enumerate(given if speaks else given[:end]):
        if place >= end and one.text not in _QUIET:
            continue
        if one.kind != "mark" or one.text == "?":
            found.append(one)
            continue
        if one.text in _QUIET:
            # `"5"` is not 5, and in quotation marks `I` is somebody else.
            if one.text != "`" and (speaks or any(_is_value(given, place, step, _FIGURES) for step in (-1, 1))):
                found.append(Lexeme('"', "mark"))
            continue
        between = all(_is_value(given, place, step) for step in (-1, 1))
        beside = one.text in "()[]{}!" and any(_is_value(given, place, step) for step in (-1, 1))
        if between or beside or denies:
            found.append(Lexeme("," if one.text == "\n" else one.text, "mark"))
    return found


def _is_value(given: list[Lexeme], place: int, step: int, kinds: frozenset[str] = _VALUES) -> bool:
    at = place + step
    while 0 <= at < len(given) and given[at].kind == "mark":
        at += step
    return 0 <= at < len(given) and (given[at].kind in kinds or (given[at].first and kinds is _VALUES))
