"""What of a person only they decide about, whatever it is filed under: their name, where they live, how they are."""

import re
from collections.abc import Iterable
from typing import Final, Literal, get_args

from memoryd_actors.texts.languages import pattern_of, words_of
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.memory import Memory, Source

Matter = Literal["name", "home", "health"]
MATTERS: Final[tuple[Matter, ...]] = get_args(Matter)
MATTER: Final = "personal"
"""The entry of a memory's metadata in which a model says which of them it is about."""
BASIS: Final = "extracted"
"""The entry that says who extracted it: `model` or a rule."""
_PATTERNS: Final = tuple((matter, re.compile(pattern_of("personal", matter), re.IGNORECASE)) for matter in MATTERS)

_USER: Final = words_of("comparison", "user")
_ABOUT: Final = stem_set(" ".join((*_USER, *(f"{user}{mark}s" for user in _USER for mark in "'\u2019"))))
"""Whom a memory is about, and whom the user calls `I`."""
_DENIES: Final = words_of("comparison", "negators")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_PARTS: Final = re.compile(r"[,;] ")


def matter_of(memory: Memory, *, own_word: bool = True) -> str:
    """Return what somebody else than the user says about a person, that only they decide about; empty for all else.

    That is what a model read out of a conversation and, where it is not the user's `own_word`, what anybody says. A
    model may say itself what it is about; where it does not, its words may.
    """
    if own_word and (memory.source is not Source.EXTRACTED or memory.metadata.get(BASIS) != "model"):
        return ""
    return memory.metadata.get(MATTER, "") or told_of(memory.content) or told_of(memory.title)


def told_of(text: str) -> str:
    """Return which of these matters a sentence in the third person tells of somebody; empty for none."""
    return next((matter for matter, pattern in _PATTERNS if pattern.search(text)), "")


def told_by(said: Iterable[str], text: str) -> bool:
    """Return whether a sentence of what the user said, or a part of one, has all that a text tells.

    What asks, or what denies and the text does not, tells something else.
    """
    told, denies = stem_set(text) - _ABOUT, _denies(text)
    return bool(told) and any(
        told <= stem_set(part) and _denies(part) == denies
        for message in said
        for one in sentences(message)
        if not one.text.rstrip("\"'”)* ").endswith("?")
        for part in (one.text, *_PARTS.split(one.text))
    )


def _denies(text: str) -> bool:
    words = {word.casefold().replace("\u2019", "'") for word in _WORD.findall(text)}
    return bool(words & _DENIES) or any(word.endswith("n't") for word in words)
