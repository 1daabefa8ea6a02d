"""What ties a statement down: an amount, an age, a version, a date. In English.

In chats with an assistant nearly every turn is about the task at hand, and soon over. What somebody tells there of
themselves and their work is worth keeping where it has something in it that can be asked for later.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from memoryd_actors.texts.numbers import NUMBERS

_MONTH: Final = rf"(?:{'|'.join(' '.join(NUMBERS['en'].months).split())})\.?"
_NTH: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_PART: Final = r"(?:the end of |early |mid-?|late )?"
_MONEY: Final = r"[$€£¥]\s?\d|\b\d[\d,.]*\s?(?:%|(?:percent|usd|eur|euros?|dollars?|pounds)\b)"
_VERSION: Final = r"\bv\d+(?:\.\d+)*\b|\b\d+\.\d+(?:\.\d+)+\b|(?<=[a-z]) \d+\.\d+\b"


def _compiled(*patterns: str) -> "re.Pattern[str]":
    return re.compile("|".join(patterns).replace("'", "['\u2019]"), re.IGNORECASE)


_DATE = _compiled(
    rf"\b{_MONTH} {_NTH}\b|\b{_NTH}(?: of)? {_MONTH}\b|\b{_MONTH},? (?:19|20)\d\d\b|\b(?:19|20)\d\d-\d\d-\d\d\b",
    r"\b(?:in|since|until|by|before|after|from|of|for) (?:19|20)\d\d\b",
    rf"\b(?:by|since|until|before|after|starting|from) {_PART}(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    rf"\b(?:by|since|until|before|after|starts?|starting|from|in|this|last|next|of) {_PART}{_MONTH}(?=\W|\Z)",
    r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b",
)
_FIGURE = _compiled(
    _MONEY,
    _VERSION,
    r"\b\d[\d,.]*\s?-?(?:k|ms|s|[kmgt]b|px|km|kg|(?:second|minute|hour|day|week|month|year|mile|word|page|chapter|book"
    r"|user|customer|commit|test|request|call|row|record|source|session|point|interview|application|candidate|item"
    r"|time)s?|people)\b",
    r"\bport \d{2,5}\b|\b\d{1,3}(?:,\d{3})+\b",
    r"\b(?:i'm|i am|aged?|is|are|turn(?:ed|ing)?) \d{1,2}\b|, \d\d(?:,|\Z| and\b)",
)
_AIMED_AT = _compiled(
    _MONEY,
    _VERSION,
    r"\b\d[\d,.]* (?:\w+ )?(?:per|a|each) (?:minute|hour|day|week|month|year)\b",
    r"\b(?:to|under|below|within|over|than) \d[\d,.]*\s?(?:ms|seconds?|minutes?|[kmgt]b)\b",
)
"""What of figures makes an aim worth keeping: money, a share, a version, a rate, a measure."""
_OWN = _compiled(r"\b(?:i|we|my|our)\b")
_HEDGED = _compiled(
    r"\b(?:i|we) (?:\w+ )?(?:want|need|would like|hope|wish|think|guess|tried|get|got|see|saw|keep getting|expect)\b",
    r"\b(?:i|we)(?:'d| would)\b|\b(?:i|we)(?:'ll| will| can| could| should| might)\b",
    r"\bi'?m (?:\w+ )?(?:trying|looking|hoping|wondering|getting|seeing|having (?:trouble|issues|problems|difficult\w+)"
    r"|unsure|curious|interested|going to (?:try|start))\b|\bnot sure\b",
)
_AT_HAND = _compiled(
    r"\b(?:errors?|exception|line|status code|stack ?trace|undefined|bugs?|failing|fails?|failed|broken|stuck"
    r"|confused)\b"
)
_ADDRESSED = _compiled(
    r"\b(?:you|your|yours|that's|sounds|thanks)\b|\b(?:like|as) (?:we|i) (?:discussed|said|mentioned)\b"
)
_AIM = _compiled(
    r"\b(?:i|we)(?:'m|'re| am| are) (?:\w+ )?(?:trying|hoping|looking|aiming|planning|going) to "
    r"(?!understand|figure|decide|make sure|debug)",
    r"\b(?:i|we) (?:\w+ )?(?:want|need|plan|aim|hope|have|intend) to (?!know|make sure|ensure|understand|see|figure)",
)
_NEVER = _compiled(
    r"\b(?:i've|i have) never (?!seen|tried|heard|had|understood|noticed|been (?:sure|good)|really)\w+ \w+"
)
_GIVEN = _compiled(r"\b(?:considering|given|given that|now that|since|and|but) (?=(?:i|we)(?:'|\b))")
MOST_GIVEN: Final = 5
"""Clauses of a sentence that are looked at; more than that is hardly spoken."""


def particular(bare: str) -> bool:
    """Return whether a sentence tells something of its speaker that is tied down, and outlasts the task at hand.

    An aim is tied down by a date, or by what is to be reached; what was tried, seen or thought of a figure is not kept,
    nor what is answered to an assistant.
    """
    if _OWN.search(bare) is None or _ADDRESSED.search(bare):
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


def given(bare: str) -> Iterator[int]:
    """Yield where the first clauses begin in which a speaker tells something besides what the sentence is about.

    `How should I plan that, considering I have 300 euros a month?`
    """
    return (found.end() for found in islice(_GIVEN.finditer(bare), MOST_GIVEN))


def _first(*found: "re.Match[str] | None") -> "re.Match[str] | None":
    return min((one for one in found if one is not None), key=lambda one: one.start(), default=None)
