"""What of a transcript is looked at: what people and their assistants said to each other, and nothing else."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.clean import clean_text
from memoryd_client.wire.session_context import SUMMARY_OPENING
from memoryd_client.wire.transcripts import TranscriptRecord


class InputMessage(msgspec.Struct, frozen=True):
    """A message of a conversation, without what was injected, hidden or shown by tools, secrets replaced."""

    sequence: int
    role: Literal["user", "assistant"]
    speaker: str
    """By name; empty where nobody gave one."""
    text: str
    at: datetime


def input_messages(records: Iterable[TranscriptRecord], rules: Rules = DEFAULT) -> list[InputMessage]:
    """Return the messages among the entries of a transcript that may hold something worth remembering.

    Calls, results, what the system says, summaries and what is marked `#skip` are left out.
    Takes about a millisecond for each two kilobytes: not for an event loop.
    """
    found: list[InputMessage] = []
    for record in records:
        if record.kind != "message" or record.role not in {"user", "assistant"} or record.covers:
            continue
        if record.content.lstrip().startswith(SUMMARY_OPENING):
            continue  # a context that was built here, and came back with a push
        if text := clean_text(record.content, rules):
            role: Literal["user", "assistant"] = "user" if record.role == "user" else "assistant"
            found.append(InputMessage(record.sequence, role, " ".join(record.name.split())[:60], text, record.at))
    return found
