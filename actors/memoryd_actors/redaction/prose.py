"""Secrets in sentences: `my password is ...`, `das Passwort lautet ...`, `... is the new API key`.

A sentence promises less than an assignment, so its value has to look like a secret: digits among letters, symbols
inside, quotes; a plain word counts only as the end of a sentence about somebody's own password.
"""

import re
from collections.abc import Iterator
from functools import partial

from memoryd_actors.redaction.finding import SecretFinding
from memoryd_actors.redaction.phrases import COMMON, SUBJECT
from memoryd_actors.redaction.spoken import ENDS, TALK, WEAK_SUBJECTS, looks_secret, value_at
from memoryd_actors.redaction.surroundings import SubjectContext

_AND = re.compile(r"\s{0,2}(?:,|/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bor:)\s{1,2}")
_PAIR = re.compile(
    r"(?:\s(?:for|to|on|of|für|pour|para)\s[^.\n:;!?/]{1,40}?:)?"
    r"\s{0,3}(?:with|as|are|is|mit|avec|con|:)?\s{0,3}[\w.@+-]{2,64}(?:\s{0,2}[/|]\s{0,2}|\s?:\s?)(?=\S)"
)
_WORDS = re.compile(r"(?:[a-zà-ÿ]{3,12}[ ,]{1,2}){3,23}[a-zà-ÿ]{3,12}(?![a-zà-ÿ])")
_GAP = re.compile(r"\s{1,3}[(\[]?(?=\S)")
_LOGINS = frozenset(
    {
        "credentials",
        "credential",
        "creds",
        "login",
        "logins",
        "zugangsdaten",
        "identifiants",
        "log in",
        "logged in",
        "sign in",
    }
)

_ENTERED = frozenset({"login", "logins", "log in", "logged in", "sign in"})
_ACCOUNT = re.compile(r"[a-z][a-z._-]{1,31}@[a-z][a-z0-9-]{1,62}")
"""As whom somebody enters, and where: `log in as demo@acme`."""


def find_prose(text: str, lowered: str) -> Iterator[SecretFinding]:
    """Yield secrets that sentences hand over. `lowered` is the text in lower case, of the same length."""
    done = previous = 0
    around = SubjectContext(text, lowered)
    for subject in SUBJECT.finditer(lowered):
        start = subject.start()
        if start < done:
            continue
        if around.silent(start, subject.end()):
            previous = start
            continue
        found = _about(around, subject) or _before(around, start, previous)
        previous = start
        for finding in found:
            done = max(done, finding.end)
            yield finding


def _about(around: SubjectContext, subject: re.Match[str]) -> list[SecretFinding]:
    """Return what is said of a subject behind it."""
    text, lowered = around.text, around.lowered
    word, end = subject.group(), subject.end()
    if word in _LOGINS:
        pair = _PAIR.match(text, end)
        span = value_at(text, pair.end(), word) if pair else None
        if span:
            return [SecretFinding("password", *span)]
    if "phrase" in word or word == "mnemonic":
        link = around.link(end)
        words = _WORDS.match(lowered, link) if link >= 0 else None
        if words and TALK.isdisjoint(re.split(r"[ ,]+", words.group())):
            return [SecretFinding("passphrase", *words.span())]
    span = _told(around, subject.start(), end, word) if around.leads_on(end) else None
    if span is None:
        near = around.drawn_after(end)
        return [SecretFinding("random-string", *near)] if near else []
    rule = "token" if any(weak in word for weak in WEAK_SUBJECTS) else "password"
    found = [SecretFinding(rule, *span)]
    for _ in range(5):
        joint = _AND.match(lowered, span[1])
        span = value_at(text, joint.end(), word) if joint else None
        if span is None:
            break
        found.append(SecretFinding(rule, *span))
    return found


def _told(around: SubjectContext, start: int, end: int, word: str) -> tuple[int, int] | None:
    """Return where the value is that a sentence gives a subject."""
    text = around.text
    common = COMMON.match(text, end) is not None
    at = -1 if common else around.link(end)
    span = value_at(text, at, word, partial(around.owned, start)) if at >= 0 else None
    if span is None:
        at = around.label(end)
        span = value_at(text, at, word) if at >= 0 else None
    if span is None and not common and word != "pass":
        gap = _GAP.match(text, end)
        span = value_at(text, gap.end(), word) if gap else None
    if span is not None and word in _ENTERED and _ACCOUNT.fullmatch(text[slice(*span)].rstrip(ENDS)):
        return None
    return span


def _before(around: SubjectContext, start: int, previous: int) -> list[SecretFinding]:
    """Return `hunter2` of `hunter2 is my password`; not from before the previous word of this kind."""
    span = around.reversed_value(start, previous)
    if span is None:
        return []
    value = around.text[slice(*span)].rstrip(ENDS)
    if looks_secret(value, "password", strict=True) and not value.isdigit():
        return [SecretFinding("password", span[0], span[0] + len(value))]
    return []
