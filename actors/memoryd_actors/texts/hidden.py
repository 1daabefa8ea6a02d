"""Blocks that are not meant to be kept: private ones, memory that memoryd itself injected, what tools and agents add.

A tag that stands in code, in backticks or in a fence, is only spoken of, and is none. What is code is never told from
what other blocks hold: a fence in recalled memory opens nothing around it.

Every function takes a text of any length in linear time and returns one that holds no such block: taking one away can
put the pieces of another together, so it goes on until nothing changes.
"""

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

import msgspec

from memoryd_actors.texts.fence import TAG
from memoryd_client.code_spans import Span, code_spans, in_ticks, is_within

PRIVATE = "private"
_NOISE = ("system-reminder", "system_reminder", "local-command-stdout", "command-name", "tool_result")
# No `<` within a tag: otherwise a text of nothing but openings takes quadratic time.
# ASCII: to `re` the long s is an s, too, and no name of ours.
_TAGS = re.compile(rf"<(/?)({'|'.join((PRIVATE, TAG, *_NOISE))})(?![\w.:-])[^<>]*(>|\Z)", re.IGNORECASE | re.ASCII)

# A word of its own: `a#skip`, "#skip" and #skip-link are something else, or only speak of it.
_SKIP = re.compile(r"(?<!\S)#skip(?![\w`\"'-]|\s*\{)", re.IGNORECASE)

MOST_ROUNDS = 16
"""Two are the rule: one that strips, one that finds nothing. A text that still changes after these was made to hide
something, and nothing of it is kept."""
_INDENT = 8
"""Characters of white space that may stand before a block at the beginning of a line."""


class _Blocks(msgspec.Struct):
    """Where the blocks of one text are, and what belongs to none."""

    spans: list[Span]
    unclosed: list[tuple[str, int]]
    """Opening tags without a closing one: name and start."""
    unopened: list[tuple[str, int]]
    """Closing tags without an opening one: name and end."""


class UnbalancedPrivate(ValueError):
    """Raised when a private block has one end only: nobody can tell what was meant to stay private."""

    def __init__(self, text: str, at: int, *, opens: bool) -> None:
        number = text.count("\n", 0, at) + 1
        what = "a `<private>` that no `</private>` closes" if opens else "a `</private>` with no `<private>` before it"
        super().__init__(f"line {number} has {what}")
        self.hint = (
            f"{'Close it' if opens else 'Put `<private>` where the private part begins'}; where the tag is only spoken "
            "of, put it in backticks."
        )


def is_skipped(text: str) -> bool:
    """Return whether a text bears the tag `#skip`: its writer does not want it remembered."""
    return _SKIP.search(text) is not None


def hidden_names(text: str) -> tuple[str, ...]:
    """Return which kinds of hidden blocks a text has, in order."""
    return tuple(dict.fromkeys(tag.group(2).lower() for tag in _tags(text)))


def strip_hidden(text: str) -> str:
    """Return what was said in a conversation, without private blocks, recalled memory, reminders and tool output.

    A private or recalled block that never closes reaches to the end; one that never opens began before the text did.
    Of the other blocks one that never closes counts only at the beginning of a line: within a sentence it is a name.
    """
    for _ in range(MOST_ROUNDS):
        blocks = _blocks(text)
        spans = blocks.spans
        for name, start in blocks.unclosed:
            if name in {PRIVATE, TAG} or _begins_line(text, start):
                spans.append((start, len(text)))
                break  # the first one reaches over all that follow
        spans += [(0, end) for name, end in blocks.unopened if name in {PRIVATE, TAG}][-1:]
        if not spans:
            return text
        text = _without(text, spans)
    return ""


def strip_unkept(text: str) -> str:
    """Return what was said as it was, but for private blocks and recalled memory, however they are cut off."""
    for _ in range(MOST_ROUNDS):
        blocks = _blocks(text, (PRIVATE, TAG))
        spans = blocks.spans + [(start, len(text)) for _, start in blocks.unclosed][:1]
        spans += [(0, end) for _, end in blocks.unopened][-1:]
        if not spans:
            return text
        text = _without(text, spans)
    return ""


