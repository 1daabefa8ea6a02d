"""Explicit labels in what a user says: `Fix the ads, project: hdrpop`. Pure."""

import re
from collections.abc import Iterable
from typing import Final

LABEL: Final = "project:"
"""What a tag begins with that has such a name."""
_NAME = r"[^\W_][\w.+-]{0,59}"
_ENDS = r"""`?[ \t]{0,8}(?:$|[.,;)\]\n])|[ \t]{1,8}(?:-{1,3}|[\u2013\u2014])[ \t]"""
_QUOTED = r"""[\"\u201c\u201e]([^\W_][\w.+ -]{0,59})[\"\u201c\u201d]"""
_PROJECT = re.compile(
    rf"(?:^|(?<=[\s(\[,;`#]))proje[ck]t:(?:({_NAME})|[ \t]{{0,4}}{_QUOTED}|[ \t]{{1,4}}({_NAME})(?={_ENDS}))",
    re.IGNORECASE | re.MULTILINE,
)
"""What follows is a name, where the line, the brackets or the clause end with it: `project: we need more` is none.

One in quotation marks may have several words, which hyphens join: `sea-otter`.
"""


def project_tags(label: str) -> tuple[str, ...]:
    """Return the tags of what belongs to a project that was named so; none where none was."""
    return (f"{LABEL}{label}",) if label else ()


def project_label(texts: Iterable[str]) -> str:
    """Return the project that the last of the labels names; empty where there is none."""
    found = ["".join(match) for text in texts if ":" in text for match in _PROJECT.findall(text)]
    return "-".join(found[-1].split()).rstrip(".-+").casefold() if found else ""
