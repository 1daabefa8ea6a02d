"""What becomes of memories that nobody uses. Nothing is destroyed at once."""

from datetime import datetime, timedelta

from memoryd_actors.memory.decay import LifecycleSettings, decay_score
from memoryd_actors.memory.settings import KNOWLEDGE, PROCEDURES, RULE
from memoryd_actors.memory.steps import ChangeState
from memoryd_client.base.wording import counted
from memoryd_client.wire.memory import Memory, State

ENDURING = frozenset({"correction", RULE, "episode", "project_summary", KNOWLEDGE, *PROCEDURES})
"""Categories that never expire by themselves. Episodes stay, also where a summary tells them, and documents."""
EVENT = "TTL"


def endures(memory: Memory) -> bool:
    """Return whether a memory never expires by itself."""
    return memory.pinned or memory.category in ENDURING


def last_expiry(one: Memory, same: Memory) -> datetime | None:
    """Return when what two memories say is over: never where one of them says so."""
    if one.expires_at is None or same.expires_at is None:
        return None
    return max(one.expires_at, same.expires_at)


def expiry(memory: Memory, now: datetime, settings: LifecycleSettings) -> ChangeState:
    """Return the step for a memory whose time to live is over: it is forgotten, and can be restored for a while."""
    purge_at = now + timedelta(days=settings.purge_days) if settings.purge_days else None
    return ChangeState(
        memory.id, State.FORGOTTEN, EVENT, purge_at, f"was to last until {memory.expires_at:%Y-%m-%d %H:%M}"
    )


def last_used(memory: Memory) -> datetime:
    """Return when a memory was last stored, confirmed, changed or handed over."""
    return max(memory.created_at, memory.updated_at, memory.last_accessed_at or memory.created_at)


def due(memory: Memory, now: datetime, settings: LifecycleSettings) -> ChangeState | None:
    """Return what is due to an active memory: to be forgotten, to be archived, or nothing."""
    unused = now - last_used(memory)
    if not memory.active or endures(memory) or unused < timedelta(days=settings.unused_days):
        return None
    if memory.importance < settings.forget_below_importance:
        purge_at = now + timedelta(days=settings.purge_days) if settings.purge_days else None
        reason = f"unused for {counted(unused.days, 'day')}, importance {memory.importance}"
        return ChangeState(memory.id, State.FORGOTTEN, EVENT, purge_at, reason)
    score = decay_score(memory, now)
    if score < settings.archive_below:
        reason = f"unused for {counted(unused.days, 'day')}, decay score {score:.3f}"
        return ChangeState(memory.id, State.ARCHIVED, EVENT, None, reason)
    return None
