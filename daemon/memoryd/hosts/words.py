"""What people and models themselves said: without what memoryd and other hooks put beside it, in whatever form."""

import re

from memoryd_actors.texts.fence import CLOSING, TAG
from memoryd_actors.texts.hidden import strip_unkept

_WRAPPERS = re.compile(r"<(hook_context|qwen:[\w-]+|system[-_]reminder)\b[^<>]*>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
"""What hosts put around what a hook said; no hook's words are the user's."""
_ESCAPED = re.compile(rf"&lt;{TAG}\b.*?&lt;/{TAG}&gt;\s*", re.DOTALL | re.IGNORECASE)


def own_words(text: str) -> str:
    """Return a prompt or an answer without anything that a hook has put into it; private blocks stay for the gate."""
    if TAG not in text and "_context" not in text and "qwen:" not in text and "reminder" not in text:
        return text.strip()
    text = _ESCAPED.sub("", _WRAPPERS.sub("", text))
    return (strip_unkept(text) if TAG in text else text).strip()


def shortened(text: str, longest: int, *, in_bytes: bool = False) -> str:
    """Return recalled memory that is no longer than a host takes, whole lines of it, and closed as it has to be."""
    size = len(text.encode("utf-8", "replace")) if in_bytes else len(text)
    if size <= longest:
        return text
    room = longest - len(CLOSING) - 1
    kept = text.encode("utf-8", "replace")[:room].decode(errors="ignore") if in_bytes else text[:room]
    return kept[: kept.rfind("\n") + 1] + CLOSING
