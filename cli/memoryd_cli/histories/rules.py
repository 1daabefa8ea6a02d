"""Rules that stand in a project's files for agents, each as a memory that is known again when the file changes."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from memoryd_client.wire.memory import NewMemory, Source

FILES: Final = (
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/*.mdc",
    ".github/copilot-instructions.md",
    ".github/instructions/*.md",
)
TAG: Final = "rules-file:"
"""Before the path of the file, in a tag of each memory that comes from it."""
_BLOCK = re.compile(r"<!--.*?-->|\A---\n.*?\n---\n", re.DOTALL)
_FRONT = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_FILES_MEANT = re.compile(r"^(?:globs|applyTo):(.*)$", re.MULTILINE)
_OWN = re.compile(r"<!-- memoryd: begin -->.*?<!-- memoryd: end -->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(.*)")
_FENCE = re.compile(r"\s*(```|~~~)")


def files(project: Path) -> list[Path]:
    """Return the files for agents that a project has."""
    return [file for pattern in FILES for file in sorted(project.glob(pattern)) if file.is_file()]


def rules(project: Path, found: Iterable[Path]) -> list[NewMemory]:
    """Return the bullets and paragraphs of files as rules of the project, each once, whichever files it stands in.

    Code stays with what stands before it.
    """
    paths_by_rule: dict[str, dict[str, None]] = {}
    for file in found:
        written = _OWN.sub("", file.read_text(encoding="utf-8", errors="replace"))
        meant = _files_meant(written)
        for content in _statements(_BLOCK.sub("", written)):
            rule = f"In {meant}: {content}" if meant else content
            paths_by_rule.setdefault(rule, {})[str(file.relative_to(project))] = None
    return [
        NewMemory(
            content=content,
            category="rule",
            tags=tuple(TAG + path for path in paths),
            source=Source.USER,
            files=tuple(paths),
        )
        for content, paths in paths_by_rule.items()
    ]


def _files_meant(text: str) -> str:
    """Return the patterns of the files that rules are for, where their front matter names some; empty for all."""
    front = _FRONT.match(text)
    found = _FILES_MEANT.search(front[1]) if front else None
    patterns = " ".join(found[1].strip(" []").replace('"', "").replace("'", "").split()) if found else ""
    return "" if patterns in {"*", "**", "**/*"} else patterns


def _statements(text: str) -> Iterator[str]:
    """Yield what stands under each heading: a bullet with what is beneath it, or a paragraph."""
    heading, open_, fenced = "", list[str](), False
    for line in [*text.splitlines(), ""]:
        fenced ^= bool(_FENCE.match(line))
        if fenced or _FENCE.match(line):
            open_.append(line)
            continue
        titled, bullet = _HEADING.match(line), _BULLET.match(line)
        begins = titled or (bullet and not bullet[1]) or (not line.strip() and not _goes_on(open_))
        if begins:
            yield from _told(heading, open_)
            open_ = []
        if titled:
            heading = titled[1]
        elif bullet and not bullet[1]:
            open_ = [bullet[2]]
        elif line.strip():
            open_.append(line)
    yield from _told(heading, open_)


def _goes_on(open_: list[str]) -> bool:
    """Return whether a blank line may stand inside: what ends with a colon has its list or code still to come."""
    return bool(open_) and open_[-1].rstrip().endswith(":")


def _told(heading: str, open_: list[str]) -> Iterator[str]:
    said = "\n".join(open_).strip()
    # A word alone says nothing that could be followed; under a heading it does: `Package manager: pnpm`.
    if len(said.split()) > 1 or (said and heading):
        yield f"{heading}: {said}" if heading else said
