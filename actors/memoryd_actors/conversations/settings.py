"""What is kept of conversations."""

from typing import Annotated

import msgspec


class TranscriptSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was said, kept by session."""

    from_push: bool = True
    """Whether the messages of a pushed context become part of the transcript of their session."""
    longest_kb: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 256
    """Of a message or tool result that is longer, the beginning is kept, in thousands of characters."""
