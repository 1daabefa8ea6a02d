"""The numbers that the recall pipeline turns on, with their sources."""

from typing import Annotated, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class RecallSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pipeline from context to pending memory."""

    topic_rule: Literal["exchange", "request", "message"] = "exchange"
    """What decides a topic: a request and its reply, the request alone, or (seed 004) the request and one message."""
    topic_threshold: Share = 0.3
    """Similarity below which the topic has changed (seed 004)."""
    reset_turns: Annotated[int, msgspec.Meta(ge=1)] = 50
    """Turns after which memories may be shown again (seed 004)."""
    ranking: Literal["context", "fused"] = "context"
    """context: meaning, words, and what was said around a memory, by whom and when. fused: meaning and words alone
    (seed 003)."""
    vector_weight: Share = 0.7
    """Share of the cosine in the fused score (seed 003); the words have the rest. Counts where `ranking` is fused."""
    candidates: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """Taken from each side of the search before fusion."""
    judged: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10
    """Put before the judge (seed 004: at most 10)."""
    minimum_cosine: Annotated[float, msgspec.Meta(ge=-1, le=1)] = -1.0
    """A hard floor under the cosine. Seed 004 has 0.4, which loses a third of what is relevant: off."""
    maximum_surfaced: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    """Memories handed over at once."""
    pending_turns: Annotated[int, msgspec.Meta(ge=1)] = 10
    """Turns after which an untaken memory expires."""
    budget_tokens: Annotated[int, msgspec.Meta(ge=64)] = 1000
    """Size of the text handed over."""
    stale_s: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    """A context older than this when it arrives is dropped, in seconds."""
