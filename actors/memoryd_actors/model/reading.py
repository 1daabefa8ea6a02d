"""How answers are read: a JSON object, whatever a model puts around it. Nothing in it is believed unseen."""

import json
import re
from typing import TypeVar

import msgspec

from memoryd_actors.model.question import Unusable

T = TypeVar("T")
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_MOST_STARTS = 20
"""Braces at which an object is looked for."""
_json = json.JSONDecoder()


def json_in(text: str) -> str:
    """Return the JSON in a text, without what a model thought before it, the prose and the code fence around it."""
    text = _THOUGHT.sub("", text)
    ends = [found.end() for found in _THOUGHT_ENDS.finditer(text)]
    # Servers that take the opening tag away leave the closing one.
    parts = [text[ends[-1] :], text] if ends else [text]
    for part in parts:
        if found := _object_in(part):
            return found
    return ""


def _object_in(text: str) -> str:
    starts = [found.start() for found in re.finditer(r"[{\[]", text)][:_MOST_STARTS]
    best = ""
    at = 0
    for start in starts:
        if start < at:
            continue  # within the one before
        try:
            _, end = _json.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        at = end
        best = max(best, text[start:end], key=len)
    return best


def entries(text: str, name: str, kind: type[T]) -> list[T | None]:
    """Return the entries of the list `name` in an answer, None for each that is malformed.

    A list that stands alone counts, too: models that get no schema leave its name out.

    Raises:
        Unusable: there is no such list.
    """
    found = json_in(text)
    try:
        # Numbers as texts and texts for flags mean what they say.
        raw: list[msgspec.Raw] = (
            msgspec.json.decode(found, type=list[msgspec.Raw])
            if found.startswith("[")
            else msgspec.json.decode(
                msgspec.json.decode(found, type=dict[str, msgspec.Raw])[name], type=list[msgspec.Raw]
            )
        )
    except (msgspec.DecodeError, KeyError) as exc:
        raise Unusable(f"answered without {name}") from exc
    return [_entry(one, kind) for one in raw]


def whole(text: str, name: str, kind: type[T]) -> T:
    """Return the object that an answer is.

    Raises:
        Unusable: it is none, or has no `name`.
    """
    try:
        return msgspec.json.decode(json_in(text), type=kind, strict=False)
    except msgspec.DecodeError as exc:
        raise Unusable(f"answered without {name}") from exc


def in_line(text: str, longest: int) -> str:
    """Return what a model wrote in one line."""
    return " ".join(text.split())[:longest]


def _entry(raw: msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind, strict=False)
    except msgspec.DecodeError:
        return None
