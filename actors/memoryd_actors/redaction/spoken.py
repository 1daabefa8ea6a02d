"""Whether a word of a sentence is the secret that the sentence hands over."""

import re
from collections.abc import Callable
from itertools import pairwise

from memoryd_actors.redaction.harmless import expression, identifier, measure, placeholder, reference
from memoryd_actors.redaction.phrases import NO_SECRETS
from memoryd_actors.redaction.traits import has_digit, has_letter

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
ENDS = ".,;:!?)]}'\"\u2019”»*"
_SYMBOLS = "!@#$%^&*+=?~|\\{}<>§€_"
_SYMBOL_SET = frozenset(_SYMBOLS)
_STRIPPED = _SYMBOLS + ENDS
_TECHNICAL = re.compile(
    r"(?:sha|md|utf|base|oauth|argon|bcrypt|pbkdf|http|ipv|tls|ssl|v|x|rs|hs|es|ed|aes|rsa|web|s|ec|k|log|gpt|claude|python|py|"
    r"node|vue|h)-?\d{1,5}\w{0,3}|\d+(?:st|nd|rd|th|x|fa|-\w+)|[a-z]+(?:[./-][a-z]+)+|\w+\(.*|\w+\.\w{1,5}|(?-i:[A-Z]+[A-Z_]*_?\d?)",
    re.IGNORECASE,
)
WEAK_SUBJECTS = ("token", "secret", "key", "credential", "creds", "login", "jeton", "clave")
TALK = frozenset(
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


def value_at(text: str, at: int, word: str, own: Callable[[], bool] | None = None) -> tuple[int, int] | None:
    """Return where the secret is that begins here, or None if what begins here is none.

    Strict, as where the sentence hardly says that it is one, without `own`. With it a plain word may be one, too, if
    `own` says that the sentence is about somebody's own password; it is asked last.
    """
    strict = own is None
    while text[at : at + 1] in {"(", "[", "<"}:
        at += 1
    closing = _QUOTES.get(text[at : at + 1])
    if closing:
        start = at + 1
        while text[start : start + 1] in {"*", "`", '"'}:
            start += 1
        end = text.find(closing, start, start + 130)
        if end - start >= 4 and "\n" not in text[start:end] and _quoted(text[start:end], word, own):
            return start, end
        at = start
    bare = _BARE.match(text, at)
    if bare is None:
        return None
    if text[at] == "{":
        return None
    value = bare.group().rstrip(ENDS)
    end = at + len(value)
    if looks_secret(value, word, strict=strict):
        return at, end
    if own is not None and _plain_secret(value, word) and _ends_sentence(text, end) and own():
        return at, end
    return None


def _quoted(value: str, word: str, own: Callable[[], bool] | None) -> bool:
    if looks_secret(value, word, strict=own is None):
        return True
    if own is None or placeholder(value) or reference(value, quoted=True) or identifier(value):
        return False
    words = value.lower().split()
    return len(words) <= 8 and (TALK if len(words) > 1 else NO_SECRETS).isdisjoint(words) and own()


def looks_secret(value: str, word: str, *, strict: bool) -> bool:
    """Return whether a word in a sentence looks like a secret; `strict` where the sentence hardly says so."""
    if value.isalpha() and (not value.isascii() or value[1:].islower()):
        return False  # as most words: none of what follows would see a secret in it
    if value.isdigit():
        shortest = 6 if strict and "pin" not in word else 4
        return shortest <= len(value) <= 12 and any(code in word for code in _CODES)
    if len(value) < (6 if strict else 4) or _names_something(value):
        return False
    if identifier(value):
        weak = any(each in word for each in WEAK_SUBJECTS)
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
    letters = has_letter(value)
    if letters and has_digit(value):
        return True
    inner = value.strip(_STRIPPED)
    if letters and not _SYMBOL_SET.isdisjoint(inner) and not inner.replace("_", "").isalpha():
        return True
    return len(value) >= 12 and inner.isalpha() and inner.isascii() and _shuffled(inner)


def _shuffled(value: str) -> bool:
    """Return whether upper and lower case alternate as no name does (JavaScript and GitHub change case twice)."""
    changes = sum(1 for left, right in pairwise(value) if left.isupper() != right.isupper())
    return changes * 3 >= len(value)


def _plain_secret(value: str, word: str) -> bool:
    if any(weak in word for weak in WEAK_SUBJECTS) or not 5 <= len(value) <= 32 or not value.isalpha():
        return False
    low = value.lower()
    return low not in NO_SECRETS and not low.endswith(("ed", "ing", "ly", "able", "ful")) and not placeholder(value)


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 3]
    return not rest.strip() or rest[0] == "\n" or (rest[0] in ".!,;)\"'”»" and (len(rest) == 1 or rest[1].isspace()))
