"""What a sentence has about it that makes it worth remembering, or not: signs, each with its weight.

The weights are rounded from a logistic regression over the friends' chats of LoCoMo's dev half, of which every fold
left out one conversation: their signs and sizes agreed between folds. Those of `is at`, `left out`, `to me`, `kin`,
`cheers` and `greets` were set by hand on two of these conversations, and bring as much on the two others: .488 captured
instead of .367, at the same junk (.142), with a threshold of 0.4. `benchmarks/extraction.py` measures them.

Vectors add nothing: by how near they are to 91 statements that last and 92 that do not, written for that, turns are
ordered worse (area under the curve .68, these signs .82, both .83), for 7 ms a sentence instead of 0.1.

Of a language that has no table hardly a sign is found, and nothing is taken.
"""

import re
from typing import Final

import msgspec

from memoryd_actors.texts.languages import tables


def _sign(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern.replace("'", "['\u2019]"), re.IGNORECASE)


class Sign(msgspec.Struct, frozen=True):
    """A pattern, and how much it counts where it is found."""

    name: str
    weight: float
    pattern: str


class Signs(msgspec.Struct, frozen=True):
    """The table of a language."""

    speaker: str
    """How a speaker names themselves."""
    each: tuple[Sign, ...]


_TABLES: Final = tables("signs", Signs)
SIGNED: Final = frozenset(_TABLES)
"""Languages whose signs are known."""
SIGNS: Final = tuple((one.name, one.weight, _sign(one.pattern)) for signs in _TABLES.values() for one in signs.each)
NAME: Final = 0.7
"""Weight of a capitalised word within the sentence."""
NOBODY: Final = -1.0
"""Of a sentence in which its speaker does not appear."""
SHORT: Final = -0.8
"""Of a sentence of fewer than eight words; of fewer than five once more."""
LENGTH: Final = 1.2
"""Of 25 words or more; in proportion below."""
BASE: Final = -0.9

_NAME = re.compile(r"(?<=[a-z,] )(?!I\b|I['\u2019])[A-Z][a-zA-Z]{2,}")
_SPEAKER = _sign("|".join(signs.speaker for signs in _TABLES.values()))


def _named(name: str) -> "re.Pattern[str]":
    return _sign("|".join(one.pattern for signs in _TABLES.values() for one in signs.each if one.name == name))


_TIME = _named("time")
_LEFT_OUT = _named("left out")


def dated(bare: str) -> bool:
    """Return whether a sentence names a time, or somebody or something by name: what a passing remark does not."""
    return bool(_TIME.search(bare) or _NAME.search(bare))


def weigh(bare: str) -> float:
    """Return how much speaks for remembering a sentence; what stands in quotation marks is blotted out of it."""
    words = len(bare.split())
    weight = BASE + LENGTH * min(words, 25) / 25
    weight += SHORT * ((words < 8) + (words < 5))
    weight += NAME * bool(_NAME.search(bare))
    weight += NOBODY * (_SPEAKER.search(bare) is None and _LEFT_OUT.search(bare) is None)
    return weight + sum(size for _, size, pattern in SIGNS if pattern.search(bare))
