"""What of a person only they decide about, whatever it is filed under: their name, where they live, how they are."""

import re
from collections.abc import Iterable
from typing import Final, Literal, get_args

from memoryd_actors.texts.languages import pattern_of, words_of
from memoryd_actors.texts.negation import denies
from memoryd_actors.texts.sentences import sentences, spans
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.memory import Memory, Source

Matter = Literal["name", "home", "health"]
MATTERS: Final[tuple[Matter, ...]] = get_args(Matter)
MATTER: Final = "personal"
"""The entry of a memory's metadata in which a model says which of them it is about."""
BASIS: Final = "extracted"
"""The entry that says who extracted it: `model` or a rule."""
MOST_LOOKED: Final = 50_000
"""Characters of a text that are looked at: each thousand takes 5 ms of a core, and a file has up to a million."""
# Each begins with a word: asked once for all of them, whether one begins here takes half of the time.
_PATTERNS: Final = tuple(
    (matter, re.compile(rf"\b(?=\w)(?:{pattern_of('personal', matter)})", re.IGNORECASE)) for matter in MATTERS
)

_USER: Final = words_of("comparison", "user")
_ABOUT: Final = stem_set(" ".join((*_USER, *(f"{user}{mark}s" for user in _USER for mark in "'\u2019"))))
"""Whom a memory is about, and whom the user calls `I`."""
_PARTS: Final = re.compile(r"[,;] ")


def matter_of(memory: Memory, *, own_word: bool = True, told: frozenset[str] = frozenset()) -> str:
    """Return what somebody else than the user says about a person, that only they decide about; empty for all else.

    That is what a model read out of a conversation and, where it is not the user's `own_word`, what anybody says, but
    for sentences that the user `told`. A model may say itself what it is about; where it does not, its words may.
    """
    if own_word and (memory.source is not Source.EXTRACTED or memory.metadata.get(BASIS) != "model"):
        return ""
    said_so = "" if memory.content.strip() in told else memory.metadata.get(MATTER, "")
    return said_so or untold(f"{memory.title}\n{memory.content}", told)


def told_of(text: str) -> str:
    """Return which of these matters a text in the third person tells of somebody; empty for none."""
    return next((matter for matter, pattern in _PATTERNS if pattern.search(text, 0, MOST_LOOKED)), "")


def telling(text: str, before: str = "") -> list[str]:
    """Return the sentences of a text that tell of such a matter, without those that stood there `before`."""
    known = set(_each(before)) if before else set[str]()
    new = "\n".join(one for one in dict.fromkeys(_each(text)) if one not in known)[:MOST_LOOKED]
    return [one for one in new.split("\n") if told_of(one)] if told_of(new) else []


def untold(text: str, told: frozenset[str], before: str = "") -> str:
    """Return which matter a text tells in a sentence that the user has not `told`; empty for none."""
    return next((told_of(one) for one in telling(text, before) if one not in told), "")


def _each(text: str) -> list[str]:
    return [one for start, end in spans(text) if (one := text[start:end].strip())]


def told_by(said: Iterable[str], text: str) -> bool:
    """Return whether a sentence of what the user said, or a part of one, has all that a text tells.

    What asks, or what denies and the text does not, tells something else.
    """
    told, denied = stem_set(text) - _ABOUT, denies(text)
    return bool(told) and any(
        told <= stem_set(part) and denies(part) == denied
        for message in said
        for one in sentences(message)
        if not one.text.rstrip("\"'”)* ").endswith("?")
        for part in (one.text, *_PARTS.split(one.text))
    )
