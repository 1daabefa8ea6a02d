"""An episode as it is written down: its template, and the virtual path under which it is found. Pure."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from memoryd_actors.admission.writing import written
from memoryd_actors.core.errors import Refused
from memoryd_actors.memory.identity import memory_id
from memoryd_actors.memory.personal_matters import told_of
from memoryd_actors.summarising import EXTRACTED, Summary
from memoryd_actors.texts.fence import one_line
from memoryd_actors.texts.labels import project_tags
from memoryd_actors.texts.normal_form import normalized
from memoryd_actors.texts.quoting import what_was_said
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import NewMemory, Scope
from memoryd_client.wire.transcripts import TranscriptRecord

CATEGORY: Final = "episode"
PATH: Final = "path"
"""The entry of a memory's metadata that holds its virtual path."""
LONGEST_TITLE = 120
LONGEST_FIELD = 300
LONGEST_NAME = 50
MOST_TOPICS = 3
QUOTED = "Source: quoted from the conversation by rules, not written by a model"
"""Line of an episode that no model wrote, beside those of the template."""
_UNNAMED = re.compile(r"[^a-z0-9]+")


class AgentRun(msgspec.Struct, frozen=True):
    """A part of a session, from one end to the next."""

    first: int
    """Its first entry."""
    last: int
    turns: int
    """How many turns of the user."""
    ended_at: datetime
    mark: str = ""
    """What tells it from a run in a session of the same name in another home that shares the ledger."""


def run_of(records: Sequence[TranscriptRecord]) -> AgentRun | None:
    """Return what run these entries are; None where there are none but summaries."""
    said = [record for record in records if not record.covers]
    if not said:
        return None
    turns = sum(one.kind == "message" and one.role == "user" for one in said)
    ended_at = max(one.at for one in said).astimezone(UTC)
    return AgentRun(said[0].sequence, said[-1].sequence, turns, ended_at, f"{said[0].id} {said[0].at.isoformat()}")


def points(summary: Summary) -> list[str]:
    """Return the points that read as an episode has to: in the past tense, each on its own.

    What a model tells of a person's name, home or health, and what the user says of another's, is left out: that waits
    for consent, as a memory.
    """
    kept: list[str] = []
    for point in summary.points:
        if not _may_say(point):
            continue
        try:
            kept.append(written(point, CATEGORY)[0])
        except Refused:
            continue
    return kept


def document(summary: Summary, run: AgentRun, session: str) -> str:
    """Return an episode by the template."""
    kept = _tags(summary)
    tags = msgspec.json.encode([one_line(tag, 40) for tag in kept]).decode()
    topic = summary.topic if summary.by_model or kept == summary.tags else ", ".join(kept[:MOST_TOPICS])
    lines = [
        f"# Episode: {title}" if (title := _title(summary)) else "# Episode",
        f"Date: {run.ended_at:%Y-%m-%d}",
        f"Topic: {one_line(_may_say(topic), LONGEST_FIELD) or 'none in particular'}",
        f"Outcome: {one_line(_may_say(summary.outcome), LONGEST_FIELD) or 'open'}",
        f"Refs: session={one_line(session, 200)}, messages={run.first}-{run.last}",
        f"Tags: {tags}",
        *(() if summary.by_model else (QUOTED,)),
        "",
        "Summary:",
        *(f"- {point}" for point in points(summary)),
    ]
    return "\n".join(lines)


def path(summary: Summary, run: AgentRun, episode_id: str, label: str = "") -> str:
    """Return where an episode is among the virtual files: `episodes/2026-01-17/why-the-export-fails-k3v9.md`.

    Where the user named a project, it is below that: `projects/hdrpop/episodes/...`.
    """
    plain = normalized("NFKD", _title(summary)).encode("ascii", "ignore").decode().lower()
    name = _UNNAMED.sub("-", plain)[:LONGEST_NAME].strip("-") or "run"
    below = f"projects/{label}/" if label else ""
    return f"{below}episodes/{run.ended_at:%Y-%m-%d}/{name}-{episode_id[-6:]}.md"


def episode(summary: Summary, run: AgentRun, caller: Caller, *, before: int, label: str = "") -> NewMemory:
    """Return the episode as a memory; `before` is the entry at which the run before it ended, `label` its project."""
    # The id follows from where the run begins: told again after a crash it is the same episode.
    episode_id = memory_id(caller.owner, caller.session, f"{CATEGORY} {before} {run.mark}")
    return NewMemory(
        id=episode_id,
        content=document(summary, run, caller.session),
        category=CATEGORY,
        scope=Scope.PROJECT if caller.project.strip() else Scope.GLOBAL,
        title=_title(summary),
        tags=(*_tags(summary), *project_tags(label)),
        speaker="quoted from the conversation" if summary.by == EXTRACTED else summary.by,
        occurred_at=run.ended_at,
        source_session=caller.session,
        source_messages=(run.first, run.last),
        metadata={PATH: path(summary, run, episode_id, label), "summarised_by": summary.by},
    )


def _title(summary: Summary) -> str:
    """Return what an episode is called; nothing where nobody said a line that could be its title."""
    return one_line(_may_say(summary.title), LONGEST_TITLE)


def _tags(summary: Summary) -> tuple[str, ...]:
    """Return the tags; where points are left out, those that the others have."""
    if all(map(_may_say, summary.points)):
        return summary.tags
    said = " ".join(filter(_may_say, summary.points)).casefold()
    return tuple(tag for tag in summary.tags if tag.casefold() in said)


def _may_say(text: str) -> str:
    """Return a text of a summary; nothing where it tells what only the person decides about."""
    return "" if told_of(what_was_said(text)) else text
