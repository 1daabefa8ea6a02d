"""Allowlists for usual roles of agents, to be named in the configuration: `planner = ["@planner"]`."""

from collections.abc import Iterable, Mapping
from typing import Final

from memoryd_actors.memory.settings import FILE, PROCEDURES, RULE, name_of

CORE: Final = "core"
"""What an allowlist calls core memory."""
CHECKPOINT: Final = "checkpoint"
MARK: Final = "@"
"""What a preset's name begins with in an allowlist, so that it is no category's."""
PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "supervisor": (
        *("profile", "goals", "preferences", "event", "activity", "relationships", "tasks"),
        *("preference", "correction", "relationship_dynamic", "episode", RULE, CORE, CHECKPOINT, FILE),
    ),
    "planner": ("goals", "tasks", "projects", *sorted(PROCEDURES)),
    "stylist": ("preferences", "tone", "style", "preference"),
    "researcher": ("knowledge", "interests", "history", "fact", "episode"),
    "executor": ("tasks", "recent_activity", "constraints", *sorted(PROCEDURES), RULE),
}
"""Each role's categories: those that such an agent works with, and what memoryd itself calls the same."""


class NoSuchPreset(ValueError):
    """Raised when an allowlist names a preset that there is not."""

    def __init__(self, name: str) -> None:
        there = ", ".join(f"`{MARK}{one}`" for one in PRESETS)
        super().__init__(f"there is no preset `{MARK}{name}`; there are {there}")


def expanded(names: Iterable[str]) -> frozenset[str]:
    """Return the categories of an allowlist, those of the presets that it names among them.

    Raises:
        NoSuchPreset: it names one that there is not.
    """
    found: set[str] = set()
    for name in map(name_of, names):
        if not name.startswith(MARK):
            found.add(name)
        elif (preset := PRESETS.get(name.removeprefix(MARK))) is not None:
            found.update(preset)
        else:
            raise NoSuchPreset(name.removeprefix(MARK))
    return frozenset(found)
