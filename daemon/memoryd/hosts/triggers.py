"""When to look for memory between the user's turns, as the events themselves show it."""

import re
from pathlib import PurePath

from memoryd.hosts.event import Event
from memoryd_client.wire.context import Trigger

OUTPUT_CHARACTERS = 6_000
"""Of an answer, some 1,500 tokens: one that long has gone on to other things than the prompt."""
LONGEST = 2_000
"""Characters of what a tool brought that are looked at."""
_ERROR = re.compile(
    r"Traceback \(most recent call last\)|^\s*(?:[A-Z]\w*(?:Error|Exception)|error(?:\[\w+\])?|fatal|panic)\b[: ]"
    r"|\b(?:FAILED|command not found|No such file or directory|Permission denied)\b",
    re.MULTILINE,
)
_DESIGN = re.compile(
    r"\b(?:architecture|design(?:ed|ing)?|trade-?offs?|approach(?:es)?|alternatives?|refactor(?:ing)?|pattern|"
    r"should we (?:use|build|split)|entwurf|architektur|ansatz)\b",
    re.IGNORECASE,
)


def of_tool(event: Event, kinds: set[str]) -> tuple[Trigger, str] | None:
    """Return why to look after a tool was used, and at what; `kinds` are the kinds of files seen so far, and learns."""
    suffixes = {PurePath(file).suffix.lower() for file in event.files} - {""}
    other = bool(kinds) and not suffixes <= kinds
    kinds |= suffixes
    if found := _ERROR.search(event.text):
        return "error", event.text[max(found.start() - 200, 0) :][:LONGEST]
    if event.failed:
        return "error", event.text[:LONGEST]
    return ("file", f"Working on {', '.join(event.files)}") if other else None


def of_answer(text: str) -> tuple[Trigger, str] | None:
    """Return why to look after an answer, and at what: the end of a long one, or talk about design."""
    if len(text) >= OUTPUT_CHARACTERS:
        return "output", text[-LONGEST:]
    return ("design", text[:LONGEST]) if _DESIGN.search(text) else None
