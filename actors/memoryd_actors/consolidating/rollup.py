"""Episodes of a project, gathered into its summary, `projects/<project>/summary.md`. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Final

from memoryd_actors.memory.paths import as_part
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.labels import LABEL
from memoryd_actors.texts.sentences import sentences
from memoryd_client.wire.memory import Memory, State

EPISODE: Final = "episode"
PROJECT_SUMMARY: Final = "project_summary"
PATH: Final = "path"
"""Under which a memory is found as a file, in its metadata."""
LONGEST_POINT = 400
MOST_POINTS = 8
"""Of one episode that is not written in points."""
_BEGIN: Final = "Summary:"


def name_of(project: str, label: str = "") -> str:
    """Return what a project is called: as the user named it, else as its folder is."""
    return label or PurePath(project).name or "unnamed"


def label_of(episode: Memory) -> str:
    """Return the project that the user named in what an episode tells; empty where none was named."""
    return next((tag.removeprefix(LABEL) for tag in episode.tags if tag.startswith(LABEL)), "")


def path_of(project: str, label: str = "") -> str:
    """Return where the summary of a project is found."""
    return f"projects/{as_part(name_of(project, label)) or 'unnamed'}/summary.md"


def why_not(
    summary: Memory | None, episodes: Sequence[Memory], now: datetime, days: float, *, forced: bool = False
) -> str:
    """Return why new episodes, oldest first, are not to be gathered now; empty where they are.

    A summary that the user has forgotten is not written again, nor is one of a single episode, which tells itself,
    unless somebody asks for it. A clock that was turned back puts nothing off for ever.
    """
    if not episodes:
        since = f" since {summary.updated_at:%Y-%m-%d}" if summary is not None else ""
        return f"there are no new episodes{since}"
    if summary is not None and summary.state is State.FORGOTTEN:
        return f"its summary was forgotten: `memoryd restore {summary.id}` brings it back"
    if forced:
        return ""
    if summary is None and len(episodes) == 1:
        return "there is one episode, which tells itself"
    last = summary.updated_at if summary is not None else episodes[0].created_at
    return "" if abs(now - last) >= timedelta(days=days) else f"it is due {last + timedelta(days=days):%Y-%m-%d}"


def when(episode: Memory) -> datetime:
    """Return when an episode happened."""
    return episode.occurred_at or episode.created_at


def points_of(episode: Memory) -> str:
    """Return what an episode says, a dash before each point, with its date."""
    _, begin, body = episode.content.partition(_BEGIN)
    lines = [line.strip()[2:] for line in (body if begin else episode.content).splitlines() if _is_point(line)]
    if not lines:
        lines = [one.text for one in sentences(body if begin else episode.content)[:MOST_POINTS]]
    date = f"{when(episode):%Y-%m-%d}"
    return "\n".join(f"- {date}: {one_line(line, LONGEST_POINT)}" for line in lines if line.strip())


def told_before(summary: Memory | None) -> str:
    """Return the points of a summary."""
    if summary is None:
        return ""
    return "\n".join(line for line in summary.content.partition(_BEGIN)[2].splitlines() if _is_point(line))


def written(name: str, text: str, episodes: int, first: str, last: str) -> str:
    """Return a summary as it is kept; the dates are of its first and its last episode."""
    count = f"{episodes} episode{'s' if episodes != 1 else ''}, {first} to {last}"
    return f"# Project: {name}\nEpisodes: {count}\n\n{_BEGIN}\n{text}"


def _is_point(line: str) -> bool:
    return line.lstrip().startswith("- ")
