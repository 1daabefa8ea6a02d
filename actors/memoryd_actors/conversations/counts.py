"""What came of everything that was to be written down."""

import msgspec


class TranscriptCounts(msgspec.Struct):
    """What came of everything since the start."""

    stored: int = 0
    known: int = 0
    left_out: int = 0
    pushes: int = 0
    dropped: int = 0
    """Pushes for which there was no room."""
    refused: int = 0
    """Pushes that were declined: of an agent that may not speak in the session, or with no sound moment."""
    crashed: int = 0
    """Messages that met a bug: what they carried is not written, and whoever appended it was told."""
    problem: str = ""
    hint: str = ""
