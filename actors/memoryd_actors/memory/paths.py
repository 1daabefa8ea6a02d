"""What a virtual path may be, and what an edit and a search within a file's lines find. Pure."""

import re
from collections.abc import Sequence

from memoryd_actors.core.errors import Refused
from memoryd_actors.texts.normal_form import normalized
from memoryd_client.wire.virtual_files import MAX_PATH_CHARACTERS, FileMatch

LONGEST_LINE = 1_000
"""Characters of a line that a pattern is tried on."""
_PART = re.compile(r"[\w][\w.+@ -]*")


_FOREIGN = re.compile(r"[^\w.+@ -]+")
_BEFORE = re.compile(r"^\W+|\s+$")


def as_part(name: str) -> str:
    """Return a name as a part of a path, without what may not stand in one; empty where nothing of it may."""
    return _BEFORE.sub("", _FOREIGN.sub("-", normalized("NFC", name)))


def plain(path: str) -> str:
    """Return a path as paths are compared: relative, without empty parts.

    Raises:
        Refused: it is none; the message says why.
    """
    parts = [part for part in normalized("NFC", path.strip()).split("/") if part]
    if not parts or not all(_PART.fullmatch(part) and part == part.strip() for part in parts):
        raise Refused(
            f"{path!r} is no path of a memory file",
            "It is relative, of parts of letters, digits and any of `._-+@ `: `notes/deploy.md`.",
        )
    found = "/".join(parts)
    if len(found) > MAX_PATH_CHARACTERS:
        raise Refused(f"a path may have {MAX_PATH_CHARACTERS} characters, and this has {len(found)}", "Shorten it.")
    return found


def to_write(path: str) -> str:
    """Return the path under which a file is written: not one that looks like a file's of the disk.

    Raises:
        Refused: it is absolute, or no path.
    """
    found = plain(path)
    if path.strip().startswith("/"):
        raise Refused(
            f"{path!r} is absolute, and memory files are no files of the disk", f"Memory's own would be {found!r}."
        )
    return found


def replaced(content: str, old: str, new: str, path: str) -> str:
    """Return a file's content with a passage replaced.

    Raises:
        Refused: it does not stand there exactly once.
    """
    if not old:
        raise Refused("the passage to be replaced is empty", "Give the exact text that stands there.")
    count = content.count(old)
    if count != 1:
        often = "does not stand" if count == 0 else f"stands {count} times"
        raise Refused(
            f"the passage {often} in {path}",
            "It has to match exactly, white space included, and once: give more of what is around it.",
        )
    return content.replace(old, new, 1)


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern that can be searched for.

    Raises:
        Refused: it is no regular expression.
    """
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as exc:
        raise Refused(f"{pattern!r} is no regular expression: {exc}", "Escape what is meant literally.") from exc


def matching(pattern: str, files: Sequence[tuple[str, str]], limit: int) -> list[FileMatch]:
    """Return the lines of files, each with its path, that a pattern matches; at most `limit`."""
    wanted = re.compile(pattern, re.IGNORECASE)
    found: list[FileMatch] = []
    for path, content in files:
        for number, line in enumerate(content.split("\n"), start=1):
            if wanted.search(line[:LONGEST_LINE]):
                found.append(FileMatch(path=path, line=number, text=line[:LONGEST_LINE]))
                if len(found) == limit:
                    return found
    return found
