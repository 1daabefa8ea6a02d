"""Words by their stems, so that the forms of a word, and the parts of a name, are found as one."""

import re
from collections.abc import Iterable

from memoryd_actors.core.remembered import remembered
from memoryd_actors.texts.languages import words_of
from memoryd_actors.texts.words import STOP_WORDS

_WORD = re.compile(r"\w+(?:[./:@'\u2019-]\w+)*")
_PART = re.compile(r"[\W_]+")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_UNSPACED_FROM = "\u0e00"
"""From Thai on a single character may be a word."""
_LONGEST_QUESTION = 4_000
"""Characters of what is asked that are read."""
_LONGEST_TOLD = 1_000
"""Characters of a memory that are read, about what the embedding model sees of it: the evidence kept on BEAM's long
replies is within a point of reading 8,000, in a third of the time."""
_SUFFIXES = ("ings", "ing", "ies", "ied", "est", "ers", "ed", "er", "es", "ly", "s", "e")


def stems(text: str) -> dict[str, str]:
    """Return the stems of the words that carry meaning, each with the form that it first has in the text.

    Identifiers, file names and numbers count as words, whole and in their parts.
    """
    found: dict[str, str] = {}
    for match in _WORD.findall(text[:_LONGEST_QUESTION]):
        for form in _of_word(match):
            found.setdefault(form, match)
    return found


def every_stem(text: str, *, common: frozenset[str] = STOP_WORDS) -> list[str]:
    """Return the stems of the whole text, each as often as it is there, but for those of `common` words."""
    return [stem for word in _WORD.findall(text) for stem in _of_word(word, common)]


@remembered(512)
def stem_set(text: str) -> frozenset[str]:
    """Return the stems of a memory's words; what was read lately is still known."""
    # The forms are not needed here, so every distinct word is looked at once: half the time of `stems`.
    found: set[str] = set()
    for word in set(_WORD.findall(text[:_LONGEST_TOLD])):
        found.update(_of_word(word))
    return frozenset(found)


@remembered(32_768)
def _of_word(word: str, common: frozenset[str] = STOP_WORDS) -> tuple[str, ...]:
    """Return the stems under which a word is found: its own, and those of its parts; none for a common word."""
    lower = word.lower()
    if lower in common:
        return ()
    found: list[str] = []
    parts = [part for part in _PART.split(lower) if part]
    if len(parts) != 1 or parts[0] != lower:
        found.append(lower)
    for part in parts:
        runs = _IDEOGRAPHS.findall(part)
        # Scripts without spaces: every pair of neighbouring characters stands for a word.
        found += [run[at : at + 2] for run in runs for at in range(len(run) - 1)]
        if not runs and part not in common and (len(part) > 1 or part.isdigit() or part >= _UNSPACED_FROM):
            found.append(stem(part))
    return tuple(dict.fromkeys(found))


@remembered(32_768)
def stem(word: str) -> str:
    """Take English endings off, lightly: expires, expired, expiry and expiring meet, and numbers are left alone."""
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "y" else word


def alike(of: Iterable[str]) -> frozenset[str]:
    """Return stems, those of words that say the same of a person (live, reside; named, called) in one form."""
    return frozenset(map(one_form, of))


def one_form(of: str) -> str:
    """Return a stem, or the one that stands for all that say the same of a person."""
    return _ALIKE.get(of, of)


_ALIKE = {
    stem(word): words[0]
    for key in ("lives", "called", "suffers")
    for words in [sorted(words_of("personal", key))]
    for word in words
}
