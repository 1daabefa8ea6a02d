"""Reads a conversation from JSON lines: memoryd's own format, or what Claude Code writes.

One message per line. `role` and `content` are needed; `session` (else they all belong to one), `name`, `ts` (ISO 8601),
`remember` (what the agent stores after this message: one memory or several), `expects` (labels of memories, at least
one of which should have come up by the next turn) and `quiet` (nothing should) are not. Claude Code's lines carry
`type`, `message` and `sessionId`.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from importlib.resources import files
from typing import Final, Literal

import msgspec

from memoryd_cli.histories.spoken import spoken
from memoryd_client.wire.context import Message
from memoryd_client.wire.memory import Importance, Scope, Share


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A memory that the agent stores in the course of the conversation."""

    content: str
    label: str = ""
    """The conversation's own name for it, which `expects` refers to."""
    category: str = "fact"
    scope: Scope = Scope.PROJECT
    title: str = ""
    tags: tuple[str, ...] = ()
    importance: Importance = 3
    speaker: str = ""
    files: tuple[str, ...] = ()
    trust: Share | None = None


class DemoMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message, and what belongs to it."""

    session: str
    message: Message
    at: datetime | None = None
    notes: tuple[Note, ...] = ()
    expects: tuple[str, ...] = ()
    quiet: bool = False


class TranscriptProblem(msgspec.Struct, frozen=True):
    """A line that could not be used, counted from 1, and why."""

    line: int
    reason: str


class DemoTranscript(msgspec.Struct, frozen=True):
    """What could be read, in order, and what could not."""

    said: tuple[DemoMessage, ...]
    problems: tuple[TranscriptProblem, ...] = ()

    @property
    def turns(self) -> int:
        """How often the user speaks."""
        return sum(said.message.role == "user" for said in self.said)

    @property
    def remembers(self) -> bool:
        """Whether anything is stored: nothing else can come back."""
        return any(said.notes for said in self.said)

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions, in the order in which they begin."""
        return tuple(dict.fromkeys(said.session for said in self.said))


class TranscriptUnusable(Exception):
    """Raised when a transcript has no message by a user; the message names the first problem."""

    def __init__(self, problems: tuple[TranscriptProblem, ...]) -> None:
        first = f"; the first problem is line {problems[0].line}: {problems[0].reason}" if problems else ""
        super().__init__(f"the transcript has no usable message by a user{first}")
        self.problems = problems


def builtin_transcript() -> DemoTranscript:
    """Return the conversation that comes with memoryd."""
    text = files("memoryd_cli.demo").joinpath("conversation.jsonl").read_text(encoding="utf-8")
    return read_transcript(text.splitlines())


def read_transcript(lines: Iterable[str]) -> DemoTranscript:
    """Read JSON lines; skip and report those that cannot be used.

    Raises:
        TranscriptUnusable: no line holds a message by a user.
    """
    said: list[DemoMessage] = []
    problems: list[TranscriptProblem] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            said.extend(_parse(line))
        except (msgspec.MsgspecError, UnicodeError) as exc:
            problems.append(TranscriptProblem(number, str(exc)))
    transcript = DemoTranscript(tuple(said), tuple(problems))
    if not transcript.turns:
        raise TranscriptUnusable(transcript.problems)
    return transcript


# --- the two formats ------------------------------------------------------------------------------------------------


_ONE_SESSION: Final = "transcript"
"""Where a line names no session."""


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    session: str = _ONE_SESSION
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    name: str = ""
    ts: datetime | None = None
    remember: Note | tuple[Note, ...] = ()
    expects: tuple[str, ...] = ()
    quiet: bool = False


class _Block(msgspec.Struct, frozen=True, kw_only=True):
    type: str = ""
    text: str = ""
    content: "str | tuple[_Block, ...]" = ""


class _Spoken(msgspec.Struct, frozen=True, kw_only=True):
    role: Literal["user", "assistant", "system"]
    content: str | tuple[_Block, ...]


class _ForeignLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of Claude Code's transcript. Of all it may carry, only this is read."""

    type: str
    message: _Spoken | None = None
    session_id: str = _ONE_SESSION
    timestamp: datetime | None = None
    is_meta: bool = False


class _Kind(msgspec.Struct, frozen=True):
    """Tells the formats apart: ours has no `type`."""

    type: str | None = None


_kind = msgspec.json.Decoder(_Kind)
_own = msgspec.json.Decoder(_Line)
_foreign = msgspec.json.Decoder(_ForeignLine)


def _parse(line: str) -> Iterator[DemoMessage]:
    if _kind.decode(line).type is not None:
        yield from _from_foreign(_foreign.decode(line))
        return
    own = _own.decode(line)
    notes = (own.remember,) if isinstance(own.remember, Note) else own.remember
    message = Message(role=own.role, content=own.content, name=own.name)
    yield DemoMessage(
        session=own.session, message=message, at=own.ts, notes=notes, expects=own.expects, quiet=own.quiet
    )


def _from_foreign(line: _ForeignLine) -> Iterator[DemoMessage]:
    """Yield the messages of one line: none for summaries and the like, a tool's result as the tool's own message."""
    if line.type not in ("user", "assistant") or line.message is None or line.is_meta:
        return
    content = line.message.content
    blocks = (_Block(type="text", text=content),) if isinstance(content, str) else content
    for role, kind in (("tool", "tool_result"), (line.message.role, "text")):
        text = "\n".join(filter(None, (_text(block) for block in blocks if block.type == kind)))
        if kind == "text":  # without slash commands, what they printed, and what hooks put between
            text = "".join(one.text for one in spoken("", role, text, None))
        if text.strip():
            yield DemoMessage(session=line.session_id, message=Message(role=role, content=text), at=line.timestamp)


def _text(block: _Block) -> str:
    if isinstance(block.content, str):
        return block.text or block.content
    return "\n".join(filter(None, (_text(inner) for inner in block.content)))
