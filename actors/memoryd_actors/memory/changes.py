"""The change header: what was written to memory since this session last took."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from memoryd_actors.texts.fence import one_line
from memoryd_client.wire.memory import Memory, State

MOST_BULLETS = 3
LONGEST = 160
"""Characters of a bullet."""
LONGEST_NOTICE = 300
_SIGNS = {
    "ADD": "+created",
    "UPDATE": "↑updated",
    "MERGE": "↔merged",
    "SUPERSEDE": "→superseded",
    "DELETE": "✗deleted",
    "TTL": "✗soft-deleted",
    "RESTORE": "+restored",
    "UNDO": "↺undone",
    "CONSENT": "✓consented",
}
_ARCHIVED = "✗archived"
_WEIGHTS = {
    "SUPERSEDE": 5,
    "UPDATE": 4,
    "UNDO": 4,
    "DELETE": 3,
    "RESTORE": 3,
    "CONSENT": 3,
    "TTL": 2,
    "MERGE": 1,
    "ADD": 0,
}
_STORING = frozenset({"ADD", "MERGE"})
"""What storing a memory is written down as, where it is new and where it is there already."""
EVENTS = frozenset(_SIGNS)
"""What is worth a bullet: not the edges."""


class News(msgspec.Struct, frozen=True):
    """A write that a session may hear of."""

    revision: int
    event: str
    memory: Memory
    """As it is now."""
    operation: int = 0
    """What was written together with it; 0 where nobody knows."""


def of_others(news: Iterable[News], *, stored: Collection[str], changed: Mapping[str, int]) -> list[News]:
    """Return what a session did not do itself, nor was done by what it stored.

    `stored`: memories that it stored. `changed`: memories that it changed, and up to which revision it knows of them.
    """
    news = list(news)
    own = {one.operation for one in news if one.event in _STORING and one.memory.id in stored}
    return [
        one
        for one in news
        if one.revision > changed.get(one.memory.id, 0)
        and not (one.event in _STORING and one.memory.id in stored)
        and not (one.operation and one.operation in own)
    ]


def header(
    news: Iterable[News], *, since: int, known: Collection[str], shown: Collection[str], notices: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the header: one line that says since when, and at most three bullets; empty where nothing is to be told.

    `notices` are told besides, before them.

    `since`: the session's revision, the number of headers that it was told before.

    `known`: what the session is handed with this very answer. `shown`: what it was shown before, whose changes matter
    most: the agent may be relying on it.
    """
    news = sorted(news, key=lambda one: one.revision)
    # What came and went meanwhile, merged into another or forgotten, nobody has heard of.
    born = {one.memory.id for one in news if one.event == "ADD"} - set(shown)
    passed = {one.memory.id for one in news if one.event == "ADD" and not one.memory.active} - set(shown)
    # What was born meanwhile is told as that, whatever has come to it since: of what it was before nobody has heard.
    latest = {
        one.memory.id: msgspec.structs.replace(one, event="ADD") if one.memory.id in born else one
        for one in news
        if one.memory.id not in known and one.memory.id not in passed and _counts(one)
    }
    ranked = sorted(latest.values(), key=lambda one: _weight(one, shown), reverse=True)
    if not ranked and not notices:
        return ()
    told = ranked[: MOST_BULLETS if len(ranked) <= MOST_BULLETS else MOST_BULLETS - 1]
    bullets = [*(f"- {one_line(notice, LONGEST_NOTICE)}" for notice in notices), *map(_bullet, told)]
    if len(ranked) > len(told):
        bullets.append(f"- and {len(ranked) - len(told)} more (memoryd history)")
    return (f"Memory updates since rev {since}:", *bullets)


def _counts(one: News) -> bool:
    """Return whether anything changed for whoever reads memories: a proposal, or a no to one, changes nothing."""
    memory = one.memory
    return memory.state is not State.PROPOSED and (one.event != "CONSENT" or memory.active)


def _weight(one: News, shown: Collection[str]) -> tuple[bool, int, int, int]:
    return one.memory.id in shown, _WEIGHTS[one.event], one.memory.importance, one.revision


def _bullet(one: News) -> str:
    memory = one.memory
    said = one_line(memory.title or memory.content, LONGEST)
    importance = f" (imp={memory.importance})" if one.event == "ADD" else ""
    sign = _ARCHIVED if one.event == "TTL" and memory.state is State.ARCHIVED else _SIGNS[one.event]
    return f"- {sign}: [{one_line(memory.category, 40)}] {said}"[:LONGEST] + importance