def strip_private(text: str, *, numbered: bool = False) -> str:
    """Return what somebody stores explicitly as it was given, but for private blocks and recalled memory.

    Where its lines are `numbered`, those that a block took stay, empty.

    Raises:
        UnbalancedPrivate: a private block never closes, or never began.
    """
    for _ in range(MOST_ROUNDS):
        blocks = _blocks(text, (PRIVATE, TAG))
        for ends, opens in ((blocks.unopened, False), (blocks.unclosed, True)):
            for at in (at for name, at in ends if name == PRIVATE):
                raise UnbalancedPrivate(text, at, opens=opens)
        if not blocks.spans:
            return text
        text = _without(text, blocks.spans, _line_breaks if numbered else None)
    return ""


def mentioned(text: str) -> str:
    """Return a piece of a text that was stripped: a tag that lost its backticks when it was cut out is none still."""
    done = 0
    pieces: list[str] = []
    for tag in _tags(text):
        if tag.group(2).lower() == PRIVATE:
            pieces += [text[done : tag.start()], "&lt;"]
            done = tag.start() + 1
    return "".join([*pieces, text[done:]])


def _tags(text: str) -> list[re.Match[str]]:
    """Return the tags of a text, without those that are only spoken of."""
    if "<" not in text:
        return []
    found = [
        tag
        for tag in _TAGS.finditer(text)
        if tag.group(2).lower() == PRIVATE or not in_ticks(text, tag.start(), tag.end())
    ]
    private = [tag for tag in found if tag.group(2).lower() == PRIVATE]
    if not private or ("`" not in text and "~~~" not in text):
        return found
    others = _paired((tag for tag in found if tag.group(2).lower() != PRIVATE), (TAG, *_NOISE), text)
    code = code_spans(_without(text, others.spans, _blanks))
    return [tag for tag in found if tag.group(2).lower() != PRIVATE or not is_within(code, tag.start())]


def _blocks(text: str, names: tuple[str, ...] = (PRIVATE, TAG, *_NOISE)) -> _Blocks:
    """Pair the tags of each name by depth."""
    return _paired(_tags(text), names, text)


def _paired(tags: Iterable[re.Match[str]], names: tuple[str, ...], text: str) -> _Blocks:
    found = _Blocks([], [], [])
    open_tags: dict[str, list[int]] = {name: [] for name in names}
    for tag in tags:
        slash, name, end = tag.group(1), tag.group(2).lower(), tag.group(3)
        if name not in open_tags or (name != PRIVATE and not end):
            continue
        starts = open_tags[name]
        if slash and starts:
            found.spans.append((starts.pop(), tag.end()))
        elif slash:
            found.unopened.append((name, tag.end()))
        elif text[tag.end() - 2] == "/" and end:
            found.spans.append(tag.span())
        else:
            starts.append(tag.start())
    found.unclosed = sorted(
        ((name, start) for name, starts in open_tags.items() for start in starts), key=lambda each: each[1]
    )
    return found


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - _INDENT - 1) : at].rstrip(" \t")
    return before.endswith(("\n", "\r")) or (not before and at <= _INDENT)


def _without(text: str, spans: list[Span], instead: Callable[[str], str] | None = None) -> str:
    """Return the text without some spans, or with something `instead` of each."""
    edges = [(0, 0)]
    for start, end in sorted(spans):
        if start > edges[-1][1]:
            edges.append((start, end))
        else:
            edges[-1] = (edges[-1][0], max(edges[-1][1], end))
    pieces: list[str] = []
    for (begin, end), (start, _) in pairwise([*edges, (len(text), len(text))]):
        if instead is not None:
            pieces.append(instead(text[begin:end]))
        pieces.append(text[end:start])
    return "".join(pieces)


def _blanks(gone: str) -> str:
    return " " * len(gone)


def _line_breaks(gone: str) -> str:
    return "\n" * gone.count("\n")
