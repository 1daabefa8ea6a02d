"""How answers are read: a JSON object, whatever a model puts around it. Nothing in it is believed unseen.

Everything waits while an answer is read, so what is looked at has a bound, whatever an answer is made of.
"""

import json
import math
import re
import sys
from contextlib import suppress
from typing import Annotated, Final, TypeVar

import msgspec

from memoryd_actors.model.question import Unusable
from memoryd_actors.texts.characters import without_controls

T = TypeVar("T")
_LARGEST: Final = sys.float_info.max
Finite = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
"""A number as a model gives it, also as text. Of such texts `nan` and `inf` are numbers elsewhere, and none here."""
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What JSON of somebody else can raise: broken, of another shape, not UTF-8, or nested without an end."""
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_LONGEST = 256 * 1024
"""Characters of an answer that are looked at, from its end: some ten times as many as are ever asked for."""
_MOST_TRIES = 40
"""Braces at which JSON is looked for and not found."""
_LONGEST_TRIES = 100_000
"""Characters that are read before it turns out that they are no JSON."""
_MOST_FOUND = 500
"""Pieces of JSON in one text: of `{}` there could be thousands."""
_MOST_ENTRIES = 1_000
"""Of a list that count: of everything that is asked for there are a few dozen at most."""
_STEERS = re.compile(r"[\x7f-\x9f]|\\u00[0189]|\\[bfr]", re.IGNORECASE)
"""What control characters look like in JSON, or the text of one that is escaped."""
_json = json.JSONDecoder()


def answers_in(text: str) -> list[str]:
    """Return what JSON there is in a text, the last first: before an answer come thoughts, prose and examples."""
    text = _THOUGHT.sub("", text[-_LONGEST:])
    ends = [found.end() for found in _THOUGHT_ENDS.finditer(text)]
    # Servers that take the opening tag away leave the closing one.
    return (_found_in(text[ends[-1] :]) if ends else []) or _found_in(text)


def _found_in(text: str) -> list[str]:
    found: list[str] = []
    at = tries = read = 0
    for brace in re.finditer(r"[{\[]", text):
        if brace.start() < at:
            continue  # within the one before
        try:
            value, at = _json.raw_decode(text, brace.start())
            answer = text[brace.start() : at]
            if _STEERS.search(answer):
                answer = json.dumps(_steady(value))
        except RecursionError:
            break
        except ValueError as exc:
            tries += 1
            # Without a position it is a number with more digits than Python takes.
            read += getattr(exc, "pos", len(text)) - brace.start()
            if tries == _MOST_TRIES or read > _LONGEST_TRIES:
                break
        else:
            found.append(answer)
            if len(found) == _MOST_FOUND:
                break
    return found[::-1]


def _steady(value: object) -> object:
    """Return what an answer says without what steers a terminal: no memory shall, nor anything else made of it."""
    match value:
        case str():
            return without_controls(value)
        case list():
            return [_steady(one) for one in value]
        case dict():
            return {without_controls(name): _steady(one) for name, one in value.items()}
        case float() if not math.isfinite(value):
            return None  # JSON has no such number
        case _:
            return value


def entries(text: str, name: str, kind: type[T]) -> list[T | None]:
    """Return the entries of the last list `name` in an answer, None for each that is malformed.

    A list that stands alone counts, too, where there is no other: models that get no schema leave its name out.

    Raises:
        Unusable: there is no such list.
    """
    for answer in sorted(answers_in(text), key=_stands_alone):
        with suppress(*UNREADABLE, KeyError):
            return [_entry(raw, kind) for raw in _list_in(answer, name)[:_MOST_ENTRIES]]
    raise Unusable(f"answered without {name}")


def _stands_alone(answer: str) -> bool:
    return answer.startswith("[")


def _list_in(answer: str, name: str) -> list[msgspec.Raw]:
    if _stands_alone(answer):
        # Of objects: `[1]` is a remark in prose.
        msgspec.json.decode(answer, type=list[dict[str, msgspec.Raw]])
        return msgspec.json.decode(answer, type=list[msgspec.Raw])
    named = msgspec.json.decode(answer, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(named[name], type=list[msgspec.Raw])


def whole(text: str, name: str, kind: type[T]) -> T:
    """Return the object that an answer is.

    Raises:
        Unusable: it is none, or has no `name`.
    """
    for answer in answers_in(text):
        with suppress(*UNREADABLE):
            return msgspec.json.decode(answer, type=kind, strict=False)
    raise Unusable(f"answered without {name}")


def in_line(text: str, longest: int) -> str:
    """Return what a model wrote in one line."""
    return " ".join(text.split())[:longest]


def _entry(raw: msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind, strict=False)
    except UNREADABLE:
        return None
