"""What a history brings: what a person and an agent said to each other, and nothing that a program put between."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from memoryd.hosts.words import own_words
from memoryd_actors.model.question import JSON_ONLY
from memoryd_actors.texts.hidden import is_skipped

_INJECTED = re.compile(
    r"(?:# AGENTS\.md instructions[^\n]*\n+)?"
    r"<(memoryd[\w-]*|environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|user_action"
    r"|skill|local-command-caveat|task-notification|teammate-message|untrusted_context)\b[^>]*>.*?</\1>",
    re.DOTALL,
)
"""What programs put into a person's words, beside what hooks do."""
_EXECUTED = re.compile(r"<(?:command-|local-command-|bash-)")
"""What a slash command left behind."""
_COMMAND = re.compile(r"(/[a-z][\w:-]*)(?:[ \t]+\S+)?")
"""A slash command, with one argument at most: what is longer was said to the model."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")


class PastMessage(msgspec.Struct, frozen=True):
    """One message."""

    id: str
    """The program's own, or one that is the same at the next reading."""
    role: str
    """user or assistant."""
    text: str
    at: datetime | None


class PastConversation(msgspec.Struct, frozen=True):
    """One conversation."""

    session: str
    project: str
    """The folder it was about; empty where that is not known."""
    said: tuple[PastMessage, ...]


def spoken(id: str, role: str, content: object, at: object) -> Iterator[PastMessage]:  # noqa: A002 - the field's name
    """Yield the message where it holds a person's or an agent's words; content is text or blocks with text."""
    text = own_words(_INJECTED.sub("", text_of(content)))
    if text and role in {"user", "assistant"} and not (role == "user" and _put_there(text)):
        yield PastMessage(id, role, text, moment(at))


def _put_there(text: str) -> bool:
    """Return whether what stands as a user's is for the program, or from it; a folder's path is a person's word."""
    if _EXECUTED.match(text) or _INTERRUPTED.fullmatch(text):
        return True
    command = _COMMAND.fullmatch(text)
    return command is not None and not Path(command[1]).exists()


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
        and not (block.get("synthetic") or block.get("thought"))
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
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found


def is_legible(file: Path) -> bool:
    """Return whether anything in a file can be read, or there is nothing in it."""
    return file.suffix != ".jsonl" or file.stat().st_size == 0 or any(True for _ in lines(file))


def history(session: str, project: str, said: Iterable[PastMessage]) -> Iterator[PastConversation]:
    """Yield the conversation where anything was said that may be kept, unless memoryd itself was asking a model."""
    kept = tuple(_without_skipped(said))
    if kept and JSON_ONLY not in kept[0].text:
        yield PastConversation(session, project, kept)


def _without_skipped(said: Iterable[PastMessage]) -> Iterator[PastMessage]:
    """Leave out prompts with `#skip`, and the answers to them, which repeat what they say."""
    skipped = False
    for one in said:
        if one.role == "user":
            skipped = is_skipped(one.text)
        if not skipped:
            yield one


def begun(file: Path) -> datetime:
    """Return when the first thing in a file was said; when it was written where it does not say."""
    try:
        told = (moment(line.get("timestamp")) for line in lines(file))
        first = next((at for at in told if at is not None), None)
    except OSError:
        first = None
    return in_utc(first) if first else datetime.fromtimestamp(file.stat().st_mtime, UTC)


def in_utc(at: datetime) -> datetime:
    """Return a moment with its zone: UTC where it names none."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)
