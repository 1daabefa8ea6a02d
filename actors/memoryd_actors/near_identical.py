"""Whether a text says in the same words what another one says already, so that showing both tells nothing.

Cosine cannot tell: above 0.85 lie half of all true duplicates and half of all contradictions. So all words decide, in
their order; only what never changes a meaning is passed over. Of pairs that contradict each other 2 in 1,000 pass,
nearly all of them equal to the letter. What is said in other words is for the judge (`benchmarks/duplicates.py`).
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from itertools import islice

from memoryd_actors.render import SESSION, voice
from memoryd_client.memory import Memory, ShownMemory

LONGEST_READ = 1_000
"""Characters that are taken apart; what follows them has to be equal to the letter."""
LIGHT = frozenset("a an the am is are be been being that very really also too quite please".split())  # noqa: SIM905
"""Words without which a sentence says the same."""

_TOKEN = re.compile(
    r"""
      (?<!\w)--?\w[\w-]*            # an option or a negative number: -d is not -D
    | \d+(?:[.,:]\d+)*              # a number with its decimals
    | \w+(?:\.\w+)*                 # a word, a file, a module, a host
    | [+*=<>%$€£°\#&|^~@/\\?]       # what makes C++ of C, 5% of 5, a question of a statement
    | !(?=[=\w])
    """,
    re.VERBOSE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_APOSTROPHES = str.maketrans("\u2018\u2019", "''")
_SHORT_FORMS = (
    (re.compile(r"\bcan(?:'t|not)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"'(?:re|m)\b", re.IGNORECASE), " are"),
    (re.compile(r"'ve\b", re.IGNORECASE), " have"),
    (re.compile(r"'ll\b", re.IGNORECASE), " will"),
)
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED)}
_OWN = """i me my mine we us our ours ich mich mir mein meine wir uns unser je j moi mon ma mes nous"""
_NOW = """now today tonight yesterday tomorrow currently recently ago last this next jetzt heute gestern morgen aktuell
maintenant hier demain aujourd"""
_LONG = 7
_MARKS = 8
_ENDING = 4
"""Letters that a stem may lose: the last four of planning."""


@dataclass(frozen=True, slots=True)
class Told:
    """A text, who said it and when."""

    text: str
    voice: str = ""
    moment: datetime | None = None


def adds_nothing(new: Told, shown: Told) -> bool:
    """Return whether every sentence of `new` is in `shown`, word by word: numbers, names, negation and order equal.

    Who said it matters where a text speaks of "me", and the day where it speaks of "today". A text without words adds
    nothing to an equal one only.
    """
    if any(mark not in _folded(shown.text) for mark in _marks(new.text)):
        return False
    ours, theirs = sentences(new.text), sentences(shown.text)
    if not ours.keys or not ours.keys <= theirs.keys:
        return new == shown
    if ours.personal and new.voice.casefold() != shown.voice.casefold():
        return False
    return not ours.dated or _day(new) == _day(shown)


def near_identical(one: Told, other: Told) -> bool:
    """Return whether neither of two texts adds anything to the other."""
    return adds_nothing(one, other) and adds_nothing(other, one)


def told(memory: Memory) -> Told:
    """Return what a memory says."""
    return Told(memory.content, voice(memory), memory.occurred_at or memory.created_at)


def told_again(memory: ShownMemory) -> Told:
    """Return what a memory says as it was handed over."""
    return Told(memory.content, memory.provenance.partition(SESSION)[0], memory.date)


@dataclass(frozen=True, slots=True)
class Sentences:
    """What a text says."""

    keys: frozenset[tuple[str, ...]]
    """Of each sentence its words, as they are compared."""
    personal: bool
    """Whether it depends on who says it."""
    dated: bool
    """Whether it depends on when it is said."""


@lru_cache(maxsize=512)
def sentences(text: str) -> Sentences:
    """Take a text apart."""
    head, rest = text[:LONGEST_READ], text[LONGEST_READ:]
    keys = {key for sentence in _SENTENCE.split(_spelled_out(head)) if (key := _key(sentence))}
    words = {word for key in keys for word in key}
    if rest:
        keys.add((rest,))
    return Sentences(frozenset(keys), not _PERSONAL.isdisjoint(words), not _DATED.isdisjoint(words))


@lru_cache(maxsize=512)
def _marks(text: str) -> tuple[str, ...]:
    """Return how the first long words begin; stems, numbers and short forms never change that.

    A text that lacks one of them need not be taken apart, which costs 50 times as much.
    """
    stripped = (word.strip(".,;:!?\"'()") for word in text[:LONGEST_READ].split())
    long = (word for word in stripped if len(word) >= _LONG and word.isalpha())
    return tuple(word[:-_ENDING].casefold() for word in islice(long, _MARKS))


@lru_cache(maxsize=512)
def _folded(text: str) -> str:
    return text[:LONGEST_READ].casefold()


def _spelled_out(text: str) -> str:
    text = text.translate(_APOSTROPHES)
    if "'" in text or "annot" in text:
        for short, full in _SHORT_FORMS:
            text = short.sub(full, text)
    return text


def _key(sentence: str) -> tuple[str, ...]:
    key: list[str] = []
    for token in _TOKEN.findall(sentence):
        word = token.casefold()
        if token[0] == "-":
            key.append(token)
        # "Plan A" is not "plan".
        elif word not in LIGHT or (token != word and key):
            key.append(_stem(_NUMBERS.get(word, word)))
    return tuple(key)


def _stem(word: str) -> str:
    """Take off what does not change a meaning, lightly: plays, play and playing meet, played does not."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing"):
        word = word[:-3]
        if word[-1] == word[-2] and word[-1] not in "lsz":
            word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _day(told: Told) -> date | None:
    return told.moment.date() if told.moment else None


_PERSONAL = frozenset(map(_stem, _OWN.split()))
"""Words whose meaning depends on who says them."""
_DATED = frozenset(map(_stem, _NOW.split()))
"""Words whose meaning depends on when they are said."""
