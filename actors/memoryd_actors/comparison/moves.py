"""Who moved from Leeds to Bristol does not live in Leeds; a project that was rewritten from Go to Rust is not in Go."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from memoryd_actors.comparison.languages import FRAMES, Compiled, compiled
from memoryd_actors.comparison.slots import words

_USER: Final = "@user"
_MOST_BESIDE: Final = 4
"""Words that a statement of how things are has beside who and what: `is written in`, `lives in the`."""


_FROM: Final = re.compile(r"\b(?:from|von|de|desde|d['\u2019])", re.IGNORECASE)


class Move(NamedTuple):
    """What a text says gave way to something."""

    who: str
    """In lower case; `@user` for the user, whoever he is spoken of."""
    old: str
    new: str


def left_behind(new: str, old: str) -> str:
    """Return what one of two texts says is left behind, where the other one has it that it is so still.

    Empty where neither does, as far as is known. In either order.
    """
    return _left(new, old) or _left(old, new)


def _left(told: str, claimed: str) -> str:
    move = moved(told)
    if move is None or moved(claimed) is not None:
        return ""
    language, (who, what, towards) = move
    given = [one.text for one in words(claimed)]
    rest = _without_subject(given, who, language)
    said = what.split()
    if rest is None or not language.words.past.isdisjoint(rest):
        return ""
    at = next((at for at in range(1, len(rest)) if rest[at : at + len(said)] == said), 0)
    # Where it is more than named, something else may be said of it: `visits Leeds every week`.
    behind = len(rest) - at - len(said)
    if not 1 <= at <= _MOST_BESIDE or behind > 1 or set(towards.split()) & set(rest):
        return ""
    return f"left {what}" if _is_state(rest[:at], language) else ""


def _is_state(verbs: list[str], language: Compiled) -> bool:
    """Return whether these are words by which something is where, or what, it is."""
    return language.stays.fullmatch(" ".join(verbs)) is not None


def _without_subject(given: list[str], who: str, language: Compiled) -> list[str] | None:
    """Return the words behind the subject, where that is the one who moved."""
    for length in range(min(4, len(given) - 1), -1, -1):
        subject = " ".join(given[:length])
        if subject == who or (who == _USER and subject in language.words.first_person):
            return given[length:]
    return None


@lru_cache(maxsize=2048)
def moved(text: str) -> tuple[Compiled, Move] | None:
    """Return what a text says gave way to something, and in which language; None where nothing did."""
    if not _FROM.search(text):
        return None
    said = " ".join(one.text for one in words(text))
    for language in map(compiled, FRAMES):
        if found := language.moved.match(said):
            who = found["who"].strip()
            user = who in language.words.first_person
            return language, Move(_USER if user else who, found["old"], found["new"])
    return None
