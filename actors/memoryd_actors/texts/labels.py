"""Explicit labels in what a user says: `Fix the ads, project: hdrpop`. Pure."""

import re
from collections.abc import Iterable
from typing import Final

LABEL: Final = "project:"
"""What a tag begins with that has such a name."""
_NAME = r"[^\W_][\w.+-]{0,59}"
_PROJECT = re.compile(
    rf"(?:^|(?<=[\s(\[,;`]))proje[ck]t:(?:{_NAME}|[ \t]{{1,4}}{_NAME}(?=`?[ \t]{{0,8}}(?:$|[.,;)\]\n])))",
    re.IGNORECASE | re.MULTILINE,
)
"""What follows is a name, where the line, the brackets or the clause end with it: `project: we need more` is none."""


def project_tags(label: str) -> tuple[str, ...]:
    """Return the tags of what belongs to a project that was named so; none where none was."""
    return (f"{LABEL}{label}",) if label else ()


def project_label(texts: Iterable[str]) -> str:
    """Return the project that the last of the labels names; empty where there is none."""
    found = [match for text in texts if ":" in text for match in _PROJECT.findall(text)]
    return found[-1].partition(":")[2].strip().rstrip(".-+").casefold() if found else ""
