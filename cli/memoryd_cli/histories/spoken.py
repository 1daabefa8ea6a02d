"""What a history brings: what a person and an agent said to each other, and nothing that a program put between."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

_INJECTED = re.compile(
    r"<(memoryd[\w-]*|system-reminder|hook_context|environment_context|user_instructions|INSTRUCTIONS"
    r"|qwen:session-start-context|local-command-caveat|untrusted_context)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
"""What programs and memory put into a person's words."""
_COMMAND = re.compile(r"\s*(?:/[a-z][\w:-]*(?:\s|$)|<(?:command-|local-command-|bash-))")
"""A slash command, or what its execution left behind."""


@dataclass(frozen=True, slots=True)
class PastMessage:
    """One message."""

    id: str
    """The program's own, or one that is the same at the next reading."""
    role: str
    """user or assistant."""
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PastConversation:
    """One conversation."""

    session: str
    project: str
    """The folder it was about; empty where that is not known."""
    said: tuple[PastMessage, ...]


def spoken(id: str, role: str, content: object, at: object) -> Iterator[PastMessage]:  # noqa: A002 - the field's name
    """Yield the message where it holds a person's or an agent's words; content is text or blocks with text."""
    text = _INJECTED.sub("", text_of(content)).strip()
    if text and role in {"user", "assistant"} and not (role == "user" and _COMMAND.match(text)):
        yield PastMessage(id, role, text, moment(at))


def text_of(content: object) -> str:
    """Return text, or the text of those blocks that are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks: list[Any] = content
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type", "text") in {"text", "input_text", "output_text"}
        and isinstance(block.get("text"), str)
        and not block.get("synthetic")
    ]
    return "\n".join(texts)


def moment(at: object) -> datetime | None:
    """Return a moment that is told in ISO 8601, or in seconds or milliseconds since 1970; None where it is none."""
    try:
        if isinstance(at, str):
            return msgspec.convert(at, datetime)
        if isinstance(at, (int, float)):
            return msgspec.convert(at / 1000 if at > 1e11 else at, datetime, strict=False)
    except msgspec.ValidationError:
        return None
    return None


def lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON-lines file; what cannot be read, as a line that is half written, is passed over."""
    with file.open("rb") as opened:
        for line in opened:
            try:
                found = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue
            if isinstance(found, dict):
                yield found


def history(session: str, project: str, said: Iterable[PastMessage]) -> Iterator[PastConversation]:
    """Yield the conversation where anything was said."""
    if kept := tuple(said):
        yield PastConversation(session, project, kept)
