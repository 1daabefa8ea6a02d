"""The request to remember, and what it is about."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec

from memoryd_actors.capture.captured import MOST_CHARACTERS, Captured, says_something
from memoryd_actors.capture.kinds import category_of, is_everywhere
from memoryd_actors.capture.language import LANGUAGES, Language
from memoryd_actors.capture.reactions import is_empty, is_reaction
from memoryd_actors.texts.languages import typed
from memoryd_actors.texts.passed_on import passed_on
from memoryd_actors.texts.quoted import told_apart
from memoryd_actors.texts.sentences import Sentence, is_question, masked, sentences

MOST_READ = 20_000
"""Characters of a message that are looked at, its end."""
MOST_CAPTURED = 5
"""A message that asks for more was not written for the agent: it is a pasted instruction, and nothing is taken."""
MOST_GIST = 400
"""Characters of the message before that a request alone points back to."""
_TAKEN_BACK = re.compile(
    r"\b(?:forget (?:it|that|about it)|never ?mind|scratch that|vergiss (?:es|das))\W*\Z", re.IGNORECASE
)
"""What takes a request back at its end."""
_AFTER_LEAD = r"\s,.:;!\u2013\u2014\uff0c\u3002\u3001\uff01\uff1a-"
_ENDS = " \t\n\r,;:\u2013\u2014\uff0c\u3001\uff1a-"


class _Patterns:
    """The compiled requests of one language."""

    def __init__(self, language: Language) -> None:
        asked = language.requests
        lead = rf"(?:(?:{typed(asked.lead)})(?!\w)[{_AFTER_LEAD}]*){{0,5}}¡?"
        please = rf"(?P<please>{typed(asked.please)})"
        after = "|".join(map(typed, asked.after))
        points = "|".join(map(typed, asked.points))
        tail = rf"(?P<tail>[,\uff0c\u3001\s]*{typed(asked.tail)})[\s.!?\u2026\u3002\uff01\uff1f]*"
        self.after = re.compile(rf"(?P<lead>{lead}){please}(?P<asked>{after})", re.IGNORECASE)
        self.points = re.compile(rf"(?P<lead>{lead}){please}(?P<asked>{points}){tail}\Z", re.IGNORECASE)
        self.ends = re.compile(rf"\s*{typed(asked.joins)}\s*{please}(?P<asked>{points}){tail}\Z", re.IGNORECASE)
        self.inside = re.compile(rf"\s*{typed(asked.joins)}\s*{please}(?P<asked>{after})", re.IGNORECASE)
        self.asks = re.compile(typed(asked.asks), re.IGNORECASE)
        self.urges = re.compile(typed(asked.urges), re.IGNORECASE)
        self.refers = re.compile(rf"(?:{typed(asked.refers)})\b", re.IGNORECASE)


# When one is first needed: a language takes 13 ms, and most daemons hear one or two of them.
_patterns = cache(_Patterns)
_STEMS = tuple(dict.fromkeys(stem for language in LANGUAGES for stem in language.requests.stems))
_LONGEST_REQUEST = 120
"""Characters at the end of a sentence in which a request that ends it may begin."""


class _Request(msgspec.Struct, frozen=True):
    """A request within a sentence."""

    asked: str
    lead: str
    begins: int
    """Where the request begins, counted from the sentence."""
    ends: int
    """Where what is to be remembered begins; the length of the sentence where the request points elsewhere."""
    points: bool
    patterns: _Patterns
    """Of its language."""


def may_ask(text: str) -> bool:
    """Return whether a message has a word of a request at all: worth a closer look, and cheap to tell."""
    return _has(text[-MOST_READ:].lower(), _STEMS)


def explicit(message: str, before: str = "") -> tuple[Captured, ...]:
    """Return what a user's message asks to have remembered; `before` is the message before it.

    Both without secrets and hidden blocks. What is to be remembered is the clause after the request, or what follows
    its colon; where the request only points (`remember that`), the sentence before it, or else the sentence after it,
    or else the gist of `before`. In linear time.
    """
    if not may_ask(message):
        return ()
    told = told_apart(message[-MOST_READ:])
    found: list[Captured] = []
    parts = sentences(told.said)
    requests = {at: request for at, sentence in enumerate(parts) if (request := _request(sentence)) is not None}
    others = passed_on(parts, requests)
    for at, request in requests.items():
        if at in others:
            continue
        content, from_before = _content(told.said, parts, at, request)
        if not content and request.points and (len(parts) == 1 or all(is_reaction(part.bare) for part in parts[:at])):
            content, from_before = gist(before), True
        elif not content and not request.points:
            content = told.shown
        content = _tidy(content)
        if says_something(content) and not is_empty(content) and not _TAKEN_BACK.search(content):
            lead = f"{told.said[: parts[0].end]} {request.lead}" if at else request.lead
            found.append(
                Captured(
                    content=content,
                    category=category_of(content, request.lead or (lead if at else "")),
                    asked=" ".join(request.asked.split()),
                    everywhere=is_everywhere(request.asked, content),
                    from_before=from_before,
                )
            )
    unique = tuple({one.content: one for one in found}.values())
    return unique if len(unique) <= MOST_CAPTURED else ()


def gist(message: str) -> str:
    """Return what a message says first, at most `MOST_GIST` characters of it, in whole sentences where they fit.

    What it asks, and how it reacts to what was said before, is left out.
    """
    said = told_apart(message[-MOST_READ:]).said
    told = [one for one in sentences(said) if not is_question(one.bare) and not is_reaction(one.bare)]
    if not told:
        return ""
    begin, end = told[0].start, told[0].start
    for one in told:
        if one.end - begin > MOST_GIST or said[end : one.start].strip():
            break  # what follows a question, or is beyond
        end = one.end
    return said[begin:end] or said[begin : begin + MOST_GIST - 1].rsplit(" ", 1)[0] + "…"


def _request(sentence: Sentence) -> _Request | None:
    """Return the request that a sentence begins or ends with."""
    bare = sentence.bare
    lower = bare.lower()
    question = is_question(bare)
    for language in LANGUAGES:
        if not _has(lower, language.requests.stems):
            continue
        patterns = _patterns(language)
        if found := patterns.after.match(bare):
            if question and not patterns.asks.match(found["please"]):
                continue
            return _Request(
                _said(found), found["lead"], found.end("lead"), found.end(), points=False, patterns=patterns
            )
        if (found := patterns.points.match(bare)) and not (question and not _urged(patterns, found)):
            return _Request(
                _said(found), found["lead"], found.end("lead"), len(sentence.text), points=True, patterns=patterns
            )
        if (
            not question
            and (found := patterns.inside.search(bare))
            and (found["please"] or _is_listing(found["asked"]))
        ):
            return _Request(
                _said(found),
                sentence.text[: found.start()],
                found.start(),
                found.end(),
                points=False,
                patterns=patterns,
            )
        start = max(0, len(bare) - _LONGEST_REQUEST)
        if found := patterns.ends.search(bare, start):
            if question and not _urged(patterns, found):
                continue
            return _Request(_said(found), "", found.start(), len(sentence.text), points=True, patterns=patterns)
    return None


def _said(found: "re.Match[str]") -> str:
    return found["please"] + found["asked"] + (found.groupdict().get("tail") or "")


def _has(lower: str, stems: Iterable[str]) -> bool:
    return any(stem in lower for stem in stems)


def _is_listing(asked: str) -> bool:
    """Return whether a request ends with a colon."""
    return asked.rstrip().endswith((":", "\uff1a"))


def _urged(patterns: _Patterns, found: "re.Match[str]") -> bool:
    """Return whether a question is a request: `could you remember this for me?`."""
    return bool(patterns.asks.match(found["please"]) and patterns.urges.search(found.group()))


def _content(said: str, parts: Sequence[Sentence], at: int, request: _Request) -> tuple[str, bool]:
    sentence = parts[at]
    if not request.points:
        if not _is_listing(request.asked):
            rest = sentence.text[request.ends :]
            listed = _listed(said, parts, at, sentence.end) if rest.rstrip().endswith((":", "\uff1a")) else ""
            return f"{rest}\n{listed}" if listed else rest, False
        return _listed(said, parts, at, sentence.start + request.ends), False
    begins = sentence.text[: request.begins].strip(_ENDS)
    if begins and not request.lead and not is_reaction(begins):
        return sentence.text[: request.begins], False
    if before := _stands_before(parts, at, request.patterns.refers):
        return before, False
    after = parts[at + 1] if at + 1 < len(parts) and at == 0 else None
    return (after.text, False) if after is not None and not is_question(after.bare) else ("", False)


def _listed(said: str, parts: Sequence[Sentence], at: int, start: int) -> str:
    """Return what follows a colon: its line, or else the paragraph after it."""
    following = next((part.start for part in parts[at + 1 :] if _request(part) is not None), len(said))
    line = said[start:following].partition("\n")[0]
    if line.strip():
        return line
    rest = [part for part in parts[at + 1 :] if part.paragraph == parts[at + 1].paragraph and part.start < following]
    return said[rest[0].start : rest[-1].end] if rest else ""


def _stands_before(parts: Sequence[Sentence], at: int, refers: "re.Pattern[str]") -> str:
    """Return the statement before a request, with those before it that it needs to be understood."""
    begin = at - 1
    while begin > 0 and at - begin < 3 and refers.match(parts[begin].bare):
        begin -= 1
    told = parts[max(begin, 0) : at]
    told = [one for one in told if not is_reaction(one.bare)]
    if not told or any(is_question(one.bare) for one in told) or _request(told[-1]) is not None:
        return ""
    return " ".join(one.text for one in told)


def _tidy(content: str) -> str:
    """Return a content without what only led to it, bounded."""
    bounded = content.rstrip(_ENDS).lstrip(" \t\n\r,;:")
    if len(bounded) > MOST_CHARACTERS:
        kept = [one.end for one in sentences(bounded) if one.end <= MOST_CHARACTERS]
        bounded = bounded[: kept[-1]] if kept else bounded[: MOST_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"
    bare = masked(bounded)
    return bounded.rstrip("?\uff1f ") if is_question(bare) else bounded
