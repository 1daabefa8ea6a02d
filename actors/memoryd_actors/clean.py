"""Step 1 of the pipeline: what of a conversation was really said.

Memory that was recalled must never come back as something newly said; private blocks, system reminders and tool noise
are not what the user talks about; secrets leave before anything else sees the text.
"""

import re
from collections.abc import Iterable

from memoryd_actors.hidden import strip_hidden
from memoryd_actors.redaction import redact
from memoryd_client.messages import Message

_CODE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_LOG_LINE = re.compile(r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|(?:DEBUG|INFO|TRACE)\b)", re.MULTILINE)

LONGEST_MESSAGE = 20_000
"""Characters looked at in one message; the end is newer than the beginning and is what stays."""
_MARGIN = 4_000
"""Characters before those, read for secrets only: one that the cut goes through is known by its beginning."""
CODE_LINES_KEPT = 12
"""Lines of a code block that still say what it is about; the rest drowns the request."""


def clean(messages: Iterable[Message]) -> list[Message]:
    """Return the messages that carry meaning, cleaned; tool and system messages are left out."""
    kept: list[Message] = []
    for message in messages:
        if message.role not in {"user", "assistant"}:
            continue
        content = clean_text(message.content)
        if content:
            kept.append(Message(role=message.role, content=content, name=message.name))
    return kept


def clean_text(text: str) -> str:
    """Return what was said in one message: without injected, hidden and private blocks, secrets replaced."""
    # Cut after stripping: what is private is told by where it begins, however far back that is.
    said = shortened(strip_hidden(text)[-LONGEST_MESSAGE - _MARGIN :])
    return redact(said).text[-LONGEST_MESSAGE:].strip()


def shortened(text: str) -> str:
    """Return the text with long code blocks cut to their beginning and runs of log lines to their last three."""
    if "```" in text or "~~~" in text:
        text = _CODE.sub(_cut_code, text)
    lines = text.split("\n")
    logged = [number for number, line in enumerate(lines) if _LOG_LINE.match(line)]
    if len(logged) > 6:
        dropped = set(logged[:-3])
        lines = [line for number, line in enumerate(lines) if number not in dropped]
    return "\n".join(lines)


def _cut_code(block: re.Match[str]) -> str:
    lines = block.group(2).splitlines()
    return "\n".join(lines[:CODE_LINES_KEPT])
