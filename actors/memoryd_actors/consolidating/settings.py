"""The numbers of the daily consolidation, with their sources."""

from typing import Annotated

import msgspec

Hours = Annotated[float, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Days = Annotated[int, msgspec.Meta(ge=1, le=36_500)]


class ConsolidationSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daily worker: which memories are compared once more, how many, and at what price."""

    hours: Hours = 24.0
    """Each owner's memories are consolidated once in so many hours (seed 002, item 4); 0: only when asked."""
    start_after_s: Count = 120
    """After a start nothing is consolidated for so long, in seconds."""
    quiet_s: Count = 20
    """And not before nobody has asked for anything for so long, in seconds; at most two hours."""
    pairs_a_day: Count = 50
    """Compared for one owner in a day (seed 002, item 4)."""
    tokens_a_day: Count = 50_000
    """Of the model, for one owner in a day, within the daily limits of the sidecar. Fifty pairs of a hundred
    characters are reckoned at 14,000."""
    pairs_in_a_prompt: Annotated[int, msgspec.Meta(ge=5, le=10)] = 10
    """Put before the model together (seed 002, item 4: 5 to 10)."""
    recent_hours: Hours = 72.0
    """A memory that was stored or changed within so many hours is looked at (seed 002, item 4)."""
    important_from: Annotated[int, msgspec.Meta(ge=1, le=6)] = 3
    """So is one of this importance or more (seed 002, item 4)."""
    often_used: Share = 0.1
    """So is one among this share of the most used (seed 002, item 4)."""
    recency_days: Days = 90
    """Both of a pair were stored or changed within so many days (seed 002, item 4)."""
    fallback_low: Share = 0.4
    """Cosine from which a pair is looked at. Of real duplicates 3% are below."""
    check_low: Share = 0.9
    """Cosine from which the comparison at the write is enough: it leaves 2% of duplicates and of contradictions
    alone there, between 0.7 and 0.8 half and a third."""
    overlap: Share = 0.4
    """Share of the shorter one's words that the other one has, or else a number that differs in the same words. Of
    duplicates within the band 5% share less, of texts in it that have nothing to do with each other 64%."""
    remembered_days: Days = 14
    """A pair that was compared is not compared again for so long, unless its cosine changes (seed 002, item 4)."""
    rollups: bool = True
    """Whether a project's episodes are gathered into its summary (seed 000, compaction)."""
    rollup_days: Annotated[float, msgspec.Meta(ge=0, le=365)] = 7.0
    """Once in so many days, where there are new ones (seed 000: weekly)."""
    rollup_tokens: Annotated[int, msgspec.Meta(ge=100, le=3_000)] = 800
    """Size of such a summary."""
