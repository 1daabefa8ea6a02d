"""What of a person only they decide about, whatever it is filed under: their name, where they live, how they are."""

import re
from typing import Final, Literal, get_args

from memoryd_actors.texts.languages import pattern_of
from memoryd_client.wire.memory import Memory, Source

Matter = Literal["name", "home", "health"]
MATTERS: Final[tuple[Matter, ...]] = get_args(Matter)
MATTER: Final = "personal"
"""The entry of a memory's metadata in which a model says which of them it is about."""
BASIS: Final = "extracted"
"""The entry that says who extracted it: `model` or a rule."""
_PATTERNS: Final = tuple((matter, re.compile(pattern_of("personal", matter), re.IGNORECASE)) for matter in MATTERS)


def matter_of(memory: Memory) -> str:
    """Return what a model read out of a conversation about a person, that only they decide about; empty for all else.

    The model says so itself; where it does not, its words may.
    """
    if memory.source is not Source.EXTRACTED or memory.metadata.get(BASIS) != "model":
        return ""
    return memory.metadata.get(MATTER, "") or told_of(memory.content)


def told_of(text: str) -> str:
    """Return which of these matters a sentence in the third person tells of somebody; empty for none."""
    return next((matter for matter, pattern in _PATTERNS if pattern.search(text)), "")
