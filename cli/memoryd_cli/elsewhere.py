"""Where memories are when there are none here: an empty answer may come of looking in another project."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoryd_cli.base.options import Reached
from memoryd_cli.base.output import note, printable
from memoryd_client.wire.memory import State

if TYPE_CHECKING:
    from memoryd_client.client import Client

_LOOKED_AT = 200
"""Memories of other projects,"""
_NAMED = 3
"""and how many of these projects are named."""


def say_where(memory: "Client", scope: Reached = "all") -> None:
    """Say which projects have memories, where none can be seen from here."""
    if scope != "everywhere" and not memory.list(limit=1, scope=scope):
        note(none_here(memory))


def projects_that_wait(memory: "Client") -> list[str]:
    """Return other projects in which something waits for the user's yes, the newest first."""
    waiting = (State.PROPOSED,)
    here = {one.id for one in memory.list(limit=_LOOKED_AT, states=waiting)}
    there = memory.list(limit=_LOOKED_AT, scope="everywhere", states=waiting)
    return list(dict.fromkeys(printable(one.project) for one in there if one.id not in here and one.project))[:_NAMED]


def none_here(
    memory: "Client",
    states: Sequence[str] = ("active",),
    categories: Sequence[str] = (),
    tags: Sequence[str] = (),
    *,
    way_out: str = "--scope everywhere",
) -> str:
    """Return that there are no memories, and which projects have some; `way_out` reaches these."""
    there = memory.list(
        limit=_LOOKED_AT,
        scope="everywhere",
        passages=False,
        states=tuple(states),
        categories=tuple(categories),
        tags=tuple(tags),
    )
    projects = list(dict.fromkeys(one.project for one in there if one.project))
    if not projects:
        kind = "; `memoryd categories` lists the categories that there are" if categories else ""
        return f"no memories{kind}"
    more = f" and {len(projects) - _NAMED} more" if len(projects) > _NAMED else ""
    return printable(f"no memories here, but in {', '.join(projects[:_NAMED])}{more}: `{way_out}` has them")
