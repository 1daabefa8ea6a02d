"""The numbers of the daily consolidation, with their sources."""

from typing import Annotated

import msgspec

Hours = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class ConsolidationSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daily worker: which memories are compared once more, how many, and at what price."""

    hours: Hours = 24.0
    """Each owner's memories are consolidated once in so many hours; 0: only when asked."""
    start_after_s: Count = 120
    """After a start nothing is consolidated for so long, in seconds."""
    quiet_s: Count = 20
    """And not before nobody has asked for anything for so long, in seconds; at most two hours."""
    pairs_a_day: Count = 50
    """Compared for one owner in a day."""
    tokens_a_day: Count = 50_000
    """Of the model, for one owner in a day, within the daily limits of the sidecar. Fifty pairs of a hundred
    characters are reckoned at 14,000."""
    pairs_in_a_prompt: Annotated[int, msgspec.Meta(ge=5, le=10)] = 10
    """Put before the model together."""
    rollups: bool = True
    """Whether a project's episodes are gathered into its summary."""
    prune_episodes: bool = False
    """Whether episodes are archived once their project's summary tells them: out of recall, not destroyed."""
    rollup_days: Annotated[float, msgspec.Meta(ge=0, le=365)] = 7.0
    """Once in so many days, where there are new ones."""
