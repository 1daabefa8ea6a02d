"""What is known of a session beside its lines. It can be told from the lines at any time."""

from datetime import datetime
from math import ceil
from pathlib import Path

import msgspec

from memoryd.rewriting import rewriting
from memoryd.transcripts.lines import Line, is_count, is_moment
from memoryd.transcripts.places import METADATA
from memoryd_actors.memory.render import CHARACTERS_PER_TOKEN
from memoryd_client.wire.transcripts import SessionInfo


class Metadata(msgspec.Struct, kw_only=True, rename="camel"):
    """The contents of `metadata.json`."""

    id: str
    """The session."""
    user_id: str
    """Its owner."""
    channel_id: str = ""
    """The agent that was last at work in it."""
    agents: list[str] = []
    """Everybody who was at work in it."""
    project: str = ""
    message_count: int = 0
    entry_count: int = 0
    """Messages, calls and results."""
    token_count: int = 0
    """Of all of them, estimated by length."""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last: int = 0
    """The number of the newest line."""
    summarized: int = 0
    """The last line that a summary tells of."""
    last_summarized_turn: int = 0
    """How many turns of the user that are."""
    summary: int = 0
    """The number of that summary's line."""
    damaged: int = 0
    """Lines that cannot be read."""
    bytes: int = 0
    """Length of the lines that this is about; where the file has another, it is read again."""

    def spoke(self, agent: str) -> None:
        """Note who is at work in it."""
        known = self.agents or ([self.channel_id] if self.entry_count else [])
        self.agents = [*dict.fromkeys((*known, agent))]
        self.channel_id = agent

    def count(self, line: Line) -> None:
        """Take in one more line."""
        self.entry_count += 1
        self.message_count += line.type == "message" and not line.covers
        characters = len(line.content) + len(bytes(line.args)) + len(line.result)
        self.token_count += ceil(characters / CHARACTERS_PER_TOKEN)
        moments = [moment for moment in (self.created_at, line.timestamp) if moment is not None]
        self.created_at = min(moments)
        if not line.covers or self.updated_at is None:
            # A summary is nothing that happened in the session.
            self.updated_at = max(line.timestamp, self.updated_at or line.timestamp)
        self.last = max(self.last, line.seq)
        if line.covers > self.summarized:
            self.summarized, self.last_summarized_turn, self.summary = line.covers, line.turns, line.seq

    @property
    def missing(self) -> int:
        """How many entries that were said nobody can read."""
        return max(0, self.last - self.entry_count)

    def info(self) -> SessionInfo | None:
        """Return what a listing shows; None where nothing was said yet."""
        if self.created_at is None or self.updated_at is None:
            return None
        return SessionInfo(
            session=self.id,
            entries=self.entry_count,
            messages=self.message_count,
            tokens=self.token_count,
            created_at=self.created_at,
            updated_at=self.updated_at,
            project=self.project,
            agent=self.channel_id,
            agents=tuple(self.agents) or (self.channel_id,),
            last=self.last,
            summarized=self.summarized,
            last_summarized_turn=self.last_summarized_turn,
            summary=self.summary,
            damaged=self.damaged,
            missing=self.missing,
        )


def read(folder: Path) -> Metadata | None:
    """Return what the file says; None where it is missing or unreadable. Blocks.

    Where a number or a moment in it cannot be, it says only what no line tells, and the lines are to be read again.
    """
    try:
        found = msgspec.json.decode((folder / METADATA).read_bytes(), type=Metadata)
    except (OSError, msgspec.MsgspecError):
        return None
    if all(map(_can_be, msgspec.structs.astuple(found))):
        return found
    told = Metadata(id=found.id, user_id=found.user_id, project=found.project)
    told.channel_id, told.agents = found.channel_id, found.agents
    told.last = found.last if _can_be(found.last) else 0
    return told


def _can_be(value: object) -> bool:
    match value:
        case int():
            return is_count(value)
        case datetime():
            return is_moment(value)
        case _:
            return True


def write(folder: Path, metadata: Metadata, *, durable: bool) -> None:
    """Replace the file, whole or not at all. Blocks."""
    with rewriting(folder / METADATA, durable=durable) as file:
        file.write(msgspec.json.encode(metadata))
