"""The wire of contexts: what an agent sends to its model of a conversation of any length, within a budget."""

import secrets
from datetime import datetime
from typing import Annotated, Literal, TypedDict

import msgspec

from memoryd_client.wire.pending import PendingMemory
from memoryd_client.wire.request import Request
from memoryd_client.wire.transcripts import Kind

SUMMARY_OPENING = "Previous conversation summary:"
"""How the summary that takes the place of messages begins."""
LEFT_OUT = "[earlier messages are left out]"
Pressure = Literal["none", "suggested", "due", "overdue"]
SectionKind = Literal["core", "rules", "summary", "pending", "usage"]


class ApiMessage(TypedDict):
    """A message as a model's API takes it."""

    role: Literal["user", "assistant"]
    content: list[dict[str, object]]
    """Blocks of type text, tool_use or tool_result."""


class Compacted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="compacted"):
    """How a session stands after a compaction."""

    session: str
    entries: int
    """Archived by this one; 0: there was nothing to compact."""
    tokens_before: int
    """That no summary told of."""
    tokens_after: int
    last_summarized: int
    """The last entry that the summary tells of."""
    last_summarized_turn: int
    """How many turns of the user that are."""
    summary: str = ""
    """As it stands in the transcript now."""


class Compact(Request[Compacted], frozen=True, kw_only=True, omit_defaults=True, tag="compact"):
    """Let a summary take the place of what was said long ago in a session; answered when that is durable.

    It is done by itself at `context.compact_from` tokens. At least the most recent `context.protected` stay as they
    are; nothing is deleted, and what is archived stays searchable and readable. Done twice it changes nothing.
    """

    needs_memory = True

    session: str = ""
    """Empty: the caller's."""


class ContextSection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that memoryd adds to a conversation, fenced as data, ready for the system prompt."""

    kind: SectionKind
    text: str
    tokens: int
    cut: bool = False
    """Whether there is more of it than there was room for."""


class ContextEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event of the conversation as it is to be sent."""

    sequence: int
    kind: Kind = "message"
    role: str = ""
    content: str
    name: str = ""
    call_id: str = ""
    at: datetime
    tokens: int
    whole: int = 0
    """Tokens of the whole where it is cut here; else 0."""


def _messages(entries: tuple[ContextEntry, ...]) -> list[ApiMessage]:
    found: list[ApiMessage] = []
    at = 0
    while at < len(entries):
        calls, results = _exchange(entries, at)
        if calls:
            _say(found, "assistant", [_use(entry) for entry in calls])
            _say(found, "user", [_result(entry) for entry in results])
            at += len(calls) + len(results)
            continue
        entry = entries[at]
        role: Literal["user", "assistant"] = (
            "assistant" if entry.kind == "tool_call" or entry.role == "assistant" else "user"
        )
        _say(found, role, [{"type": "text", "text": _text(entry)}])
        at += 1
    if found and found[0]["role"] != "user":
        found.insert(0, {"role": "user", "content": [{"type": "text", "text": LEFT_OUT}]})
    return found


class SessionContext(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="session_context"):
    """What to send, and how large it is; never more than the budget."""

    session: str
    sections: tuple[ContextSection, ...] = ()
    """core, rules, summary, pending, usage: those that there are, in this order."""
    entries: tuple[ContextEntry, ...] = ()
    """The end of the conversation, oldest first. A tool's call and the results that come before the user speaks again
    are all there or none."""
    tokens: int
    """Of all of it, what stands around each message included."""
    budget: int
    counted: bool = True
    """False where there was no tokeniser yet, and sizes are estimated, rather too large."""
    pressure: Pressure = "none"
    """How urgent compaction is: none, suggested (soft limit), due (it runs), overdue (hard limit)."""
    uncompacted: int = 0
    """Tokens of the conversation that no summary tells of yet."""
    last_summarized: int = 0
    """The last entry that the summary tells of; 0: there is none."""
    last_summarized_turn: int = 0
    """How many turns of the user that are."""
    left_out: tuple[str, ...] = ()
    """What there was no room for, in words."""
    pending: PendingMemory | None = None
    """What memory has found, where it is among the sections."""

    @property
    def system(self) -> str:
        """The sections as one text for the system prompt."""
        return "\n\n".join(section.text for section in self.sections)

    def messages(self) -> list[ApiMessage]:
        """Return the entries as the messages of a model's API: role and content, tool calls and results as blocks.

        The user speaks first and the two take turns, as the Messages API wants it. A call whose results do not follow
        at once is told in words.
        """
        return _messages(self.entries)


class BuildContext(Request[SessionContext], frozen=True, kw_only=True, omit_defaults=True, tag="build_context"):
    """What to send of a session: core memory, rules, summary, what memory has found, the recent messages."""

    session: str = ""
    """Empty: the caller's."""
    budget: Annotated[int, msgspec.Meta(ge=256, le=2_000_000)] | None = None
    """Tokens of all of it together; None: `context.tokens`. Never more than `context.hard_limit`."""
    turns: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None
    """Recent turns of the user; None: `context.turns`."""
    take: bool = False
    """Whether what memory has found counts as taken: handed over now and not again. Else it is shown and waits on."""
    take_id: str = msgspec.field(default_factory=lambda: secrets.token_hex(8))
    """The same again gets the same answer again."""


def _exchange(entries: tuple[ContextEntry, ...], at: int) -> tuple[tuple[ContextEntry, ...], tuple[ContextEntry, ...]]:
    """Return the calls that begin here and their results, where the results follow at once; nothing where not."""
    end = at
    while end < len(entries) and entries[end].kind == "tool_call" and entries[end].call_id:
        end += 1
    calls = entries[at:end]
    wanted = [entry.call_id for entry in calls]
    results = entries[end : end + len(calls)]
    given = [entry.call_id for entry in results if entry.kind == "tool_result"]
    if not calls or len(set(wanted)) < len(wanted) or sorted(given) != sorted(wanted):
        return (), ()
    return calls, results


def _say(found: list[ApiMessage], role: Literal["user", "assistant"], blocks: list[dict[str, object]]) -> None:
    if found and found[-1]["role"] == role:
        found[-1]["content"] += blocks
    else:
        found.append({"role": role, "content": blocks})


def _use(entry: ContextEntry) -> dict[str, object]:
    try:
        arguments = msgspec.json.decode(entry.content, type=dict[str, object])
    except msgspec.MsgspecError:
        arguments = {"arguments": entry.content}
    return {"type": "tool_use", "id": entry.call_id, "name": entry.name or "tool", "input": arguments}


def _result(entry: ContextEntry) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": entry.call_id, "content": entry.content}


def _text(entry: ContextEntry) -> str:
    if entry.kind == "message":
        plain = entry.role in {"user", "assistant"} and not entry.name
        return entry.content if plain else f"[{entry.name or entry.role}] {entry.content}"
    return f"[{entry.kind.replace('_', ' ')} {entry.name}] {entry.content}"


ContextRequest = BuildContext | Compact
