"""How often something of an owner's was purged: what is made of words that were read before is not written after it.

The number is raised in the transaction that destroys, and once more in the one that says that the words are gone from a
transcript. In between a transcript has what is to go, and nothing is made of it.
"""

from datetime import datetime

from sqlalchemy import Connection

from memoryd.ledger import progressing
from memoryd_actors.core.errors import PurgedMeanwhile, Unavailable
from memoryd_actors.memory.progress import PURGED_ENTRIES, PURGED_SESSION, PURGES, Progress
from memoryd_actors.memory.steps import UnlessPurged


def raise_count(connection: Connection, owner: str, now: datetime) -> None:
    """Count a purge."""
    progressing.put(connection, Progress(owner, "", PURGES, _count(connection, owner) + 1), now)


def count(connection: Connection, owner: str, session: str) -> int:
    """Return the number of an owner's newest purge.

    Raises:
        Unavailable: what was purged is still on its way out of the session's transcript.
    """
    if _unfinished(connection, owner, session):
        raise Unavailable(f"what was purged is not out of the transcript of {session!r} yet", "Try again in a moment.")
    return _count(connection, owner)


def check(connection: Connection, owner: str, step: UnlessPurged) -> None:
    """Raise PurgedMeanwhile where something was purged since."""
    if _count(connection, owner) != step.purges or _unfinished(connection, owner, step.session):
        raise PurgedMeanwhile


def _count(connection: Connection, owner: str) -> int:
    known = progressing.get(connection, owner, "", PURGES)
    return known.sequence if known else 0


def _unfinished(connection: Connection, owner: str, session: str) -> bool:
    jobs = (PURGED_ENTRIES, PURGED_SESSION) if session else ()
    return any(progressing.get(connection, owner, session, job) is not None for job in jobs)
