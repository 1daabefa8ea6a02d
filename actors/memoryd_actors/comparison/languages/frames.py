"""Sentences with a gap that one value fills, in one language, and how somebody says that a value gave way to another.

Patterns are matched against a frame: the words in lower case, elisions written out (`l'` is `le`, `d'` is `de`), one
space between them, no punctuation, and `_` where two texts have another value.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Frames:
    """What one language has of them."""

    single: tuple[str, ...]
    """Frames in which two values exclude each other, whatever they are: `lives in _`."""
    preferred: str
    """Frames of what somebody likes best: one of a kind, `prefers _`."""
    belongs: str
    """How a thing that there is one of begins: `the`, `my`, `Anna 's`."""
    persons: str
    """Subjects of which one may be many things at once: the user, `he`."""
    copulas: str
    """`is`, `are`."""
    between: str
    """Words between a copula and the value: articles, prepositions, titles."""
    attributes: str
    """What a thing has one of, whatever it is: its name, its colour, its status."""
    one_of_many: str
    """Words by which a thing is one of several, or so at times: `hobby`, `one of`, `often`."""
    nouns_are_capital: bool
    """As in German, where a capital tells no name."""
    others_too: frozenset[str]
    """What one person is, and another may be as well: her cousin, their neighbour."""
    colours: frozenset[str]
    states: frozenset[str]
    """What somebody is to the registrar: single, married."""
    moved: str
    """How it is said that a value gave way: groups `who`, `old`, `new`."""
    first_person: frozenset[str]
    """What the user calls himself, with or without his verb."""
    stays: str
    """How it is said that somebody or something is still there: `lives in`, `is written in`."""
    past: frozenset[str]
    """Words by which a statement is not about now."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The patterns of one language."""

    single: re.Pattern[str]
    preferred: re.Pattern[str]
    attributes: re.Pattern[str]
    definite: re.Pattern[str]
    """A thing that there is one of, and what it is; group `between`."""
    state: re.Pattern[str]
    several: re.Pattern[str]
    moved: re.Pattern[str]
    stays: re.Pattern[str]
    words: Frames


@cache
def compiled(frames: Frames) -> Compiled:
    """Return the patterns of a language, ready to use; compiled when it is first asked for, as a start is to be short."""
    return Compiled(
        single=re.compile(rf"(?<!\S)(?:{'|'.join(frames.single)})(?!\S)"),
        preferred=re.compile(rf"(?<!\S)(?:{frames.preferred})(?P<behind> \S.*)?\Z"),
        attributes=re.compile(rf"\b(?:{frames.attributes})\b"),
        definite=re.compile(
            rf"(?=(?:{frames.belongs}) )(?!(?:{frames.persons}) (?:{frames.copulas}) )"
            rf"[^_]*? (?:{frames.copulas}) (?P<between>(?:(?:{frames.between}) ){{0,4}})_(?!\S)"
        ),
        state=re.compile(rf"(?:\S+ ){{1,4}}?(?:{frames.copulas}) _(?!\S)"),
        several=re.compile(rf"\b(?:{frames.one_of_many})\b"),
        moved=re.compile(frames.moved),
        stays=re.compile(frames.stays),
        words=frames,
    )
