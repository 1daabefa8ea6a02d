"""What a stored text has of a fact that is known to be in a message: by words, since no model is asked.

A memory may rest on the right message and quote the wrong sentence of it. So a fact, as the authors of a data set or
the answer to one of their questions have it, is compared with its message: the words that both have are looked for in
what was stored of that message.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

FEWEST: Final = 2
"""Words that a fact and its message share; with fewer it is told in quite other words, and nothing can be said."""
SHARE: Final = 0.6
"""Of those words, from which on a text has the fact."""
OF_FACTS: Final = frozenset(
    {
        "information_extraction",
        "knowledge_update",
        "multi_session_reasoning",
        "temporal_reasoning",
        "preference_following",
        "contradiction_resolution",
    }
)
"""Categories of BEAM's questions whose answers tell facts; the others ask for summaries, orders and obedience."""

_COMMON: Final = frozenset(
    """the a an and or of to in on at for with is are was were be been i my me we our you your it that this have has had
    do did does not so from by as he she they his her their about just very really also can could will would what how
    when""".split()
)
_WORD = re.compile(r"[a-z0-9][a-z0-9'.-]*[a-z0-9]|\d")


class Observation(msgspec.Struct, frozen=True):
    """A fact that the data set's authors had taken from a conversation."""

    group: str
    source: tuple[str, ...]
    text: str = ""


class _Question(msgspec.Struct, frozen=True):
    category: str
    relevant: tuple[str, ...]
    answer: str | int | float = ""


@dataclass(frozen=True)
class Fact:
    """A fact, and a message that tells it."""

    message: str
    words: frozenset[str]
    """Those that the message has, too."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text that mean something."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


def facts(folder: Path, said: Mapping[str, str]) -> list[Fact]:
    """Return the facts of a data set that the messages `said`, by id, tell in their words."""
    observed = folder / "observations.jsonl"
    if observed.exists():
        lines = [msgspec.json.decode(line, type=Observation) for line in observed.read_bytes().splitlines()]
        known = [(one.text, one.source) for one in lines]
    else:
        asked = (folder / "queries.jsonl").read_bytes().splitlines()
        questions = [msgspec.json.decode(line, type=_Question) for line in asked]
        known = [(str(one.answer), one.relevant) for one in questions if one.category in OF_FACTS]
    found = [
        Fact(source, words(text) & words(said[source])) for text, some in known for source in some if source in said
    ]
    return [one for one in found if len(one.words) >= FEWEST]


def held(known: Sequence[Fact], stored: Iterable[tuple[str, str]]) -> float:
    """Return the share of facts that are in what was stored: pairs of a message and a text that rests on it."""
    texts: dict[str, frozenset[str]] = {}
    for message, text in stored:
        texts[message] = texts.get(message, frozenset()) | words(text)
    there = sum(len(one.words & texts.get(one.message, frozenset())) >= SHARE * len(one.words) for one in known)
    return there / max(len(known), 1)
