"""Step 1 of the pipeline: what of a conversation was really said.

Memory that was recalled must never come back as something newly said; private blocks, system reminders and tool noise
are not what the user talks about; secrets leave before anything else sees the text.
"""

import re
from collections.abc import Iterable

from memoryd_actors.redaction import Rules, redacted
from memoryd_actors.redaction.rules import DEFAULT
from memoryd_actors.texts.hidden import is_skipped, strip_hidden
from memoryd_actors.texts.quoted import LOG_LINE, is_error
from memoryd_client.wire.context import Message

_CODE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)

LONGEST_MESSAGE = 20_000
"""Characters looked at in one message; the end is newer than the beginning and is what stays."""
_MARGIN = 4_000
"""Characters before those, read for secrets only: one that the cut goes through is known by its beginning."""
CODE_LINES_KEPT = 12
"""Lines of a code block that still say what it is about; the rest drowns the request."""
MOST_LOG_LINES = 6
"""More than these in a message are cut."""
LOG_LINES_KEPT = 3
"""Of the last ones, and of those that say what went wrong."""


def clean(messages: Iterable[Message], rules: Rules = DEFAULT) -> list[Message]:
    """Return the messages that carry meaning, cleaned; tool and system messages, and those with #skip, are left out."""
    kept: list[Message] = []
    for message in messages:
        if message.role not in {"user", "assistant"}:
            continue
        content = clean_text(message.content, rules)
        if content:
            kept.append(Message(role=message.role, content=content, name=message.name))
    return kept


def clean_text(text: str, rules: Rules = DEFAULT) -> str:
    """Return what was said in one message: without injected, hidden and private blocks, secrets replaced.

    Nothing, where the message bears the tag `#skip`.
    """
    # Cut after stripping: what is private is told by where it begins, however far back that is.
    visible = strip_hidden(text)
    if is_skipped(visible):
        return ""
    said = visible[-LONGEST_MESSAGE - _MARGIN :]
    if len(said) < len(visible) and "\n" in said[:_MARGIN]:
        # The rest of a log line is no log line any more, and would pass for something said.
        said = said.split("\n", 1)[1]
    return redacted(shortened(said), rules)[-LONGEST_MESSAGE:].strip()


def shortened(text: str) -> str:
    """Return the text with long code blocks cut to their beginning, and of many log lines the last and the errors."""
    if "```" in text or "~~~" in text:
        text = _CODE.sub(_cut_code, text)
    lines = text.split("\n")
    logged = [number for number, line in enumerate(lines) if LOG_LINE.match(line)]
    if len(logged) > MOST_LOG_LINES:
        errors = [number for number in logged if is_error(lines[number])]
        dropped = set(logged[:-LOG_LINES_KEPT]) - set(errors[-LOG_LINES_KEPT:])
        lines = [line for number, line in enumerate(lines) if number not in dropped]
    return "\n".join(lines)


def _cut_code(block: re.Match[str]) -> str:
    lines = block.group(2).split("\n")
    if len(lines) <= CODE_LINES_KEPT + 1:
        return block.group(0)
    # The fence stays: what is said is told from what is shown by it.
    opening, fence = block.group(0).split("\n", 1)[0], block.group(1)
    return "\n".join([opening, *lines[:CODE_LINES_KEPT], fence])
