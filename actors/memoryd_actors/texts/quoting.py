"""How a memory quotes what somebody said, and what of that is compared with other memories."""

import re
from datetime import datetime

from memoryd_actors.texts.languages import pattern_of

_USER_SAID = re.compile(r"(?s)\AThe user said(?: on \d{4}-\d\d-\d\d)?: \"([^\"]*)\"\Z")
_FRAME = re.compile(r"(?s)\A(.{1,80}? said) on \d{4}-\d\d-\d\d(: \".*)")

_CORRECTS = re.compile(rf"\A\W*{pattern_of('extraction', 'corrects')}", re.IGNORECASE)


def saying(who: str, text: str, at: datetime | None = None) -> str:
    """Return who said a text, and when where that is given."""
    day = f" on {at.date().isoformat()}" if at else ""
    return f'{who[0].upper()}{who[1:]} said{day}: "{text}"'


def undated(content: str) -> str:
    """Return a memory without the day on which it was said."""
    return _FRAME.sub(r"\1\2", content)


def what_was_said(content: str) -> str:
    """Return what of a memory that quotes somebody is compared: never the day on which it was said.

    Of what the user said the words alone, without the `no,` before a correction: stored by themselves they say the
    same. Else also who said them.
    """
    said = _USER_SAID.match(content)
    return uncorrected(said[1]) if said else undated(content)


def uncorrected(said: str) -> str:
    """Return a text without the `no,` before a correction; the whole where it is nothing else."""
    return _CORRECTS.sub("", said) or said
