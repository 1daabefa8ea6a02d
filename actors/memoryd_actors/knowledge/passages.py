"""A document in passages that the embedding model reads whole, each with its heading and its lines. Pure."""

from collections.abc import Iterator

import msgspec

from memoryd_actors.knowledge.document_text import DocumentText

LONGEST = 900
"""Bytes of a passage: with its heading what the embedding model reads of 256 tokens, or a little more."""
_HALF = LONGEST // 2


class DocumentPassage(msgspec.Struct, frozen=True):
    """Lines of a document beneath one heading."""

    heading: str
    text: str
    first: int
    """The number of its first line, or page."""
    last: int


def passages_of(document: DocumentText) -> list[DocumentPassage]:
    """Return a document in passages, in order; empty lines between them are left out."""
    return [
        passage for section in document.sections for passage in _cut(section.heading, list(_fitting(section.lines)))
    ]


def _cut(heading: str, lines: list[tuple[int, str]]) -> Iterator[DocumentPassage]:
    """Cut lines where a paragraph ends in the second half of what fits, else where it is full."""
    start = size = 0
    paragraph = 0
    """Where the line after the last empty one is, of those in the second half."""
    at = 0
    while at < len(lines):
        size += _size(lines[at][1]) + 1
        if size > LONGEST and at > start:
            end = paragraph if paragraph > start else at
            yield from _passage(heading, lines[start:end])
            start = at = end
            size = paragraph = 0
            continue
        at += 1
        if not lines[at - 1][1].strip() and size > _HALF:
            paragraph = at
    yield from _passage(heading, lines[start:])


def _passage(heading: str, lines: list[tuple[int, str]]) -> Iterator[DocumentPassage]:
    said = [number for number, text in lines if text.strip()]
    if said:
        text = "\n".join(text for _, text in lines).strip("\n").rstrip()
        yield DocumentPassage(heading, text, said[0], said[-1])


def _fitting(lines: tuple[tuple[int, str], ...]) -> Iterator[tuple[int, str]]:
    """Yield lines none of which is longer than a passage: a paragraph in one line is cut between words."""
    for number, line in lines:
        start = 0
        # No character has less than a byte, so that what is looked at is bounded, however long the line.
        while _size(line[start : start + LONGEST + 1]) > LONGEST:
            head = line[start : start + LONGEST].encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
            end = max(head.rfind(mark) + len(mark) for mark in (". ", "? ", "! ", "; "))
            if end < _HALF // 2:
                end = head.rfind(" ") + 1
            end = end if end > 1 else len(head)
            yield number, line[start : start + end].rstrip()
            start += end
        yield number, line[start:]


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
