"""The sentences of a message, where they stand, and what of them is only quoted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryd_actors.texts.languages import pattern_of

MOST_SENTENCES = 400
LONGEST_SENTENCE = 1_000
"""Characters of a sentence that are looked at."""
_GAP = re.compile(
    r"(?<=[.!?…])[\"')\]»”]?[^\S\n]+(?=\S)|(?<=[。！？])[」』”)\uff09]?[^\S\n]*(?=[^\s。！？」』”)\uff09])"
    # From the beginning of white space only: from each place in it, a long one would be read again.
    r"|(?<![^\S\n])[^\S\n]*\n\s*"
)
_QUESTION = ("?", "\uff1f", "\u061f")
_ABBREVIATION = re.compile(rf"(?:\b{pattern_of('words', 'abbreviations')}|(?<![\w.])[A-Z])\.\Z", re.IGNORECASE)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,500}\"|“[^”\n]{1,500}”|„[^“”\n]{1,500}[“”]|«[^»\n]{1,500}»|`[^`\n]{1,500}`|‘[^’\n]{1,500}’"
    r"|「[^」\n]{1,500}」|『[^』\n]{1,500}』"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text, and where it stands there."""

    text: str
    bare: str
    """Of the same length, with what stands in quotation marks blotted out."""
    start: int
    end: int
    paragraph: int


def is_question(bare: str) -> bool:
    """Return whether a sentence ends with a question mark, of whatever script."""
    return bare.rstrip().endswith(_QUESTION)


def has_question(text: str) -> bool:
    """Return whether there is a question mark in a text, of whatever script."""
    return any(mark in text for mark in _QUESTION)


def masked(text: str) -> str:
    """Return the text with what stands in quotation marks or backticks blotted out, of the same length."""
    return _QUOTED.sub(lambda quoted: "_" * len(quoted.group()), text)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence begins and ends, with the white space behind it, however many they are."""
    return ((left, right) for left, right, _ in _spans(masked(text)))


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order, a line being at least one; at most `MOST_SENTENCES`."""
    bare = masked(text)
    found: list[Sentence] = []
    for left, right, paragraph in _spans(bare):
        cut = bare[left:right].strip()
        if cut:
            start = bare.index(cut, left)
            end = start + len(cut)
            found.append(Sentence(text[start:end], cut[:LONGEST_SENTENCE], start, end, paragraph))
        if len(found) == MOST_SENTENCES:
            break
    return found


def _spans(bare: str) -> Iterator[tuple[int, int, int]]:
    start = paragraph = 0
    for gap in _GAP.finditer(bare):
        line = "\n" in gap.group()
        if not line and _ABBREVIATION.search(bare, max(start, gap.start() - 8), gap.start()):
            continue
        yield start, gap.end() if not line else gap.start(), paragraph
        start = gap.end()
        paragraph += gap.group().count("\n") > 1
    yield start, len(bare), paragraph
