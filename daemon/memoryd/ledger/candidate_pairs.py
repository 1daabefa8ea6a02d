"""Pairs of memories that may be about the same, until somebody settles what they are to each other."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from memoryd.ledger.batches import batches
from memoryd.ledger.rows import to_micros
from memoryd.ledger.tables import doubts, memories
from memoryd_actors.memory.steps import AddCandidatePair, Settled
from memoryd_actors.texts.characters import clean


def add(connection: Connection, owner: str, step: AddCandidatePair, now: datetime) -> None:
    """Put a pair down, unless it is there."""
    if connection.execute(select(doubts.c.id).where(_pair(step.older, step.newer)).limit(1)).first() is None:
        row = {
            "owner": owner,
            "older_id": step.older,
            "newer_id": step.newer,
            "similarity": step.similarity,
            "reason": clean(step.reason),
            "created_at": to_micros(now),
        }
        connection.execute(insert(doubts), row)


def settle(connection: Connection, owner: str, step: Settled, now: datetime) -> None:
    """Put down what was decided about a pair that is open."""
    still = _pair(clean(step.older), clean(step.newer)) & doubts.c.decided_at.is_(None)
    decided = {"decided_at": to_micros(now), "decision": clean(step.decision)}
    connection.execute(update(doubts).where(still, doubts.c.owner == owner).values(**decided))


def ask_again(connection: Connection, memory_id: str) -> None:
    """Forget what was decided about a memory's former words: of its new ones nobody was asked."""
    beside = (doubts.c.older_id == memory_id) | (doubts.c.newer_id == memory_id)
    connection.execute(delete(doubts).where(beside, doubts.c.decided_at.is_not(None)))


def mark_compared(connection: Connection, owner: str, ids: Sequence[str]) -> None:
    """Put down that the neighbours of memories were looked at."""
    for some in batches([clean(memory_id) for memory_id in ids]):
        here = memories.c.id.in_(some) & (memories.c.owner == owner)
        connection.execute(update(memories).where(here).values(compared=True))


def _pair(first: str, second: str) -> ColumnElement[bool]:
    """Match the pair of two memories, whichever is the older."""
    return doubts.c.older_id.in_((first, second)) & doubts.c.newer_id.in_((first, second))
