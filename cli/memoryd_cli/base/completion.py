"""What a shell offers for a word that is being typed: ids, sessions, projects, categories.

Whoever presses Tab waits: where no daemon answers at once, nothing is offered and nothing said.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from memoryd_client.base.paths import Paths
from memoryd_client.project import here
from memoryd_client.wire.memory import ID_PREFIX, Memory

if TYPE_CHECKING:
    from memoryd_client.client import Client

T = TypeVar("T")
_PATIENCE_S = 1.0
_MOST = 200
Offered = list[tuple[str, str]]
"""Words, each with what it stands for."""


def ids(incomplete: str) -> Offered:
    """Return ids of memories, the newest first, each with its text."""
    prefix = ID_PREFIX if incomplete.startswith(ID_PREFIX) else ""
    return fitting(
        incomplete,
        (
            (prefix + one.id.removeprefix(ID_PREFIX), " ".join((one.title or one.content).split()))
            for one in _memories()
        ),
    )


def sessions(incomplete: str) -> Offered:
    """Return sessions, the latest first, each with its project."""
    return fitting(incomplete, ((one.session, one.project) for one in _asked(lambda memory: memory.sessions())))


def projects(incomplete: str) -> Offered:
    """Return the projects that have memories."""
    return fitting(incomplete, ((one.project, "") for one in _memories()))


def categories(incomplete: str) -> Offered:
    """Return the categories that there are, each with how many memories it has."""
    found = _asked(lambda memory: list(memory.categories(scope="everywhere").categories))
    return fitting(incomplete, ((one.name, f"{one.memories} memories") for one in found))


def tags(incomplete: str) -> Offered:
    """Return the tags that the newest memories have."""
    return fitting(incomplete, ((tag, "") for one in _memories() for tag in one.tags))


def operations(incomplete: str) -> Offered:
    """Return the latest operations, each with what it wrote."""
    found = _asked(lambda memory: memory.history(limit=_MOST))
    return fitting(
        incomplete,
        (
            (str(one.operation), f"{one.event} {' '.join((one.new or one.old or '').split())}")
            for one in found
            if one.operation
        ),
    )


def files(incomplete: str) -> Offered:
    """Return the paths of memory files that hold everywhere, or in the project of the current folder."""
    found = _asked(lambda memory: memory.list_files(incomplete, limit=_MOST), here())
    return fitting(incomplete, ((one.path, one.title) for one in found))


def _memories() -> list[Memory]:
    return _asked(lambda memory: memory.list(limit=_MOST, scope="everywhere", passages=False))


def _asked(ask: "Callable[[Client], list[T]]", project: str = "") -> list[T]:
    """Return what the daemon answers; nothing where there is none, or it takes its time."""
    with suppress(Exception):
        paths = Paths.from_environment()
        if paths.rpc_socket.exists():
            from memoryd_client.client import Client

            owner = os.environ.get("MEMORYD_OWNER", "local")
            with Client(project=project, agent="cli", owner=owner, paths=paths, deadline_s=_PATIENCE_S) as memory:
                return ask(memory)
    return []


def fitting(incomplete: str, words: Iterable[tuple[str, str]]) -> Offered:
    """Return each word once that goes on from what was typed."""
    return list({word: (word, about) for word, about in words if word and word.startswith(incomplete)}.values())
