"""Where a text shows code, in fences or in backticks: a tag in it is spoken of, and is none.

Narrower than Markdown, since what is taken for code by mistake would make a private text public: a fence that never
closes is none, backticks hold what is in one line, and a single one hugs what it holds: `` `so` ``, not `` 5` or 6` ``.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Where something begins and ends in a text."""

_FENCE = re.compile(r"[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})(.*)")
_TICKS = re.compile(r"`+")
_WORD = re.compile(r"\w", re.ASCII)


def code_spans(text: str) -> list[Span]:
    """Return where the code of a text is, in order, each with what opens and closes it; in linear time."""
    spans: list[Span] = []
    if "`" not in text and "~~~" not in text:
        return spans
    begun: tuple[int, str] | None = None
    within: list[Span] = []
    at = 0
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if begun is not None:
            if fence and fence[1].startswith(begun[1]) and not fence[2].strip():
                spans.append((begun[0], at + len(line)))
                begun, within = None, []
            else:
                within += _inline(line, at)
        elif fence:
            begun = at, fence[1]
        else:
            spans += _inline(line, at)
        at += len(line) + 1
    return spans + within


def is_within(spans: Sequence[Span], at: int) -> bool:
    """Return whether a place of a text is in one of the spans, which are in order."""
    before = bisect_right(spans, (at, len(spans) and spans[-1][1])) - 1
    return before >= 0 and at < spans[before][1]


def in_ticks(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text stands in backticks of its own."""
    return text[start - 1 : start] == "`" == text[end : end + 1]


def _inline(line: str, at: int) -> Iterator[Span]:
    """Yield the code between backticks of a line that begins at a place."""
    runs = [run.span() for run in _TICKS.finditer(line)]
    closing: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for place in reversed(range(len(runs))):
        length = runs[place][1] - runs[place][0]
        closing[place] = latest.get(length)
        latest[length] = place
    place = 0
    while place < len(runs):
        closes = closing[place]
        if closes is not None and _hugs(line, runs[place], runs[closes]):
            yield at + runs[place][0], at + runs[closes][1]
            place = closes
        place += 1


def _hugs(line: str, opens: Span, closes: Span) -> bool:
    if opens[1] - opens[0] > 1:
        return True
    if opens[0] and _WORD.match(line[opens[0] - 1]):
        return False
    return not line[opens[1]].isspace() and not line[closes[0] - 1].isspace()
