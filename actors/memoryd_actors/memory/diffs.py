"""A unified diff, applied to a text. Pure.

A model counts lines badly: what a hunk takes away and keeps has to stand in the text exactly, where the hunk says or
else in one other place.
"""

import re
from collections.abc import Sequence

import msgspec

from memoryd_actors.core.errors import Refused

_HUNK = re.compile(r"@@(?:\s-(?P<begin>\d{1,9})(?:,\d{1,9})?\s\+\d{1,9}(?:,\d{1,9})?\s@@.*)?\s*")
_NAMED = re.compile(r"(?:---|\+\+\+) ([^\t\r\n]+)")
_NO_NEWLINE = "\\"
MOST_HUNKS = 300
"""Each may have to be looked for in the whole text: 300 in one of 1 MB take a second."""


class _Hunk(msgspec.Struct):
    begin: int
    """The line at which it says that it begins, from 1; 0: it does not say."""
    old: list[str] = msgspec.field(default_factory=list[str])
    new: list[str] = msgspec.field(default_factory=list[str])


def patched(content: str, diff: str, path: str) -> str:
    """Return a text as a unified diff changes it; line ends stay as the text has them.

    Raises:
        Refused: it is no diff, or one of another file, or a hunk does not fit; the message says which.
    """
    if other := _headed_for_another(diff, path):
        raise Refused(f"the diff is headed for {other}, not for {path}", f"Give the diff of {path}, or edit {other}.")
    hunks = _hunks(diff)
    if not hunks:
        raise Refused(
            "this is no unified diff: it has no line that begins with @@",
            "Give hunks as `diff -u` writes them, or `old` and `new`.",
        )
    if len(hunks) > MOST_HUNKS:
        raise Refused(f"the diff has {len(hunks)} hunks and may have {MOST_HUNKS}", "Write the whole file instead.")
    lines = content.split("\n")
    done: list[str] = []
    at = 0
    for number, hunk in enumerate(hunks, start=1):
        place = _place(lines, hunk, at)
        if place is None:
            raise Refused(
                f"hunk {number} of {len(hunks)} does not fit {path}: what it keeps and takes away does not stand there "
                "once",
                "Read the file again, and give lines exactly as they stand in it, with more around them.",
            )
        done += [*lines[at:place], *hunk.new]
        at = place + len(hunk.old)
    return "\n".join([*done, *lines[at:]])


def _headed_for_another(diff: str, path: str) -> str:
    """Return the file that a diff names before its first hunk; empty where it names none, or this one.

    A path may be told from further up or further down. `before`, `/dev/null` and what is quoted name no file.
    """
    other = ""
    wanted = path.strip("/").split("/")
    for line in diff.split("\n"):
        if _HUNK.fullmatch(line):
            break
        said = found[1].strip() if (found := _NAMED.match(line)) else ""
        if said == "/dev/null" or said.startswith('"') or not {"/", "."} & set(said):
            continue
        named = said.removeprefix("a/").removeprefix("b/").strip("/").split("/")
        both = min(len(named), len(wanted))
        if named[-both:] == wanted[-both:]:
            return ""
        other = "/".join(named)
    return other


def _hunks(diff: str) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    for line in diff.removesuffix("\n").split("\n"):
        if match := _HUNK.fullmatch(line):
            hunks.append(_Hunk(int(match["begin"] or 0)))
        elif not hunks or line.startswith(_NO_NEWLINE):
            continue  # the names of the files, before the first hunk
        elif line.startswith("-"):
            hunks[-1].old.append(line[1:])
        elif line.startswith("+"):
            hunks[-1].new.append(line[1:])
        else:
            # An empty line of context often loses its blank.
            hunks[-1].old.append(line[1:])
            hunks[-1].new.append(line[1:])
    return hunks


def _place(lines: Sequence[str], hunk: _Hunk, after: int) -> int | None:
    """Return the index at which a hunk applies; None where it fits nowhere, or in several places."""
    size = len(hunk.old)
    stated = max(hunk.begin - 1, 0) if size else hunk.begin
    if hunk.begin and after <= stated <= len(lines) and list(lines[stated : stated + size]) == hunk.old:
        return stated
    if not size:
        return None  # it says nothing of what stands around it
    # As text, of which the time is linear: a file may have a hundred thousand lines that are the same.
    rest, wanted = "\n".join(["", *lines[after:], ""]), "\n".join(["", *hunk.old, ""])
    at = rest.find(wanted)
    if at < 0 or rest.find(wanted, at + 1) >= 0:
        return None
    return after + rest.count("\n", 0, at)
