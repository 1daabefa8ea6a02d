"""Two texts that are one but for a value, in a place where only one can be: `lives in Graz`, `lives in Leipzig`.

No list knows all values. What tells is the frame that both share: the words around the gap. A frame holds one value
where its verb does (`lives in _`, `is written in _`), or where it says what a thing is of which there is one (`her
favourite colour is _`). Whoever likes tea likes coffee, too: other frames say nothing. And the two values have to be of
one kind: two names, two colours, two values of one attribute, or nouns as close as the vectors of the sentences tell,
in which nothing else differs.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from memoryd_actors.comparison.canon import spelled_out
from memoryd_actors.comparison.inversion import BOUND, COPULAS, DEFINITE, OWNED
from memoryd_actors.comparison.languages import FRAMES, Compiled, compiled
from memoryd_actors.comparison.lexemes import Lexeme
from memoryd_actors.comparison.numerals import DAYS, MONTHS, ORDINALS
from memoryd_actors.comparison.places import COUNTRIES
from memoryd_actors.comparison.synonyms import meaning
from memoryd_actors.comparison.tokens import MARKER, stem

_LONGEST: Final = 40
_LONGEST_TEXT: Final = 400
"""Words and characters of a text that is laid on another."""
_LONGEST_VALUE: Final = 4
_CLOSE: Final = 0.75
"""Cosine of two sentences that differ in one word, from which it is taken to be of one kind where the frame leaves that
open: `prefers tea`, `prefers coffee` 0.85, `prefers Python`, `prefers Vim` 0.53. Of adjectives it says nothing: `das
Haus ist alt`, `das Haus ist schön` 0.78."""
_NEAR: Final = 0.6
"""The same for two nouns behind an article, and words in a frame that its verb keeps to one value."""
_ELIDED: Final = {"l'": "le", "d'": "de", "j'": "je", "n'": "ne", "s'": "se", "m'": "me", "t'": "te", "qu'": "que"}
_DETERMINERS: Final = frozenset(
    "the a an der die das den dem ein eine einen einem einer le la les un une el los las una".split()
)
_VERBS: Final = frozenset(
    "is are was were has have had will ist sind war waren hat haben hatte est sont était a ont avait es son era está "
    "están tiene tienen tenía".split()
)
_OTHERS_TOO: Final = frozenset[str]().union(*(one.others_too for one in FRAMES))
_PREPOSITIONS: Final = frozenset("to for by with about on from of at mit für von bei zu".split())
_FIGURES: Final = frozenset({"number", "unit", "date"})


class Word(NamedTuple):
    """One word of a frame."""

    text: str
    """In lower case, elisions written out."""
    kind: str
    """`name`, `figure`, `word`, or `first` for one that began the sentence and does no longer."""


class Gap(NamedTuple):
    """Where two texts differ: the words before it and behind it, and what stands there in either."""

    frame: str
    new: tuple[Word, ...]
    old: tuple[Word, ...]


def exclusive(new: str, old: str, cosine: float) -> str:
    """Return by which two values two texts contradict each other, all else being equal: `graz ≠ leipzig`.

    Empty where they do not, as far as their frame tells. In either order; at most 40 words are laid side by side.
    """
    left, right = words(new), words(old)
    if not left or not right:
        return ""
    for one, other in ((left, right), (_straight(left), _straight(right))):
        gap = between(one, other) if one[0].text == other[0].text else None
        if gap is None or _one_is_the_other(gap) or _leads_elsewhere(gap):
            continue
        if any(_single(compiled(each), gap, cosine) for each in FRAMES):
            return " ≠ ".join(" ".join(one.text for one in side) for side in (gap.new, gap.old))
    return ""


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    """Return the words of a text without its punctuation; none where it is too long to be one statement."""
    if len(text) > _LONGEST_TEXT or MARKER.search(text):
        return ()
    given = [one for one in spelled_out(text)[0] if one.kind != "mark"]
    return tuple(map(_word, given)) if len(given) <= _LONGEST else ()


def _straight(given: tuple[Word, ...]) -> tuple[Word, ...]:
    """Tell of what there is one of what it is: `Kim is the captain` as `the captain is Kim`."""
    at = next((place for place, one in enumerate(given[:_LONGEST_VALUE]) if one.text in COPULAS), 0)
    left, right = given[:at], given[at + 1 :]
    if not at or len(right) < 2 or right[0].text not in DEFINITE or left[0].text in _DETERMINERS | OWNED:
        return given
    if not BOUND.isdisjoint(one.text for one in left):
        return given
    if any(one.text in COPULAS or one.text in _OTHERS_TOO for one in right):
        return given
    # A capital at the beginning says nothing: what it is, the other text may tell.
    return (*right, given[at], *(one._replace(kind="first") if one.kind == "word" else one for one in left))


def _word(one: Lexeme) -> Word:
    lower = one.text.lower()
    if one.kind in _FIGURES:
        return Word(one.text, "figure")
    named = one.kind == "name" or (one.kind == "symbol" and not lower.isalpha())
    return Word(_ELIDED.get(lower, lower), "name" if named else "word")


def between(new: Sequence[Word], old: Sequence[Word]) -> Gap | None:
    """Return the one place in which two texts differ; None where there is none, or little else."""
    if not new or not old or new == old:
        return None
    least = min(len(new), len(old))
    start = 0
    while start < least and new[start].text == old[start].text:
        start += 1
    end = 0
    while end < least - start and new[-1 - end].text == old[-1 - end].text:
        end += 1
    sides = [tuple(side[start : len(side) - end]) for side in (new, old)]
    frame = [one.text for one in new[:start]]
    # What stands before a noun goes with it: `le droit`, `la médecine`.
    if all(side and side[0].text in _DETERMINERS for side in sides):
        frame.append(sides[0][0].text)
        sides = [side[1:] for side in sides]
    if start < 1 or not all(0 < len(side) <= _LONGEST_VALUE for side in sides):
        return None
    frame += ["_", *(one.text for one in new[len(new) - end :])]
    return Gap(" ".join(frame), sides[0], sides[1])


def _single(language: Compiled, gap: Gap, cosine: float) -> bool:
    """Return whether the frame holds one value in this language, and the two are of one kind."""
    if language.several.search(gap.frame):
        return False
    one, other = (side[-1].text for side in (gap.new, gap.old))
    if language.words.states >= {one, other} and language.state.match(gap.frame):
        return True
    kinds = ({_kind(gap.new), _kind(gap.old)} - {"first"}) or {"name"}
    told = len(kinds) == 1 and kinds != {"word"}
    enough = 2.0
    if preferred := language.preferred.search(gap.frame):
        # Who prefers one language to others may well prefer an editor.
        enough = _NEAR if preferred["behind"] else _CLOSE
    elif language.single.search(gap.frame):
        # Two names of a dog are as close as they happen to be: Rufus and Bruno 0.51.
        enough = -1.0 if told else _NEAR
    elif found := language.definite.match(gap.frame):
        if language.words.colours >= {one, other} or language.attributes.search(gap.frame):
            enough = -1.0
        elif found["between"]:
            enough = -1.0 if told else _NEAR if _OTHERS_TOO.isdisjoint(gap.frame.split()) else _CLOSE
        elif told and (kinds == {"figure"} or not language.words.nouns_are_capital):
            enough = -1.0
    return cosine >= (enough if len(kinds) == 1 else max(enough, _CLOSE))


def _kind(value: Sequence[Word]) -> str:
    kinds = [one.kind for one in value]
    return next((kind for kind in ("figure", "name", "first") if kind in kinds), "word")


def _leads_elsewhere(gap: Gap) -> bool:
    """Return whether one is in the other as a town is in a country, or they begin with two prepositions."""
    wide = [not COUNTRIES.isdisjoint(one.text for one in side) for side in (gap.new, gap.old)]
    if wide[0] != wide[1]:
        return True
    new, old = gap.new[0].text, gap.old[0].text
    return new != old and not _PREPOSITIONS.isdisjoint((new, old))


def _one_is_the_other(gap: Gap) -> bool:
    """Return whether two values are one, or one is told in more words: NYC, Chris, `a big house`."""
    new, old = ([one.text for one in side] for side in (gap.new, gap.old))
    if set(new) <= set(old) or set(old) <= set(new):
        return True
    for one, other in ((new, old), (old, new)):
        initials = "".join(word[0] for word in other)
        if len(one) == 1 and len(other) > 1 and one[0].replace(".", "").startswith(initials):
            return True
    joined, beside = ("".join(side) for side in (new, old))
    if joined.startswith(beside) or beside.startswith(joined):
        return True
    return meaning(stem(new[-1])) == meaning(stem(old[-1])) and len(new) == len(old) == 1


def of_others(new: str, old: str) -> bool:
    """Return whether two texts tell of two things, by number or by day: `ward 3 has 12 beds`, `ward 4 has 15 beds`.

    What is counted or dated before the verb says which one is spoken of, and another value behind it is no conflict. In
    either order.
    """
    left, right = words(new), words(old)
    verb = next((at for at, one in enumerate(left) if one.text in _VERBS), 0)
    if not verb or left[verb : verb + 1] != right[verb : verb + 1] or left[verb + 1 :] == right[verb + 1 :]:
        return False
    differ = [(one, other) for one, other in zip(left[:verb], right[:verb], strict=True) if one != other]
    return bool(differ) and all(_is_figure(one) and _is_figure(other) for one, other in differ)


def _is_figure(word: Word) -> bool:
    return word.kind == "figure" or word.text in ORDINALS or word.text in DAYS or word.text in MONTHS
