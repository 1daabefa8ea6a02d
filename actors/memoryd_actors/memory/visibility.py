"""Who may see a memory. The index applies the same rule early; the ledger's copy has the last word."""

from datetime import UTC, datetime, timedelta

import msgspec

from memoryd_client.wire.filters import Filters
from memoryd_client.wire.memory import Memory, Scope

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Visibility(msgspec.Struct, frozen=True):
    """Whose and which memories a request may see; pushed down into index and ledger."""

    owner: str
    project: str = ""
    filters: Filters = msgspec.field(default_factory=Filters)
    allowed: frozenset[str] | None = None
    """Categories on the agent's allowlist; None: all."""
    without: frozenset[str] = frozenset()
    """Categories that are not considered."""
    least_trust: float = 0.0
    """What is trusted less is not considered, unless it is pinned."""
    for_context: bool = False
    """Whether each category has the weight and the length that it has in a context."""


def is_visible(memory: Memory, visible: Visibility) -> bool:
    """Return whether a memory may be shown within `visible`."""
    filters = visible.filters
    if memory.owner != visible.owner or (filters.states and memory.state.value not in filters.states):
        return False
    if not is_allowed(memory.category, visible):
        return False
    if memory.scope is Scope.GLOBAL:
        if filters.scope == "project":
            return False
    elif not _is_here(memory, visible):
        return False
    return _passes(memory, filters) and (memory.trust >= visible.least_trust or memory.pinned)


def is_allowed(category: str, visible: Visibility) -> bool:
    """Return whether a category may be shown at all within `visible`."""
    return (visible.allowed is None or category in visible.allowed) and category not in visible.without


def micros(moment: datetime) -> int:
    """Return microseconds since 1970; a moment without a zone is UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def _is_here(memory: Memory, visible: Visibility) -> bool:
    """Return whether a memory of a project is of one that is asked for."""
    match visible.filters.scope:
        case "everywhere":
            return True
        case "global":
            return False
        case "all" | "project":
            return bool(visible.project) and memory.project == visible.project


def _passes(memory: Memory, filters: Filters) -> bool:
    return (
        (not filters.categories or memory.category in filters.categories)
        and set(filters.tags) <= set(memory.tags)
        and (filters.pinned is None or memory.pinned == filters.pinned)
        and (not filters.agent or memory.agent == filters.agent)
        and (not filters.session or memory.session == filters.session)
        and (not filters.speaker or memory.speaker == filters.speaker)
        and (not filters.role or memory.role == filters.role)
        and (filters.importance_min is None or memory.importance >= filters.importance_min)
        and (filters.importance_max is None or memory.importance <= filters.importance_max)
        and (filters.updated_after is None or micros(memory.updated_at) >= micros(filters.updated_after))
        and (filters.updated_before is None or micros(memory.updated_at) < micros(filters.updated_before))
    )
