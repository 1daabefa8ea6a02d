"""A sentence about what is being done: who does what to what, each with what it is like and how it is done."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from memoryd_actors.comparison.canon import alike, settled, spelled_out
from memoryd_actors.comparison.harmless import NEGATORS
from memoryd_actors.comparison.kinds import ALSO, COLOURS, MANNER, NOUNS, PEOPLE, QUALITIES, RELATIVE, VERBS
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.phrases import BE, is_doing, is_named, is_one_sentence, rephrased
from memoryd_actors.comparison.voice import PLACED, TURNED, active

_LONGEST: Final = 40
_TURNING: Final = NEGATORS | frozenset(
    """
    only all every each any both most few fewer less least than if unless except until or whether when while because
    like as same too almost nearly half mostly partly
    avoiding refusing lacking missing banning ignoring forgetting pretending imagining dreaming hating fearing denying
    doubting stopping quitting failing preventing considering planning trying hoping wanting comparing counting
    imitating becoming resembling wishing hesitating threatening promising supposed about going
    """.split()
)
"""Words behind which a dog need not be an animal, and who does a thing slowly need not do it."""
_HEADS: Final = frozenset(
    """
    in on at of to by for with from near under over into onto off up down out along across through beside behind
    inside outside around between and is are am was were (is) (was)
    """.split()
)
"""What may follow a noun that is the last of its kind: a boy is one, a boy band is none."""


class Thing(NamedTuple):
    """A word, with what belongs to it."""

    lexeme: Lexeme
    qualities: frozenset[str] = frozenset()
    manner: frozenset[str] = frozenset()
    named: bool = False
    """Whether it is the noun behind an article or a number, and a whole one."""
    doing: bool = False
    """Whether it is the verb."""


Event = tuple[Thing, ...]


class Events(NamedTuple):
    """What a text says is being done."""

    told: Event
    """As it is told; empty where the text says something else."""
    turned: tuple[Event, ...]
    """As it is told of the one who does it, where that is not how it is told."""


_NONE: Final = Events((), ())


@lru_cache(maxsize=2048)
def events(text: str) -> Events:
    """Read a text for what it says is being done. The last 2,048 are kept."""
    given, spoken = spelled_out(text)
    if spoken != "en" or len(given) > _LONGEST or BE.isdisjoint(one.text for one in given):
        return _NONE
    if not is_one_sentence(given):
        return _NONE
    words = settled(rephrased(given), spoken).lexemes
    subject = next((at for at, one in enumerate(words) if one.text in BE), 0)
    if not is_named(words[:subject]) or any(one.folded in _TURNING or one.kind == "mark" for one in words):
        return _NONE
    return Events(_event(words), tuple(event for way in active(words) if (event := _event(way))))


def _event(given: Sequence[Lexeme]) -> Event:
    verbs = _verbs(given)
    if not verbs and not any(one.text in BE and after.text in _STATED for one, after in pairwise(given)):
        return ()
    manner: dict[int, set[str]] = {}
    left: list[int] = []
    for at, one in enumerate(given):
        verb = _verb_of(given, at, verbs) if one.text in MANNER else -1
        if verb < 0:
            left.append(at)
        else:
            manner.setdefault(verb, set()).add(one.text)
    found: list[Thing] = []
    place = 0
    while place < len(left):
        at = left[place]
        if at in verbs:
            found.append(Thing(given[at], manner=frozenset(manner.get(at, ())), doing=True))
            place += 1
            continue
        thing, place = _thing([given[each] for each in left], place, found)
        found.append(thing)
    return tuple(found)


def _verbs(given: Sequence[Lexeme]) -> frozenset[int]:
    """Return where verbs in their -ing form stand: behind `is`, or behind `and` where one has been before."""
    found: set[int] = set()
    for at, one in enumerate(given):
        if not is_doing(one) or not at:
            continue
        before = at - 2 if given[at - 1].text in MANNER else at - 1
        if given[before].text in BE or given[before].text in TURNED or (found and given[before].text == "and"):
            found.add(at)
    return frozenset(found)


def _verb_of(given: Sequence[Lexeme], at: int, verbs: frozenset[int]) -> int:
    """Return the verb that an adverb belongs to; -1 where that is not plain."""
    for beside in (at + 1, at - 1):
        if beside in verbs:
            return beside
    return next(iter(verbs)) if at == len(given) - 1 and len(verbs) == 1 else -1


def _thing(given: Sequence[Lexeme], at: int, before: Sequence[Thing]) -> tuple[Thing, int]:
    """Return the thing that begins here, with what it is like, and where the next one begins."""
    one = given[at]
    article = one.article
    start = at
    if one.text == "1" and not article and at + 1 < len(given) and given[at + 1].kind == "word":
        article, at = "1", at + 1
    counted = not article and bool(before) and before[-1].lexeme.kind == "number" and before[-1].lexeme.text.isdecimal()
    if not article and not counted:
        # What is being done to dogs is being done to animals.
        done_to = bool(before) and before[-1].doing and one.folded in _NOUNS_BELOW and _ends(given, at)
        return Thing(one, named=one.folded == "someone" or done_to), at + 1
    noun = at
    qualities: set[str] = set()
    while noun + 1 < len(given) and (given[noun].text in QUALITIES or (qualities and given[noun].text == "and")):
        if given[noun].text != "and":
            qualities.add(given[noun].text)
        noun += 1
    head = given[noun]
    whole = head.kind == "word" and _ends(given, noun)
    if qualities and (not whole or head.text in _HEADS or head.article not in {"", article}):
        return Thing(given[start], named=False), start + 1
    return Thing(head._replace(article=article), frozenset(qualities), named=whole), noun + 1


def _ends(given: Sequence[Lexeme], at: int) -> bool:
    """Return whether a noun ends here, and none follows that it only describes."""
    if at + 1 == len(given):
        return True
    after = given[at + 1]
    return bool(after.article) or after.text in _HEADS


_STATED: Final = PLACED | {"being"}
LESS: Final = 1
MORE: Final = 2
"""One says less than the other, or more; 0 where they say the same, -1 where neither follows from the other."""


def weighed(one: Event, other: Event) -> int:
    """Return whether what one event says follows from the other, word by word."""
    if len(one) != len(other):
        return -1
    found = 0
    for left, right in zip(one, other, strict=True):
        weight = _weighed(left, right)
        if weight < 0:
            return -1
        found |= weight
    return found if found != LESS | MORE else -1


def _weighed(one: Thing, other: Thing) -> int:
    if (one.named, one.doing) != (other.named, other.doing):
        return -1
    found = _words(one, other)
    if found < 0:
        return -1
    if found and not one.doing:
        plain = one if found == LESS else other
        if plain.qualities & RELATIVE and not {one.lexeme.text, other.lexeme.text} <= PEOPLE:
            return -1
    for left, right, at_all in (
        (one.manner, other.manner, True),
        (_told(one.qualities, one), _told(other.qualities, other), False),
    ):
        if left == right:
            continue
        if not (left < right or left > right):
            return -1
        less, more = (left, right) if left < right else (right, left)
        # A thing of two colours is of neither; which thing `the` one is, is another question than what it is like.
        whose = one if left < right else other
        if not at_all and (whose.lexeme.article[:1] not in {"a", "1"} or (less & COLOURS and (more - less) & COLOURS)):
            return -1
        found |= LESS if left < right else MORE
    return found


def _told(qualities: frozenset[str], thing: Thing) -> frozenset[str]:
    """Return qualities in the word that stands for each: a little boy is a young one."""
    small = {"little", "small", "young"} if thing.lexeme.text in PEOPLE else {"little", "small"}
    return frozenset("small" if each in small else ALSO.get(each, each) for each in qualities)


def _words(one: Thing, other: Thing) -> int:
    left, right = one.lexeme, other.lexeme
    if "1" in (left.article, right.article):
        # `One` is `a`, and neither `the` nor nothing.
        if not {left.article[:1], right.article[:1]} <= {"a", "1"}:
            return -1
        left, right = left._replace(article="a"), right._replace(article="a")
    if alike(left, right, "en"):
        return 0
    if left.text in TURNED.get(right.text, ()) or right.text in TURNED.get(left.text, ()):
        return 0
    a, b = left.folded, right.folded
    if not alike(left._replace(text="", folded=""), right._replace(text="", folded=""), "en"):
        return -1
    for kinds in (_NOUNS if one.named else {}, _VERBS if one.doing else {}):
        less, more = b in kinds.get(a, ()), a in kinds.get(b, ())
        if less or more:
            return 0 if less and more else LESS if less else MORE
    return -1


def _closed(kinds: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """Return for each word what is a kind of a kind of it, too."""
    found: dict[str, set[str]] = {}
    for above in kinds:
        below: set[str] = set()
        ahead = [above]
        while ahead:
            for word in kinds.get(ahead.pop(), frozenset()) - below:
                below.add(word)
                ahead.append(word)
        found[above] = below
    return {word: frozenset(below) for word, below in found.items()}


_NOUNS: Final = _closed(NOUNS)
_NOUNS_BELOW: Final = frozenset(_NOUNS).union(*_NOUNS.values())
_VERBS: Final = _closed(VERBS)
