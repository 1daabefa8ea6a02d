"""What a tool is: its arguments as a struct whose docstring is its description, and how it answers with text."""

from datetime import datetime
from typing import ClassVar, Final, NamedTuple

import msgspec

from memoryd_client.wire.memory import ID_PREFIX, Memory
from memoryd_client.wire.request import Ask

SHORT_ID: Final = len(ID_PREFIX) + 8
"""Of an id as it is shown: as good as the whole."""
LONGEST_LINE: Final = 400
"""Characters of what is told in one line."""


class Outcome(NamedTuple):
    """What a tool says."""

    text: str
    failed: bool = False


class Tool(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call of a tool."""

    name: ClassVar[str]
    title: ClassVar[str]
    default: ClassVar[bool] = False
    """Whether it is offered unless somebody says which are."""
    reads: ClassVar[bool] = False
    """Whether it changes nothing."""
    destroys: ClassVar[bool] = False
    """Whether it takes something away, or writes over it. All of it can be undone."""

    found_by: ClassVar[str] = "memory_search"
    """The tool that shows what this one can be asked for."""

    async def answer(self, ask: Ask) -> str:
        """Do it, and say what came of it."""
        raise NotImplementedError


def day(at: datetime) -> str:
    """Return a date as it is shown."""
    return f"{at:%Y-%m-%d}"


def line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return a text in one line; what is cut off is marked."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 2].rstrip()} …"


def short(memory_id: str) -> str:
    """Return an id as it is shown."""
    return memory_id[:SHORT_ID]


def provenance(memory: Memory) -> str:
    """Say in words where a memory comes from and how it stands."""
    said_by = memory.speaker or memory.role or str(memory.source)
    said_by = f"{said_by} as told by an agent" if memory.told_by_agent else said_by
    parts = [memory.category, day(memory.occurred_at or memory.created_at), str(memory.scope), f"from {said_by}"]
    if memory.session:
        parts.append(f"session {line(memory.session, 60)}")
    if not memory.active:
        parts.append(f"{memory.state}{f' by {short(memory.superseded_by)}' if memory.superseded_by else ''}")
    return ", ".join([*parts, f"trust {memory.trust:g}"])
