"""Long texts in passages that the embedding model reads whole."""

from collections.abc import Iterator

from memoryd_actors.texts.sentences import spans

LONGEST = 750
"""Bytes of a passage: about 200 tokens of prose, 250 of code and of other scripts, of the model's 256."""


def passages(text: str) -> list[tuple[int, int]]:
    """Return where each passage begins and ends: whole sentences, as many as fit; one that does not fit is cut.

    Together they are the whole text, but for white space between them.
    """
    found: list[tuple[int, int]] = []
    room = 0
    for start, end, size in _pieces(text):
        if found and size <= room:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
            room = LONGEST
        room -= size
    return found


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the sentences, or parts of them, none longer than a passage, each with its size in bytes."""
    for left, right in spans(text):
        start = left
        while start < right:
            end = start + len(text[start:right].encode(errors="replace")[:LONGEST].decode(errors="ignore"))
            if end < right and (gap := max(text.rfind(mark, start, end) for mark in " \n\t")) > start:
                end = gap
            yield start, end, len(text[start:end].encode(errors="replace"))
            start = end
