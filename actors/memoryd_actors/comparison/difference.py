"""Where two texts differ, and what of that no similarity makes up for: the guards.

A number, a date, a version, a sign, a symbol, a name or a denial that differs is a guard, whatever else is said. Where
little else differs, so is a word that binds (`or`, `before`, `only`), another form of a word (another tense), and the
order of the words: of two texts that are far apart, such words say nothing.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from memoryd_actors.comparison.canon import COPULAS, Canon
from memoryd_actors.comparison.tokens import WORDS, Kind, Token, words
from memoryd_actors.texts.negation import NEGATORS
from memoryd_actors.texts.normal_form import normalized
from memoryd_actors.texts.stems import stem

_VALUES: Final[frozenset[Kind]] = frozenset({"number", "unit", "date", "symbol"})
_BINDING: Final = words("binding") | words("articles") | NEGATORS
_LIGHT: Final = words("light") | COPULAS
_WHO: Final = dict.fromkeys(words("self"), "@self") | {
    word: f"@{group.split()[0]}"
    for one in WORDS.values()
    for group in one["others"].split("|")
    for word in group.split()
}
"""Who is spoken of. Who says `I` and whom others call `you` or the user may be the same."""
_BARE: Final[frozenset[Kind]] = frozenset({"symbol", "mark", "name"})
_FEW: Final = 4
"""Tokens in which two texts may differ so that every word of them counts."""
_SHORTEST_PART: Final = 3
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)*")
_NAMED: Final = {"number": ("number", "unit"), "date": ("date",), "symbol": ("symbol",), "name": ("name",)}


class Difference(msgspec.Struct, frozen=True):
    """What one text has and the other has not. `new` and `old` name the sides."""

    new: tuple[Token, ...]
    """Words of meaning, numbers and symbols that only the new one has, in order."""
    old: tuple[Token, ...]
    new_meant: tuple[str, ...]
    """What all of the new one is about, in order: stems, without words that tell nothing by themselves."""
    old_meant: tuple[str, ...]
    denied: int
    """How many more words deny in the new one."""
    guards: tuple[str, ...]
    """What differs and is never the same, in words; empty where nothing does."""

    @property
    def coverage(self) -> float:
        """The share of the shorter one's words that the other one has."""
        least = min(len(self.new_meant), len(self.old_meant))
        return (len(self.new_meant) - len(self.new)) / least if least else 0.0


def difference(new: Canon, old: Canon) -> Difference:
    """Compare two readings, token by token."""
    ours, theirs = ([token for token in side.tokens if is_meant(token)] for side in (new, old))
    new_meant, old_meant = tuple(map(meaning, ours)), tuple(map(meaning, theirs))
    new_only, old_only = _without(ours, theirs), _without(theirs, ours)
    denied = sum(negates(token) for token in new.tokens) - sum(negates(token) for token in old.tokens)
    guards = [*_values(new_only, old_only), *(["negated"] if denied else ())]
    guards += _close(new, old, valued=bool(guards))
    if not (new_only or old_only or guards) and any(map(is_value, ours)):
        guards = ["other order"] if new_meant != old_meant else []
    return Difference(new_only, old_only, new_meant, old_meant, denied, tuple(dict.fromkeys(guards)))


def negates(token: Token) -> bool:
    """Return whether a word denies."""
    return token.folded in NEGATORS


def meaning(token: Token) -> str:
    """Return what a word is compared by where its form does not matter: `api` is `API`, and `us` is not `US`."""
    word = token.folded or token.text.casefold()
    if token.kind in _VALUES or (not token.folded and (word in _LIGHT or word in _WHO or word in NEGATORS)):
        return token.text
    return _WHO.get(word) or stem(word)


def is_meant(token: Token) -> bool:
    """Return whether a token tells what a text is about."""
    return token.kind != "mark" and token.folded not in _LIGHT and not negates(token)


def is_value(token: Token) -> bool:
    """Return whether a token is a number, a date, a version or another symbol, and no word."""
    return token.kind in _VALUES


def _without(side: Sequence[Token], other: Sequence[Token]) -> tuple[Token, ...]:
    left = Counter(map(meaning, side)) - Counter(map(meaning, other))
    kept: list[Token] = []
    for token in side:
        if left[meaning(token)] > 0:
            left[meaning(token)] -= 1
            kept.append(token)
    return tuple(kept)


def _values(new: Sequence[Token], old: Sequence[Token]) -> list[str]:
    """Return of what kind both sides have another value."""
    found: list[str] = []
    for name, kinds in _NAMED.items():
        left, right = ([token for token in side if token.kind in kinds] for side in (new, old))
        if left and right:
            version = name == "symbol" and all(_VERSION.fullmatch(token.text) for token in (*left, *right))
            told = [", ".join(value.said or value.text for value in side[:3]) for side in (left, right)]
            found.append(f"{'version' if version else name} {' ≠ '.join(told)}")
    return found


def _close(new: Canon, old: Canon, *, valued: bool) -> list[str]:
    """Return what else is a guard where little differs."""
    left, right = (Counter(map(_spelled, side.tokens)) for side in (new, old))
    come, gone = left - right, right - left
    differing = come.total() + gone.total()
    if not 0 < differing <= _FEW:
        return [] if differing else ["other order, marks or capitals"]
    found = [f"only one says {word!r}" for word in (*come, *gone) if word in _BINDING]
    sides = ((new, come), (old, gone))
    ours, theirs = ([token for token in side.tokens if _spelled(token) in only] for side, only in sides)
    if not valued:
        heavy = [[one for one in side if is_value(one) or one.kind == "name" or one.first] for side in (ours, theirs)]
        found += [pair(*heavy)] if all(heavy) or (any(heavy) and differing == 1) else []
        bare = [one for one in (*ours, *theirs) if not one.folded or one.text.lower() == one.text.upper()]
        found += [f"only one has {it.text!r}" for it in bare if it.kind in _BARE or not it.text.isascii()]
    forms = ((one, other) for one in ours[:_FEW] for other in theirs[:_FEW] if _is_form(_spelled(one), _spelled(other)))
    return found + [pair([one], [other]) for one, other in forms]


def _spelled(token: Token) -> str:
    return token.folded or token.text


def _is_form(one: str, other: str) -> bool:
    """Return whether two words are forms of one: another tense, another number of them, a prefix, other letters."""
    one, other = (normalized("NFKC", word).casefold() for word in (one, other))
    short, long = sorted((one, other), key=len)
    part = len(short) >= _SHORTEST_PART and (long.startswith(short) or long.endswith(short))
    return one == other or part or stem(one) == stem(other)


def pair(new: Sequence[Token], old: Sequence[Token]) -> str:
    """Return in words what stands on either side."""
    left, right = (" ".join(token.text for token in side[:3]) for side in (new, old))
    told = f"{left} ≠ {right}" if left and right else f"only one says {left or right!r}"
    return told if left or right else "other forms of the same words"
