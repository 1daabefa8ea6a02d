"""What stands above what among candidates: what somebody told, above what a conversation only went over.

A quoted question is no evidence: an episode that repeats a question is nearer to it than the fact that answers it, and
where prompts repeat word for word, every one of them would bring up the days on which it was given before.
"""

import re
from collections.abc import Sequence
from typing import Final

from memoryd_actors.memory.settings import DERIVED
from memoryd_actors.searching.near_identical import is_said_in
from memoryd_actors.searching.search import FoundMemory
from memoryd_actors.texts.languages import pattern_of
from memoryd_actors.texts.sentences import has_question, is_question, masked, sentences
from memoryd_actors.texts.stems import stem_set
from memoryd_client.wire.memory import Memory, Source

REPEATS: Final = 0.9
"""Share of a request's words from which a conversation that has them is the one in which it was given before."""
SHARE_DERIVED: Final = 4
"""Of what is judged, one in so many places is for what is derived, beside those of what was told."""
FEW_WORDS: Final = 3
"""A sentence with fewer telling words stands in any conversation."""
ANSWERS: Final = 0.4
"""Share of a question's words that an answer has, in a conversation in which it was asked word for word."""
_WORD = re.compile(r"\w+")
_QUOTE = re.compile(r"[^:\n]{1,60} (?:said|asked|wrote)(?: on \d{4}-\d\d-\d\d)?: \"(.+)\"", re.DOTALL)
_INTERROGATIVE = re.compile(rf"{pattern_of('recall', 'asks')}\b", re.IGNORECASE)
"""How a question begins whose mark was lost."""
_REPLY = re.compile(r"^- (?!The user (?:said|asked))(.+)$", re.MULTILINE)
_OUTCOME = re.compile(r"^Outcome: (.+)$", re.MULTILINE)
_UNINFORMED = re.compile(rf"\b{pattern_of('recall', 'uninformed')}\b", re.IGNORECASE)
"""Somebody says that they do not know."""


def is_derived(memory: Memory) -> bool:
    """Return whether a memory tells what a conversation went over."""
    return memory.category in DERIVED


def objection(memory: Memory, request: str, before: Sequence[str] = ()) -> str:
    """Return why a memory is no candidate for a request, in words; empty where it is one.

    What was said just `before` stands in the context as the request does.
    """
    if is_derived(memory):
        if any(is_question(sentence.bare) for sentence in sentences(request)):
            return _shortcoming(memory, request)
        return "the same was asked for in that conversation" if _repeats(memory, request) else ""
    if memory.source is not Source.USER and (_asks(memory.content) or _INTERROGATIVE.match(_quotation(memory))):
        return "only asks"
    if memory.source is Source.EXTRACTED and _UNINFORMED.search(memory.content):
        return "only says that somebody did not know"
    quoted = _quotation(memory)
    for said in (request, *before):
        if (quoted and _folded(quoted) in _folded(said)) or is_said_in(memory.content, said):
            return "was said just now"
    return ""


def split(ranked: Sequence[FoundMemory]) -> tuple[list[FoundMemory], list[FoundMemory]]:
    """Return what was told, and what is derived, each in order."""
    told = [one for one in ranked if not is_derived(one.memory)]
    return told, [one for one in ranked if is_derived(one.memory)]


def _shortcoming(memory: Memory, question: str) -> str:
    """Return why what is told of a conversation does not answer a question; empty where it may."""
    found = _OUTCOME.search(memory.content)
    if found is None:
        return ""
    outcome = found[1].strip()
    if outcome == "open" or _UNINFORMED.search(outcome):
        return "an episode without an outcome answers no question"
    if _repeats(memory, question) and not any(_answers(said, question) for said in (outcome, *_replies(memory))):
        return "the same was asked in that conversation, which came to something else"
    return ""


def _replies(memory: Memory) -> list[str]:
    """Return what a summary tells of what was said, line by line, without what the user said."""
    return [found[1] for found in _REPLY.finditer(memory.content)]


def _answers(said: str, question: str) -> bool:
    """Return whether something that was said may answer a question: it has enough of its words, and asks nothing."""
    asked = stem_set(question)
    return (
        len(asked & stem_set(said)) >= ANSWERS * len(asked)
        and not is_question(said.rstrip("\"'”»“’)"))
        and not _UNINFORMED.search(said)
    )


def _quotation(memory: Memory) -> str:
    """Return what was taken from a conversation word by word; empty where it is told in other words."""
    found = _QUOTE.fullmatch(memory.content.strip()) if memory.source is Source.EXTRACTED else None
    return found[1] if found else ""


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _repeats(memory: Memory, request: str) -> bool:
    """Return whether a conversation has a request in it: nearly all of its words, or a whole sentence."""
    asked = stem_set(request)
    if asked and len(asked & stem_set(memory.content)) >= REPEATS * len(asked):
        return True
    content = _folded(memory.content)
    return any(_folded(one.text) in content for one in sentences(request) if len(stem_set(one.text)) >= FEW_WORDS)


def _asks(text: str) -> bool:
    """Return whether a text only asks, or only tells that somebody asked."""
    said = sentences(text) if has_question(text) else []
    return bool(said) and all(is_question(one.text.rstrip("\"'”»“’)")) for one in said) and len(masked(text)) < 500
