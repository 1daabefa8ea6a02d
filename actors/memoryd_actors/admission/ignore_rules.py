"""Which files a `.gitignore` leaves out, as gitignore(5) says.

Written for rules that nobody has checked, from a repository somebody cloned: time is bounded by pattern times path.
A glob of one name becomes an expression without backtracking (`fnmatch.translate`); `**` is walked name by name.
"""

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

MOST_RULES = 2_000
"""Lines of one file that are read."""
_LONGEST_PATTERN = 500
_ANY_DEPTH = "**"


class Rule(msgspec.Struct, frozen=True):
    """One line: what it matches, and whether it ignores or takes back."""

    names: tuple[str, ...]
    """The pattern, name by name; `**` stands for any number of names."""
    ignores: bool
    folders_only: bool


def parse(text: str) -> tuple[Rule, ...]:
    """Return the rules of an ignore file."""
    rules = (_rule(line) for line in text.splitlines()[:MOST_RULES])
    return tuple(rule for rule in rules if rule)


def _rule(line: str) -> Rule | None:
    if not line or line.startswith("#") or len(line) > _LONGEST_PATTERN:
        return None
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = "/" in pattern
    names = tuple(name for name in pattern.removeprefix("/").split("/"))
    if not pattern.strip("/") or "" in names:
        return None
    return Rule(names if anchored else (_ANY_DEPTH, *names), ignores, folders_only)


def verdict(rules: Iterable[Rule], names: tuple[str, ...], *, is_folder: bool) -> bool | None:
    """Return whether a path below the rules' folder is ignored; None where no rule speaks of it. The last rule wins."""
    said: bool | None = None
    for rule in rules:
        if rule.ignores is not said and (is_folder or not rule.folders_only) and _matches(rule.names, names):
            said = rule.ignores
    return said


def _matches(pattern: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Walk the pattern over the names; `reached` holds how many names the pattern so far may have taken."""
    reached = {0}
    for number, part in enumerate(pattern):
        if part == _ANY_DEPTH:
            first = min(reached)
            # At the end it stands for what is inside, so for one name at least.
            reached = set(range(first + (number == len(pattern) - 1), len(names) + 1))
        else:
            one = _glob(part)
            reached = {at + 1 for at in reached if at < len(names) and one.fullmatch(names[at])}
        if not reached:
            return False
    return len(names) in reached


@lru_cache(maxsize=4_096)
def _glob(pattern: str) -> re.Pattern[str]:
    """Return the expression for one name. `fnmatch` knows `*`, `?` and `[...]`; git also `[^...]` and backslashes."""
    parts: list[str] = []
    at = 0
    inside = False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern) and not inside:
            at += 1
            parts.append(f"[{pattern[at]}]" if pattern[at] in "*?[" else pattern[at])
        elif char == "[" and not inside and "]" in pattern[at + 2 :]:
            inside = True
            negated = pattern[at + 1] in "!^"
            parts.append("[!" if negated else "[")
            at += negated
            if pattern[at + 1 : at + 2] == "]":  # the first one is a character of the class
                parts.append("]")
                at += 1
        else:
            inside = inside and char != "]"
            parts.append(char)
        at += 1
    return re.compile(fnmatch.translate(re.sub(r"\*{2,}", "*", "".join(parts))))
