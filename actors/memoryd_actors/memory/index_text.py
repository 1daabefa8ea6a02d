"""What of a memory is embedded and indexed.

The text matters more than the fusion: bare text finds .394 of what is relevant within five, "speaker: text" .545
(LoCoMo, hybrid). A date beside it helps the words and hurts the vector (.650 of LoCoMo's evidence within ten with it,
.669 without); the role of a speaker, which all of a user's messages share, hurts both.
"""

import msgspec

from memoryd_actors.texts.passages import passages
from memoryd_client.wire.memory import Memory

LONG = 2_000
"""Bytes up to which a memory is one passage: nearly twice what the model reads. Divided from 1,000 on, BEAM's replies
crowd out what their user said: .584 of its evidence within five, .607 from 2,000 on, .598 undivided (36 questions)."""
_ROLES = frozenset({"user", "assistant", "agent", "system", "tool", "human", "ai"})


def is_person(speaker: str) -> bool:
    """Return whether a speaker is somebody with a name, not a role in a conversation."""
    return speaker.casefold() not in _ROLES


class MemoryPart(msgspec.Struct, frozen=True):
    """A part of a long memory, which is found by itself."""

    start: int
    """In characters of the content."""
    end: int
    embedded: str
    indexed: str


def parts(memory: Memory) -> list[MemoryPart]:
    """Return the passages of a memory that is too long for the model to read; none of a shorter one."""
    spans = passages(memory.content) if len(memory.content.encode(errors="replace")) > LONG else []
    found: list[MemoryPart] = []
    for start, end in spans:
        part = msgspec.structs.replace(memory, content=memory.content[start:end])
        found.append(MemoryPart(start, end, embedded_text(part), index_text(part)))
    return found


def embedded_text(memory: Memory) -> str:
    """Return the text whose vector stands for a memory: title, speaker, content, tags."""
    return "\n".join(_parts(memory))


def index_text(memory: Memory) -> str:
    """Return the text that the word index reads: the same, and the date."""
    parts = _parts(memory)
    if memory.occurred_at is not None:
        parts.append(f"({memory.occurred_at:%d %B %Y})")
    return "\n".join(parts)


def _parts(memory: Memory) -> list[str]:
    named = memory.speaker if is_person(memory.speaker) else ""
    said = f"{named}: {memory.content}" if named else memory.content
    parts = [memory.title, said] if memory.title else [said]
    if memory.tags:
        parts.append(" ".join(memory.tags))
    return parts
