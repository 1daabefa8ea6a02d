"""What ties a statement down: an amount, an age, a version, a date. In English.

In chats with an assistant nearly every turn is about the task at hand, and soon over. What somebody tells there of
themselves and their work is worth keeping where it has something in it that can be asked for later.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from memoryd_actors.texts.languages import pattern_of


def _compiled(key: str) -> "re.Pattern[str]":
    return re.compile(pattern_of("particulars", key), re.IGNORECASE)


_DATE = _compiled("date")
_FIGURE = _compiled("figure")
_AIMED_AT = _compiled("aimed_at")
_OWN = _compiled("own")
_HEDGED = _compiled("hedged")
_AT_HAND = _compiled("at_hand")
_FLEETING = _compiled("fleeting")
_ADDRESSED = _compiled("addressed")
_AIM = _compiled("aim")
_NEVER = _compiled("never")
_GIVEN = _compiled("given")
_ASIDE = _compiled("aside")
MOST_GIVEN: Final = 5
"""Clauses of a sentence that are looked at; more than that is hardly spoken."""


def particular(bare: str) -> bool:
    """Return whether a sentence tells something of its speaker that is tied down, and outlasts the task at hand.

    An aim is tied down by a date, or by what is to be reached; what was tried, seen or thought of a figure is not kept,
    nor what is answered to an assistant.
    """
    if _OWN.search(bare) is None or _ADDRESSED.search(bare) or fleeting(bare):
        return False
    if _NEVER.search(bare):
        return True
    date = _DATE.search(bare)
    if _AIM.search(bare):
        return bool(date or _AIMED_AT.search(bare))
    tied = _first(date, _FIGURE.search(bare))
    if tied is None or (date is None and _AT_HAND.search(bare)):
        return False
    return _HEDGED.search(bare, 0, tied.end()) is None


def fleeting(bare: str) -> bool:
    """Return whether a sentence tells what is over in an hour: `I have 5% battery left`."""
    return _FLEETING.search(bare) is not None


def aside(said: str) -> bool:
    """Return whether a message is said to be about nothing that goes on: `random question while the build runs`."""
    return _ASIDE.match(said) is not None


def given(bare: str) -> Iterator[int]:
    """Yield where the first clauses begin in which a speaker tells something besides what the sentence is about.

    `How should I plan that, considering I have 300 euros a month?`
    """
    return (found.end() for found in islice(_GIVEN.finditer(bare), MOST_GIVEN))


def _first(*found: "re.Match[str] | None") -> "re.Match[str] | None":
    return min((one for one in found if one is not None), key=lambda one: one.start(), default=None)
