"""What is put before a judge, and what it may look up for it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec

from memoryd_actors.memory.visibility import Visibility


class Exhibit(msgspec.Struct, frozen=True):
    """One candidate as the judge sees it."""

    id: str
    text: str
    category: str
    date: datetime
    trust: float
    vector_score: float
    word_score: float
    """Normalised: BM25 over the best of this search, 0 to 1."""
    score: float
    """Fused, 0 to 1."""
    speaker: str = ""
    """Whose words it is, where it is a message of a conversation."""
    source: str = ""
    """From where it came: user, agent, extracted or imported."""
    trigger: str = ""
    """What a procedure is for; empty for all else."""
    sourced: bool = False
    """Whether it comes from a session or a file, which can be looked up."""
    files: tuple[str, ...] = ()
    """What it is about, as paths."""


LookupKind = Literal["read_source", "session_search"]
"""Where a candidate comes from, or a file of the project; a search in the session of a candidate, or in all."""


class Lookup(msgspec.Struct, frozen=True):
    """What a judge wants to see before it decides."""

    kind: LookupKind
    index: int = -1
    """The exhibit in question; -1 where a search is not about one of them."""
    query: str = ""
    """What is searched for; the path of a file that is to be read."""


class Passage(msgspec.Struct, frozen=True):
    """What a look-up brought to light; nothing, where there is nothing."""

    lookup: Lookup
    texts: tuple[str, ...]


class StoreStatistics(msgspec.Struct, frozen=True):
    """How rare words are among all memories that somebody may see."""

    n: int
    """How many memories that are."""
    df: Mapping[str, int]
    """For each stem that was asked for, how many of them have a word of it."""


class Case(msgspec.Struct, frozen=True):
    """What is put before the judge: what the user wants now, what led there, and the candidates."""

    focus: str
    window: str
    exhibits: tuple[Exhibit, ...]
    in_context: tuple[Exhibit, ...] = ()
    """What came up, too, and stands in the context already; no candidate, best first."""
    store: StoreStatistics | None = None
    """What is known of all memories that could have come up; None: of the exhibits alone."""
    visible: Visibility | None = None
    """What may be looked up for it; None: nothing."""
    lookups: int = 0
    """How many look-ups the judge may ask for with its verdicts."""
    files: tuple[str, ...] = ()
    """Files in hand, as paths."""
    passages: tuple[Passage, ...] = ()
    """What was looked up. Where there are any, the judge has to decide now."""
