"""Who may see a memory. The index applies the same rule early; the ledger's copy has the last word."""

from memoryd_actors.ports import Visibility
from memoryd_client.memory import Memory, Scope


def is_visible(memory: Memory, visible: Visibility) -> bool:
    """Return whether a memory may be shown within `visible`."""
    filters = visible.filters
    if memory.owner != visible.owner or memory.state.value not in filters.states:
        return False
    if memory.scope is Scope.GLOBAL:
        if filters.scope == "project":
            return False
    elif filters.scope == "global" or not visible.project or memory.project != visible.project:
        return False
    return (
        (not filters.categories or memory.category in filters.categories)
        and set(filters.tags) <= set(memory.tags)
        and (filters.pinned is None or memory.pinned == filters.pinned)
    )
