"""Secrets in sentences: `my password is ...`, `das Passwort lautet ...`, `... is the new API key`.

A sentence promises less than an assignment, so its value has to look like a secret: digits among letters, symbols
inside, quotes; a plain word counts only as the end of a sentence about somebody's own password.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from memoryd_actors.redaction.finding import Finding
from memoryd_actors.redaction.harmless import entropy, expression, identifier, measure, placeholder, reference
from memoryd_actors.redaction.phrases import (
    ARTICLES,
    FOREIGN_STEMS,
    LABEL,
    LINK,
    NO_SECRETS,
    POSSESSIVE,
    REVERSED,
    STEMS,
    SUBJECT,
)

_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "„": "“",
    "«": "»",
    "\u2018": "\u2019",
    "»": "«",
    "「": "」",
    "『": "』",
    "*": "*",
}
_BARE = re.compile(
    '[^\\s"“”„«»\u2018`\u3000-\u303f\uff01\uff0c\uff1a\uff1b\uff1f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,256}'
)
_AND = re.compile(r"\s{0,2}(?:,|/|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bor:)\s{1,2}")
_PAIR = re.compile(
    r"(?:\s(?:for|to|on|of|für|pour|para)\s[^.\n:;!?/]{1,40}?:)?"
    r"\s{0,3}(?:with|as|are|is|mit|avec|con|:)?\s{0,3}[\w.@+-]{2,64}(?:\s{0,2}[/|]\s{0,2}|\s?:\s?)(?=\S)"
)
_WORDS = re.compile(r"(?:[a-zà-ÿ]{3,12}[ ,]{1,2}){3,23}[a-zà-ÿ]{3,12}(?![a-zà-ÿ])")
_GAP = re.compile(r"\s{1,3}[(\[]?(?=\S)")
_RANDOM = re.compile(r"(?<![\w/.\-])[A-Za-z0-9_+/\-]{20,256}={0,2}(?![\w/.\-])")
_NEAR = 100
_FURTHEST_COLON = 1 + 60 + 4 + 1
"""Characters from the subject that `LABEL` spans up to its colon."""
_ENDS = ".,;:!?)]}'\"\u2019”»*"
_SYMBOLS = "!@#$%^&*+=?~|\\{}<>§€_"
_STRIPPED = _SYMBOLS + _ENDS
_TECHNICAL = re.compile(
    r"(?:sha|md|utf|base|oauth|argon|bcrypt|pbkdf|http|ipv|tls|ssl|v|x|rs|hs|es|ed|aes|rsa|web|s|ec|k|log|gpt|claude|python|py|"
    r"node|vue|h)-?\d{1,5}\w{0,3}|\d+(?:st|nd|rd|th|x|fa|-\w+)|[a-z]+(?:[./-][a-z]+)+|\w+\(.*|\w+\.\w{1,5}|(?-i:[A-Z]+[A-Z_]*_?\d?)",
    re.IGNORECASE,
)
_WEAK_SUBJECTS = ("token", "secret", "key", "credential", "creds", "login", "jeton", "clave")
_TALK = frozenset(
    {
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "to",
        "with",
        "your",
        "stored",
        "saved",
        "my",
        "for",
        "when",
        "must",
        "should",
    }
    | {"of", "on", "it", "in", "that", "this", "password", "token", "too", "not", "invalid", "incorrect"}
)
"""Words that show that a phrase is about a secret and not one."""
_CODES = (
    "pin",
    "code",
    "zahl",
    "番号",
    "비밀번호",
    "암호",
    "pass",
    "pwd",
    "kennwort",
    "密码",
    "clave",
    "contra",
    "senha",
)


class _Runs:
    """Where long words of letters, digits and signs are; looked for once, however many sentences ask."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] | None = None

    def after(self, at: int) -> tuple[int, int] | None:
        """Return the first one that begins at or behind a place, a few words further on at most, in the same line."""
        if self._spans is None:
            self._spans = [run.span() for run in _RANDOM.finditer(self._text)]
        number = bisect_left(self._spans, (at, 0))
        if number == len(self._spans) or self._spans[number][0] > at + _NEAR:
            return None
        start, end = self._spans[number]
        return None if "\n" in self._text[at:start] else (start, end)


