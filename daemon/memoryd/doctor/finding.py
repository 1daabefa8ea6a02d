"""What an examination finds, and how it is shown."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

Level = Literal["ok", "warn", "fail"]

_ORDER: tuple[Level, ...] = ("ok", "warn", "fail")


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    """What was looked at, in a word or two; several findings may share it."""
    level: Level
    """warn: it works, and something should be done; fail: it does not work."""
    what: str
    """What was found, in a sentence."""
    mend: str = ""
    """The command that mends it, or what to do where no single command does."""
    numbers: dict[str, int] = {}
    """What was counted, by name; where something was."""
    file: str = ""
    """The file that it is about, where it is about lines of one."""
    lines: tuple[int, ...] = ()
    """Which, from 1."""


def ok(name: str, what: str) -> Finding:
    """Return a finding about something that is as it should be."""
    return Finding(name, "ok", what)


def warn(name: str, what: str, mend: str) -> Finding:
    """Return a finding about something that works and should be seen to."""
    return Finding(name, "warn", what, mend)


def fail(name: str, what: str, mend: str) -> Finding:
    """Return a finding about something that does not work."""
    return Finding(name, "fail", what, mend)


def quoted(path: Path) -> str:
    """Return a path as it can be pasted into a shell."""
    return shlex.quote(str(path))


def worst(findings: Sequence[Finding]) -> Level:
    """Return the worst level among the findings."""
    levels = {finding.level for finding in findings}
    return "fail" if "fail" in levels else "warn" if "warn" in levels else "ok"


def rows(findings: Sequence[Finding]) -> list[tuple[str, str, str, str]]:
    """Return (level, name, what, mend) of each finding, the worst first and otherwise in the order of examination."""
    ranked = sorted(findings, key=lambda finding: -_ORDER.index(finding.level))
    return [(finding.level, finding.name, finding.what, finding.mend) for finding in ranked]
