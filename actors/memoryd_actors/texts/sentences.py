"""The sentences of a message, where they stand, and what of them is only quoted."""

import re
from collections.abc import Iterator

import msgspec

from memoryd_actors.texts.languages import words_of

MOST_SENTENCES = 400
LONGEST_SENTENCE = 1_000
"""Characters of a sentence that are looked at."""
_GAP = re.compile(
    r"(?<=[.!?…])[\"')\]»”]?[^\S\n]+(?=\S)|(?<=[。！？])[」』”)\uff09]?[^\S\n]*(?=[^\s。！？」』”)\uff09])"
    # From the beginning of white space only: from each place in it, a long one would be read again.
    r"|(?<![^\S\n])[^\S\n]*\n\s*"
)
_QUESTION = ("?", "\uff1f", "\u061f")
_ABBREVIATIONS = words_of("words", "abbreviations")
_SHORTENED = words_of("words", "shortened")
_SHORTENED_ENDS = tuple(words_of("words", "shortened_ends"))
_SHORTENED_NAMES = words_of("words", "shortened_names")
_BEFORE_NUMBER = words_of("words", "before_number")
_BEFORE_ORDINAL = words_of("words", "before_ordinal")
_MONTHS = words_of("words", "dated")
_STARTS = words_of("words", "starts")
_STARTS_SMALL = words_of("words", "starts_small")
_LETTERS = re.compile(r"(?:[^\W\d_]\.){2,}")
_ORDINAL = re.compile(r"(?:\d{1,2}\.)?\d{1,3}\.")
_WORD = re.compile(r"[^\W\d_]*(?:['\u2019][^\W\d_]+)?")
_OPENING = "([{\"'\u201e\u201c\u201a\u2018\u00ab*_/\u2013\u2014-"
_LONGEST_LOOK = 40
"""Characters on each side of a full stop by which it is told whether a sentence ends there."""
_QUOTED = re.compile(
    r"\"[^\"\n]{1,500}\"|“[^”\n]{1,500}”|„[^“”\n]{1,500}[“”]|«[^»\n]{1,500}»|`[^`\n]{1,500}`|‘[^’\n]{1,500}’"
    r"|「[^」\n]{1,500}」|『[^』\n]{1,500}』"
    # Between single ones that are typed: not an apostrophe, and with apostrophes within words.
    r"|(?<!\w)'(?=[^\W_])(?:[^'\n]|(?<=\w)'(?=\w)){1,500}(?<=\S)'(?!\w)"
)


class Sentence(msgspec.Struct, frozen=True):
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
        if not line and _goes_on(bare[max(start, gap.start() - _LONGEST_LOOK) : gap.start()], bare, gap.end()):
            continue
        yield start, gap.end() if not line else gap.start(), paragraph
        start = gap.end()
        paragraph += gap.group().count("\n") > 1
    yield start, len(bare), paragraph


def _goes_on(before: str, bare: str, after: int) -> bool:
    """Return whether a sentence goes on after a full stop: that of an abbreviation, of initials, of an ordinal.

    Where both can be, it goes on unless the next word begins sentences: rather too much is kept than too little.
    """
    *earlier, last = before.split() or [""]
    last = last.lstrip(_OPENING)
    if not last.endswith(".") or last.endswith(".."):
        return False
    previous = earlier[-1].lstrip(_OPENING) if earlier else ""
    following = bare[after : after + _LONGEST_LOOK]
    folded, name = last[:-1].casefold(), found[0] if (found := _WORD.match(following)) else ""
    if folded in _ABBREVIATIONS or (
        len(previous) == len(last) == 2 and f"{previous}{folded}".casefold() in _ABBREVIATIONS
    ):
        return True
    if following[:1].isdigit():
        return folded in _BEFORE_NUMBER or _is_short(last, folded)
    begins = name.casefold() in (_STARTS_SMALL if name[:1].islower() else _STARTS)
    if _ORDINAL.fullmatch(last):
        is_date = name.casefold() in _MONTHS or previous.casefold() in _BEFORE_ORDINAL
        return bool(name) and is_date and not begins and [one.casefold() for one in earlier[-2:]] != ["i", "am"]
    return not begins and _is_short(last, folded)


def _is_short(last: str, folded: str) -> bool:
    """Return whether a word is written short, in a way that may stand at the end of a sentence, too."""
    if folded in _SHORTENED or folded.endswith(_SHORTENED_ENDS) or (folded in _SHORTENED_NAMES and last[0].isupper()):
        return True
    return (len(last) == 2 and last[0].isalpha()) or _LETTERS.fullmatch(last) is not None