def find_prose(text: str, lowered: str) -> Iterator[Finding]:
    """Yield secrets that sentences hand over. `lowered` is the text in lower case, of the same length."""
    done = previous = 0
    runs = _Runs(text)
    foreign = not lowered.isascii() and any(stem in lowered for stem in FOREIGN_STEMS)
    for subject in SUBJECT.finditer(lowered) if foreign else _ascii_subjects(lowered):
        if subject.start() < done:
            continue
        found = list(_about(text, lowered, subject, runs)) or list(_before(text, lowered, subject.start(), previous))
        previous = subject.start()
        for finding in found:
            done = max(done, finding.end)
            yield finding


def _ascii_subjects(lowered: str) -> Iterator[re.Match[str]]:
    """Yield what `SUBJECT.finditer` would, five times as fast: `str.find` leads to the words worth a look."""
    places: set[int] = set()
    for stem in STEMS:
        at = lowered.find(stem)
        while at >= 0:
            word = _word_start(lowered, at + (stem[0] == " "))
            if word >= 0:
                places.add(word)
                if word and lowered[word - 1] in " -":
                    places.add(_word_start(lowered, word - 1))
            at = lowered.find(stem, at + len(stem))
    done = 0
    for place in sorted(places):
        subject = SUBJECT.match(lowered, place) if place >= done else None
        if subject:
            done = subject.end()
            yield subject


def _word_start(lowered: str, at: int) -> int:
    """Return where the word begins that `at` is in or right behind; -1 if further away than such words are long."""
    floor = max(-1, at - 24)
    start = at
    while start > floor and start and lowered[start - 1].isalnum():
        start -= 1
    return start if start > floor or start == 0 else -1


def _about(text: str, lowered: str, subject: re.Match[str], runs: _Runs) -> Iterator[Finding]:
    word, end = subject.group(), subject.end()
    if word in {
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
    }:
        pair = _PAIR.match(text, end)
        span = _value(text, pair.end(), word, own=False, strict=True) if pair else None
        if span:
            yield Finding("password", *span)
            return
    if "phrase" in word or word == "mnemonic":
        link = LINK.match(lowered, end)
        words = _WORDS.match(lowered, link.end()) if link else None
        if words and _TALK.isdisjoint(re.split(r"[ ,]+", words.group())):
            yield Finding("passphrase", *words.span())
            return
    link = LINK.match(lowered, end)
    span = None
    if link:
        own = POSSESSIVE.search(lowered, max(0, subject.start() - 40), subject.start()) is not None
        span = _value(text, link.end(), word, own=own, strict=False)
    if span is None:
        # Looked for first: the pattern tries every length of what may stand before the colon.
        colon = any(lowered.find(sign, end, end + _FURTHEST_COLON) >= 0 for sign in (":", "\uff1a"))
        label = LABEL.match(lowered, end) if colon else None
        span = _value(text, label.end(), word, own=False, strict=True) if label else None
    if span is None:
        gap = _GAP.match(lowered, end) if word != "pass" else None
        span = _value(text, gap.end(), word, own=False, strict=True) if gap else None
    if span is None:
        yield from _near(text, end, runs)
        return
    yield Finding(_rule(word), *span)
    for _ in range(5):
        joint = _AND.match(lowered, span[1])
        span = _value(text, joint.end(), word, own=False, strict=True) if joint else None
        if span is None:
            return
        yield Finding(_rule(word), *span)


def _rule(word: str) -> str:
    return "token" if any(weak in word for weak in _WEAK_SUBJECTS) else "password"


def _value(text: str, at: int, word: str, *, own: bool, strict: bool) -> tuple[int, int] | None:
    """Return where the value is that begins here, or None if what begins here is none."""
    while text[at : at + 1] in {"(", "[", "<"}:
        at += 1
    closing = _QUOTES.get(text[at : at + 1])
    if closing:
        start = at + 1
        while text[start : start + 1] in {"*", "`", '"'}:
            start += 1
        end = text.find(closing, start, start + 130)
        if (
            end - start >= 4
            and "\n" not in text[start:end]
            and _quoted(text[start:end], own=own, strict=strict, word=word)
        ):
            return start, end
        at = start
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    end = bare.end()
    if text[at] == "{":
        return None
    while end > at and text[end - 1] in _ENDS:
        end -= 1
    value = text[at:end]
    if _looks_secret(value, word, strict=strict):
        return at, end
    if own and not strict and _plain_secret(value, word) and _ends_sentence(text, end):
        return at, end
    return None


