"""What kind of thing is to be remembered, and where it is to hold: by how it is worded."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from memoryd_actors.capture.instructions import instructs
from memoryd_actors.capture.language import LANGUAGES, Language
from memoryd_actors.memory.settings import CORRECTION, FACT, RULE
from memoryd_actors.texts.languages import typed

PREFERENCE: Final = "preference"


def _any(pattern: Callable[[Language], str]) -> "re.Pattern[str]":
    return re.compile("|".join(dict.fromkeys(typed(pattern(one)) for one in LANGUAGES)), re.IGNORECASE)


def _edged(patterns: str) -> str:
    return rf"\b(?:{patterns})\b"


def _begins(language: Language) -> Iterable[str]:
    yield from language.wordings.rules
    yield rf"(?:please |bitte )?{_edged(language.wordings.from_now_on)}"


_CORRECTS = _any(
    lambda one: (
        rf"\W*(?:(?:{one.wordings.corrects})(?=\s*[,.:;!\u2013\u2014\uff0c\u3002\u3001\uff01\uff1a-]| actually\b)"
        rf"|{_edged(one.wordings.corrects_alone)})"
    )
)
_RULES = _any(lambda one: rf"\W*(?:{'|'.join(_begins(one))})|.{{0,200}}{_edged(one.wordings.from_now_on)}")
_PREFERS = _any(lambda one: rf"\b(?:{one.wordings.prefers})")
_EVERYWHERE = _any(lambda one: _edged(one.wordings.everywhere))
_EVERYWHERE_ASKED = _any(lambda one: _edged(f"{one.wordings.everywhere_asked}|{one.wordings.everywhere}"))


def category_of(content: str, before: str) -> str:
    """Return the category of a content; `before` is what was said in front of the request."""
    if _CORRECTS.match(before) or _CORRECTS.match(content):
        return CORRECTION
    if _RULES.match(content) or instructs(content):
        return RULE
    return PREFERENCE if _PREFERS.search(content) else FACT


def is_everywhere(asked: str, content: str) -> bool:
    """Return whether it is to hold in every project: by the request, or by what is to be remembered itself.

    A content that says `globally` alone may speak of a flag; a request that does can only mean the memory.
    """
    return bool(_EVERYWHERE_ASKED.search(asked) or _EVERYWHERE.search(content))
