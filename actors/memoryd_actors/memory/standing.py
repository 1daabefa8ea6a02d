"""Standing memory: rules, preferences, corrections and profile, known in every context.

A session gets it with its first take, again after its host has cleared the context, and what is new or changed of it
with the take that follows. What has no room is recalled where it fits, as facts are.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping

import msgspec

from memoryd_actors.memory.settings import BY_USER, CORRECTION, RULE
from memoryd_client.wire.memory import Memory, Scope

MOST_STANDING = 200
"""Memories of each of these categories that are looked at, the first in order; the budget holds far fewer."""


class Standing(msgspec.Struct, frozen=True):
    """What stands in a context, and what there was no room for; each in order."""

    kept: tuple[Memory, ...] = ()
    left: tuple[Memory, ...] = ()
    counts: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    """How many there are at all, by category: more than were looked at, perhaps."""

    def untold(self, known: Mapping[str, str] | None, written: Collection[str]) -> list[Memory]:
        """Return what is to be told to an agent that knows of some already; None where it knows of nothing yet.

        What its session stored itself is no news to it.
        """
        if known is None:
            return list(self.kept)
        new = [one for one in self.kept + self.left if known.get(one.id, _NEW) not in {"", wording(one)}]
        return [one for one in new if one.id in known or one.id not in written]

    def known(
        self, before: Mapping[str, str] | None, told: Collection[str], written: Collection[str]
    ) -> dict[str, str]:
        """Return what an agent knows of once it was told of some: by id how it reads, empty where it had no room."""
        if before is None:
            read = {one.id: wording(one) if one.id in told else "" for one in self.kept + self.left}
            return read
        untold = {one.id for one in self.untold(before, written)} - set(told)
        return {
            one.id: wording(one) if before.get(one.id) or one.id in told or one.id in written else ""
            for one in self.kept + self.left
            if one.id not in untold
        }


_NEW = "new"


def is_users_correction(memory: Memory) -> bool:
    """Return whether the user corrected something with it: nobody's claim wins against that."""
    return memory.category == CORRECTION and memory.trust >= BY_USER


def in_order(memories: Iterable[Memory], near: Mapping[str, float] | None = None) -> list[Memory]:
    """Return the project's own first, then what is pinned, then by trust, use and how `near` it is; rules, new ones."""
    near = near or {}
    newest_first = sorted(memories, key=lambda memory: memory.updated_at, reverse=True)

    def place(memory: Memory) -> tuple[bool, bool, float, bool]:
        value = round(worth(memory) + near.get(memory.id, 0.0), 3)
        return memory.scope is not Scope.PROJECT, not memory.pinned, -value, memory.category != RULE

    return sorted(newest_first, key=place)


def worth(memory: Memory) -> float:
    """Return what a memory's trust, importance and use are worth together, 0 to 3."""
    used = memory.access_count + memory.strength - 1
    return memory.trust + memory.importance / 5 + used / (used + 10)


def wording(memory: Memory) -> str:
    """Return what tells one wording of a memory from another."""
    said = f"{memory.title}\n{memory.content}"
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=6).hexdigest()


def named(memory: Memory) -> Memory:
    """Return a rule with its key before it: `indentation: four spaces`."""
    if not memory.title or memory.content.startswith(memory.title):
        return memory
    return msgspec.structs.replace(memory, content=f"{memory.title}: {memory.content}")
