"""How far the work in the background has come with each session, durably: a transcript is its own queue.

What a job brings and how far it has come then are one transaction (see `steps.Advance`), so that nothing is done twice
and nothing is left out, whenever the daemon dies. What a job keeps in `detail` holds nothing of what was said: it is
not searched for secrets, and a purge of the memories does not look there.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

import msgspec

ENDED: Final = "ended"
"""The job of whoever ends sessions: `sequence` is the last entry that there was."""
PURGED_ENTRIES: Final = "purged_entries"
"""An unfinished purge of entries; `detail` is a JSON array of their numbers."""
PURGED_SESSION: Final = "purged_session"
"""An unfinished purge of a whole session; `sequence` is the last entry that there was, `FILES_GONE` once the transcript
is destroyed and other parts may not be; `detail` is the project."""
FILES_GONE: Final = -1
PURGES: Final = "purges"
"""The job, without a session, that counts an owner's purges."""


class Progress(msgspec.Struct, frozen=True):
    """How far one job has come with one session."""

    owner: str
    session: str
    job: str
    sequence: int
    """The last entry of the transcript that is done with; 0: none yet."""
    detail: str = ""
    """JSON of the job's own; empty: nothing."""
    at: datetime | None = None
    """When it got there; None where it is yet to be stored."""


class ProgressRepository(Protocol):
    """Where it is kept: the part of the ledger that is needed here."""

    async def progress(self, owner: str, session: str, job: str) -> Progress | None:
        """Return how far a job is with a session; None where it has not begun."""
        ...

    async def progress_of(self, job: str) -> Sequence[Progress]:
        """Return how far a job is with every session of every owner that it has begun with."""
        ...

    async def purges(self, owner: str, session: str = "") -> int:
        """Return the number of an owner's newest purge: for `UnlessPurged`, read before the words themselves.

        Raises:
            Unavailable: what was purged is still on its way out of the session's transcript.
        """
        ...

    async def note_progress(self, progress: Progress) -> None:
        """Put down how far a job is, as it is given; without a moment: now. Durable on return."""
        ...

    async def forget_progress(self, owner: str, session: str) -> int:
        """Delete what every job knows of a session, and return of how many."""
        ...
