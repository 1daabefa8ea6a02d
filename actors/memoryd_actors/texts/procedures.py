"""Ways of doing things, as they are told: what they are for, and their steps. And whether a message asks for one."""

import re
from functools import cache
from typing import Final, NamedTuple

import msgspec

from memoryd_actors.texts.languages import tables, typed
from memoryd_actors.texts.sentences import sentences
from memoryd_actors.texts.stems import stem_set

LONGEST: Final = 2_000
"""Characters of a message in which somebody tells how a thing is done; a longer one is a document."""
FEWEST_STEPS: Final = 2
MOST_ASKED: Final = 2_000
"""Characters of a message in which it is looked whether it asks for a procedure, its end."""
_NUMBERED = re.compile(r"^\s*(?:(?:step\s+)?\d{1,2}[.):]|[-*\u2022])\s+\S", re.IGNORECASE | re.MULTILINE)
_NUMBERS_INLINE = re.compile(r"(?:^|\s)1[.)]\s.*\s2[.)]\s", re.DOTALL)


class _Table(msgspec.Struct, frozen=True):
    forms: tuple[str, ...]
    order: str
    over: str
    asks_about: str
    code: str


class Told(NamedTuple):
    """A way of doing something."""

    trigger: str
    """What it is for: `release`, `deploy to staging`."""
    steps: str
    """Numbered, a line each."""

    @property
    def text(self) -> str:
        """The procedure as it is kept."""
        return f"{self.trigger[:1].upper()}{self.trigger[1:]}:\n{self.steps}"


@cache
def _forms() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (re.compile(typed(form), re.IGNORECASE | re.DOTALL), _between(table.order))
        for table in tables("procedures", _Table).values()
        for form in table.forms
    )


def _between(order: str) -> re.Pattern[str]:
    """Return what stands between two steps that are told in a sentence."""
    return re.compile(rf"(?:^|[,;.]\s*(?:and |und )?|\s(?:and|und)\s+)(?:{order})\b[,:]?\s*", re.IGNORECASE)


@cache
def _no_task() -> re.Pattern[str]:
    known = tables("procedures", _Table).values()
    over = "|".join(typed(table.over) for table in known)
    about = "|".join(typed(table.asks_about) for table in known)
    return re.compile(rf"(?:{over})|\A(?:{about})", re.IGNORECASE)


def told_procedure(message: str) -> Told | None:
    """Return the way of doing something that a message tells step by step; None where it tells anything else.

    The steps are numbered, listed, or joined by `first`, `then`, `finally`. A message with a question asks something.
    """
    if len(message) > LONGEST or "?" in message:
        return None
    for form, between in _forms():
        if (told := form.match(message)) is None:
            continue
        steps = told["steps"].strip()
        listed = _NUMBERED.search(steps) or _NUMBERS_INLINE.search(steps)
        parts = [part.strip(" ,;.\n") for part in between.split(steps)] if not listed else []
        parts = [part for part in parts if part]
        if not listed and len(parts) < FEWEST_STEPS:
            continue
        lines = steps if listed else "\n".join(f"{number}. {part}" for number, part in enumerate(parts, 1))
        return Told(" ".join(told["trigger"].split()), lines)
    return None


def asks_for(message: str, trigger: str) -> bool:
    """Return whether a message has a task in it that a procedure is for: one sentence has all words of its trigger.

    One that tells of the past, or asks what, why, when or who, is no task; `how do we release` and `can you release`
    are.
    """
    wanted = stem_set(trigger)
    if not wanted:
        return False
    for sentence in sentences(message[-MOST_ASKED:]):
        if wanted <= stem_set(sentence.bare) and not _no_task().search(sentence.bare):
            return True
    return False