def _quoted(value: str, *, own: bool, strict: bool, word: str) -> bool:
    if placeholder(value) or reference(value, quoted=True) or identifier(value):
        return _looks_secret(value, word, strict=strict)
    if _looks_secret(value, word, strict=strict):
        return True
    words = value.lower().split()
    return not strict and own and len(words) <= 8 and (_TALK if len(words) > 1 else NO_SECRETS).isdisjoint(words)


def _looks_secret(value: str, word: str, *, strict: bool) -> bool:
    """Return whether a word in a sentence looks like a secret; `strict` where the sentence hardly says so."""
    if value.isascii() and value.isalpha() and value[1:].islower():
        return False  # as most words: none of what follows would see a secret in it
    if value.isdigit():
        shortest = 6 if strict and "pin" not in word else 4
        return shortest <= len(value) <= 12 and any(code in word for code in _CODES)
    if len(value) < (6 if strict else 4) or _names_something(value):
        return False
    if identifier(value):
        weak = any(each in word for each in _WEAK_SUBJECTS)
        return not value.isalpha() and len(value) >= (16 if weak else 7) and not (weak and strict)
    return not _TECHNICAL.fullmatch(value) and _mixed(value)


def _names_something(value: str) -> bool:
    return (
        placeholder(value)
        or reference(value, quoted=True)
        or measure(value)
        or expression(value)
        or value.startswith(("http", "www.", "--", "@", "#", "/"))
    )


def _mixed(value: str) -> bool:
    letters = any(char.isalpha() for char in value)
    if letters and any(char.isdigit() for char in value):
        return True
    inner = value.strip(_STRIPPED)
    if letters and any(char in _SYMBOLS for char in inner) and not inner.replace("_", "").isalpha():
        return True
    return len(value) >= 12 and inner.isalpha() and inner.isascii() and _shuffled(inner)


def _shuffled(value: str) -> bool:
    """Return whether upper and lower case alternate as no name does (JavaScript and GitHub change case twice)."""
    changes = sum(1 for left, right in pairwise(value) if left.isupper() != right.isupper())
    return changes * 3 >= len(value)


def _plain_secret(value: str, word: str) -> bool:
    if any(weak in word for weak in _WEAK_SUBJECTS) or not 5 <= len(value) <= 32 or not value.isalpha():
        return False
    low = value.lower()
    return low not in NO_SECRETS and not low.endswith(("ed", "ing", "ly", "able", "ful")) and not placeholder(value)


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 3]
    return not rest.strip() or rest[0] == "\n" or (rest[0] in ".!,;)\"'”»" and (len(rest) == 1 or rest[1].isspace()))


def _before(text: str, lowered: str, start: int, previous: int) -> Iterator[Finding]:
    """Yield `hunter2` of `hunter2 is my password`; not from before the previous word of this kind."""
    close = lowered[max(previous, start - 64) : start]
    if not any(article in close for article in ARTICLES):
        return
    window = max(previous, start - 140)
    found = REVERSED.search(lowered, window, start)
    if found is None:
        return
    begin, end = found.span(1)
    while end > begin and text[end - 1] in _ENDS:
        end -= 1
    if _looks_secret(text[begin:end], "password", strict=True) and not text[begin:end].isdigit():
        yield Finding("password", begin, end)


def _near(text: str, at: int, runs: _Runs) -> Iterator[Finding]:
    """Yield a random string a few words further on in the same line."""
    found = runs.after(at)
    if found is None:
        return
    value = text[found[0] : found[1]]
    varied = (
        sum(char.isdigit() for char in value) >= 3
        and any(char.islower() for char in value)
        and any(char.isupper() for char in value)
    )
    if varied and entropy(value) >= 3.5 and value.count("/") < 3 and not identifier(value) and not placeholder(value):
        yield Finding("random-string", *found)
