"""What is always in context: rules and profile (seed 002, items 5 and 12), handed over once until it changes.

A session gets it with its first take, again after each reset, and when one of it was written, changed or withdrawn.
"""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from memoryd_actors.memory.settings import RULE
from memoryd_client.wire.memory import Memory

MOST_ALWAYS = 200
"""Of what is always in context, the newest that are looked at; the budget holds far fewer."""


def in_order(memories: Iterable[Memory]) -> list[Memory]:
    """Return rules first, then what is pinned, vital and new."""
    newest_first = sorted(memories, key=lambda memory: memory.updated_at, reverse=True)
    return sorted(newest_first, key=lambda memory: (memory.category != RULE, not memory.pinned, -memory.importance))


def fingerprint(memories: Sequence[Memory]) -> str:
    """Return what tells one set of them, as they read, from another; empty where there are none."""
    if not memories:
        return ""
    said = "\n".join(f"{memory.id} {memory.content_hash} {memory.title}" for memory in memories)
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def named(memory: Memory) -> Memory:
    """Return a rule with its key before it: `indentation: four spaces`."""
    if not memory.title or memory.content.startswith(memory.title):
        return memory
    return msgspec.structs.replace(memory, content=f"{memory.title}: {memory.content}")
