"""Step 3 of the pipeline, within one message: what somebody says, and what they only show.

A pasted log, stack trace, diff or mail is often longer than the question about it, and the model reads 256 tokens: what
is said goes first, and of what is shown a few lines follow, those that name errors, files and functions.
"""

import re
from collections.abc import Callable, Sequence

import msgspec

from memoryd_actors.core.remembered import remembered

FEWEST_LOG_LINES = 3
"""A single line with a time may be something that somebody says."""
FEWEST_CODE_LINES = 3
LINES_SHOWN = 4
"""Of one block."""
CHARACTERS_SHOWN = 500
"""Of all blocks of a message: half of what the model reads stays for what is said."""
LONGEST_LINE = 160

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\[?(?:DEBUG|INFO|TRACE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b\]?[: \t])"
)
"""A line of a log: begins with a time or a level."""
_ERROR_LINE = re.compile(
    r"(?:Error|Exception|Fehler)\b|\b(?:ERROR|FATAL|CRITICAL|FAILED|FAIL|panic(?:ked)?|fatal|error|erreur|échec"
    r"|fehlgeschlagen|Caused by)\b"
)
_TRACE = re.compile(
    r"^\s*(?:Traceback \(most recent call last\):|File \".{1,300}\", line \d+|at [\w$.<>/]+ ?\(.*\)|at .*:\d+:\d+"
    r"|Caused by: |Exception in thread |\.\.\. \d+ (?:more|common frames)|goroutine \d+ \[|thread '.{1,80}' panicked"
    r"|stack backtrace:|\d+: 0x|\S+\.go:\d+ \+0x|[~^]+\s*$|During handling of the above|The above exception was)"
)
_TRACE_END = re.compile(r"^[\w.]*(?:Error|Exception|Warning|Interrupt|Exit)\b(?::.*)?$")
_DIFF = re.compile(r"^(?:diff --git |index [0-9a-f]{6,}\.\.|--- (?:a/|/dev)|\+\+\+ (?:b/|/dev)|@@ -\d)")
_DIFF_HEAD = re.compile(r"^(?:index |--- |\+\+\+ )")
_MAIL = re.compile(
    r"^\s*(?:>|(?:On|Am|Le) .{6,120}(?:wrote|schrieb.{0,60}|a écrit) ?:\s*$|-{3,} ?(?:Original|Ursprüngliche|Message d)"
    r"|(?:From|Sent|Von|Gesendet|Envoyé|De) ?: .{3,120}$)"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s")
_CODE = re.compile(
    r"(?:[{}]|\S;)\s*(?://.*)?$|^\s*(?:[}\])]|import [\w.{*]|from [\w.]+ import |(?:async )?def \w+\(|class \w+[(:{ ]"
    r"|return\b.*[\w)\]]$|@\w+|(?:const|let|var|fn|func|function|public|private|static|package|using|#include) "
    r"|(?:SELECT|INSERT|CREATE|UPDATE) |</?\w+[^<>]*>\s*$|\"[\w-]+\": |[\w.\[\]]+ = \S|\$ \w"
    r"|(?:if|for|elif|except|with) .*:$|(?:else|try|except):$)"
)
_INDENTED = re.compile(r"^(?: {4,}|\t)\S")


class QuotedMessage(msgspec.Struct, frozen=True):
    """A message, taken apart."""

    said: str
    shown: str
    """The telling lines of what was quoted; empty where nothing was."""

    @property
    def text(self) -> str:
        """What was said, then what was shown."""
        return f"{self.said}\n{self.shown}" if self.said and self.shown else self.said or self.shown


@remembered(64)
def told_apart(text: str) -> QuotedMessage:
    """Tell what somebody says from the code, logs, stack traces, diffs and mails that they show.

    In linear time. The last results are kept: a message is looked at several times, in several contexts in a row.
    """
    lines = text.split("\n")
    if len(lines) < FEWEST_CODE_LINES and not text.lstrip().startswith(">"):
        return QuotedMessage(text.strip(), "")
    said: list[str] = []
    shown: list[str] = []
    at = 0
    while at < len(lines):
        length = _block(lines, at)
        if length:
            shown += _telling([line for line in lines[at : at + length] if not _FENCE.match(line)])
            at += length
            continue
        said.append(lines[at])
        at += 1
    kept = "\n".join(dict.fromkeys(_cut(line.strip()) for line in shown if line.strip()))
    return QuotedMessage("\n".join(said).strip(), kept[:CHARACTERS_SHOWN])


def is_error(line: str) -> bool:
    """Return whether a line of a log says what went wrong."""
    return bool(_ERROR_LINE.search(_cut(line)))


def _block(lines: Sequence[str], at: int) -> int:
    """Return how many lines from `at` on only show something; 0 where somebody speaks."""
    if fence := _FENCE.match(lines[at]):
        closing = (n for n in range(at + 1, len(lines)) if lines[n].strip() == fence.group(1))
        return next(closing, len(lines) - 1) - at + 1
    head = at + (at + 1 < len(lines) and bool(_TRACE_END.match(_cut(lines[at]))) and _is_trace(_cut(lines[at + 1])))
    for begins, belongs, fewest in _KINDS:
        if begins(_cut(lines[head])):
            end = _end(lines, head + 1, belongs, gaps=begins is _is_code)
            if begins is _is_trace and end < len(lines) and _TRACE_END.match(_cut(lines[end])):
                end += 1
            return end - at if end - at >= fewest else 0
    return 0


def _end(lines: Sequence[str], at: int, belongs: Callable[[str], bool], *, gaps: bool) -> int:
    """Return where a block ends that goes on at `at`; `gaps` may be one empty line between two of its lines."""
    while at < len(lines):
        if belongs(_cut(lines[at])):
            at += 1
        elif gaps and not lines[at].strip() and at + 1 < len(lines) and belongs(_cut(lines[at + 1])):
            at += 2
        else:
            break
    return at


def _cut(line: str) -> str:
    return line[:LONGEST_LINE]


def _is_trace(line: str) -> bool:
    return bool(_TRACE.match(line))


def _is_log(line: str) -> bool:
    return bool(LOG_LINE.match(line))


def _is_diff(line: str) -> bool:
    return bool(_DIFF.match(line))


def _is_mail(line: str) -> bool:
    return bool(_MAIL.match(line))


def _is_code(line: str) -> bool:
    return bool(_CODE.search(line)) and not _BULLET.match(line)


def _in_trace(line: str) -> bool:
    return _is_trace(line) or line[:1] in {" ", "\t"}


def _in_log(line: str) -> bool:
    return bool(_is_log(line) or _INDENTED.match(line) or _is_trace(line) or _TRACE_END.match(line))


def _in_diff(line: str) -> bool:
    return _is_diff(line) or line[:1] in {"+", "-", " ", "\\"}


def _in_code(line: str) -> bool:
    return _is_code(line) or bool(_INDENTED.match(line))


_KINDS: tuple[tuple[Callable[[str], bool], Callable[[str], bool], int], ...] = (
    (_is_diff, _in_diff, 1),
    (_is_trace, _in_trace, 1),
    (_is_log, _in_log, FEWEST_LOG_LINES),
    (_is_mail, _is_mail, 1),
    (_is_code, _in_code, FEWEST_CODE_LINES),
)
"""How a block begins, what goes on with it, and its fewest lines."""


def _telling(block: Sequence[str]) -> list[str]:
    """Return the lines that say most about a block: what went wrong, else what changed, else how it begins or ends."""
    block = [line for line in block if line.strip()]
    errors = [number for number, line in enumerate(block) if is_error(line)]
    if errors:
        # The line before an error often names the place.
        wanted = {number for error in errors[-LINES_SHOWN // 2 :] for number in (max(error - 1, 0), error)}
        return [block[number] for number in sorted(wanted)]
    if block and _is_log(block[0]):
        return block[-LINES_SHOWN:]
    if block and _is_diff(block[0]):
        return [line for line in block if line[:1] != " " and not _DIFF_HEAD.match(line)][:LINES_SHOWN]
    return block[:LINES_SHOWN]
