"""Plain text, code and Markdown as sections. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt

from memoryd_actors.knowledge import DocumentSection, DocumentText

LONGEST_HEADING = 120
"""Characters."""
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+)\s*")
_WORD = re.compile(r"\w")
_NAME = re.compile(
    r"(?P<indent>[ \t]{0,80})(?:(?:export|default|public|private|protected|internal|static|abstract|final|async"
    r"|pub(?:\(\w+\))?|open|override|suspend|data|sealed|partial|unsafe|extern)\s+){0,6}"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|module|namespace|object|record|type|sub|proc)\b"
    r"\s*(?:\([^()\n]{0,80}\)\s*)?(?P<name>[A-Za-z_$][\w$.<>]{0,80})"
)
"""A line that begins a class or a function, in the languages that name them so."""


def plain(text: str) -> DocumentText:
    """Return a text that has no headings."""
    return DocumentText((DocumentSection("", _numbered(text.splitlines())),))


def code(text: str) -> DocumentText:
    """Return a program: each class and function is a section, beneath what it is indented in."""
    lines = text.splitlines()
    marks: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines):
        if match := _NAME.match(line):
            indent = len(match["indent"].expandtabs(4))
            marks.append((number, indent, match["name"]))
    return DocumentText(tuple(_sections(lines, marks, LONGEST_HEADING)))


def markdown(text: str) -> DocumentText:
    """Return a Markdown document by its headings; its first heading of the first level is its title."""
    lines = text.splitlines()
    end = _front_matter(lines)
    body = [""] * end + lines[end:]
    marks: list[tuple[int, int, str]] = []
    title = ""
    # What stands in the lines is of no interest: only where the blocks are.
    tokens = MarkdownIt("commonmark").disable("inline").parse("\n".join(body))
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.map is not None:
            level, name = int(token.tag[1:]), " ".join(inline.content.split())
            title = title or (name if level == 1 else "")
            marks.append((token.map[0], level, name))
    return DocumentText(tuple(_sections(body, marks, LONGEST_HEADING, title=title)), title=title[:LONGEST_HEADING])


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines of front matter a document begins with: a table of settings, no text."""
    if not lines or not _FRONT_MATTER.fullmatch(lines[0]):
        return 0
    fence = lines[0].rstrip()
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip() == fence), 0)


def _sections(
    lines: Sequence[str], marks: Sequence[tuple[int, int, str]], longest: int, title: str = ""
) -> Iterator[DocumentSection]:
    """Yield the lines between marks: where each begins, how deep it is, and its name. The title stands in no path."""
    first = marks[0][0] if marks else len(lines)
    if first:
        yield DocumentSection("", _numbered(lines[:first]))
    above: list[tuple[int, str]] = []
    for place, (begin, depth, name) in enumerate(marks):
        end = marks[place + 1][0] if place + 1 < len(marks) else len(lines)
        above = [*((level, known) for level, known in above if level < depth), (depth, name)]
        path = " > ".join(known[:longest] for _, known in above if known and known != title)
        deeper = place + 1 < len(marks) and marks[place + 1][1] > depth
        if deeper and not any(_WORD.search(line) for line in lines[begin + 1 : end]):
            continue  # a heading over nothing but further headings, which name it
        yield DocumentSection(path, _numbered(lines[begin:end], begin))


def _numbered(lines: Sequence[str], begin: int = 0) -> tuple[tuple[int, str], ...]:
    return tuple((number, line) for number, line in enumerate(lines, start=begin + 1))
