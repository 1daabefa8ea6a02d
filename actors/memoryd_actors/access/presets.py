"""Allowlists for usual roles of agents, to be named in the configuration: `planner = ["@planner"]`."""

from collections.abc import Iterable, Mapping
from typing import Final

from memoryd_actors.memory.settings import FILE, PROCEDURES, RULE, name_of

CORE: Final = "core"
"""What an allowlist calls core memory."""
CHECKPOINT: Final = "checkpoint"
SEES: Final = "see:"
"""What stands in an allowlist before a category that an agent sees and does not write."""
AGENT: Final = "agent:"
"""What stands in an allowlist before the name of an agent whose sessions may be managed; `agent:*` are all."""
MARK: Final = "@"
"""What a preset's name begins with in an allowlist, so that it is no category's."""
_RULES: Final = f"{SEES}{RULE}"
PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "supervisor": (
        *("profile", "goals", "preferences", "event", "activity", "relationships", "tasks"),
        *("preference", "correction", "relationship_dynamic", "episode", RULE, CORE, CHECKPOINT, FILE),
    ),
    "planner": ("goals", "tasks", "projects", *sorted(PROCEDURES), _RULES),
    "stylist": ("preferences", "tone", "style", "preference", _RULES),
    "researcher": ("knowledge", "interests", "history", "fact", "episode", _RULES),
    "executor": ("tasks", "recent_activity", "constraints", *sorted(PROCEDURES), _RULES),
}
"""Each role's categories: those that such an agent works with, and what memoryd itself calls the same. What you made a
rule holds for each of them; of agents a supervisor makes rules.
"""


class NoSuchPreset(ValueError):
    """Raised when an allowlist names a preset that there is not."""

    def __init__(self, name: str) -> None:
        there = ", ".join(f"`{MARK}{one}`" for one in PRESETS)
        super().__init__(f"there is no preset `{MARK}{name}`; there are {there}")


class NoAgentNamed(ValueError):
    """Raised when an allowlist says `agent:`, and no name after it."""

    def __init__(self) -> None:
        super().__init__(f"`{AGENT}` names no agent: write `{AGENT}researcher`, or `{AGENT}*` for all")


def expanded(names: Iterable[str]) -> frozenset[str]:
    """Return the categories of an allowlist, those of the presets that it names among them.

    Raises:
        NoSuchPreset: it names one that there is not.
        NoAgentNamed: it says `agent:`, and no name after it.
    """
    found: set[str] = set()
    for name in map(name_of, names):
        if name == AGENT:
            raise NoAgentNamed
        if not name.startswith(MARK):
            found.add(name)
        elif (preset := PRESETS.get(name.removeprefix(MARK))) is not None:
            found.update(preset)
        else:
            raise NoSuchPreset(name.removeprefix(MARK))
    return frozenset(found)
