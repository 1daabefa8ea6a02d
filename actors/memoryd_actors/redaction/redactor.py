"""The one entry: all rules over one text, their findings united, until nothing is left to find."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from memoryd_actors.redaction.assignments import find_assignments
from memoryd_actors.redaction.blocks import find_blocks, public_blocks
from memoryd_actors.redaction.doubt import documented_spans
from memoryd_actors.redaction.finding import Redacted, SecretFinding
from memoryd_actors.redaction.harmless import protected_spans
from memoryd_actors.redaction.literals import find_environment, find_words
from memoryd_actors.redaction.locators import find_locators
from memoryd_actors.redaction.marked import find_marked
from memoryd_actors.redaction.personal import find_personal
from memoryd_actors.redaction.prose import find_prose
from memoryd_actors.redaction.rules import DEFAULT, Rules
from memoryd_actors.redaction.vendors import find_tokens

MOST_ROUNDS = 8
"""Rounds over one text. Removing a secret can bring the next one to light (a quote less, and quotes pair differently);
two rounds are the rule, the first finds, the second confirms. What still changes in the last one was made to, and is
replaced from there to its end: each round costs the whole text."""

CROWD = 64
"""Secrets from which a text may be crowded: no list that anybody remembers has so many."""
CROWDED_WITHIN = 20
"""In so many characters a crowded text has one, on average."""
CROWDED_GAP = 16
"""Characters between two secrets of a crowded text that go with them. Each secret costs 15 to 30 us, half of it in the
round that confirms: side by side, a thousand in 16 kB took 1.3 to 2.4 ms for each kB."""

_NO_SECRET = re.compile(r"[A-Za-z_-]{0,12}")
"""One word, shorter than any token, in which nothing is joined to anything: most categories, agents, roles."""

_GENERAL = frozenset({"password", "token", "key", "random-string"})
"""Rules that know a secret by its surroundings; the name of a format says more."""


def redact(text: str, rules: Rules = DEFAULT) -> Redacted:
    """Return the text with secrets and personal data replaced by markers such as `[redacted:github-token]`.

    Takes any string, lone surrogates and NUL included, in time linear in its length. What it returned comes back
    unchanged: `redact(redact(x).text).text == redact(x).text`. The findings point into the text that was given.
    """
    if _NO_SECRET.fullmatch(text) and not rules.words and not rules.environment:
        return Redacted(text, ())
    findings: list[SecretFinding] = []
    current = text
    for number in range(1, MOST_ROUNDS + 1):
        found = _find(current, rules)
        if not found:
            break
        if number == MOST_ROUNDS:
            found = [replace(found[0], end=len(current))]
        findings = _united(chain(findings, _located(found, findings))) if findings else found
        if _is_crowded(findings, text):
            findings = _gathered(findings)
        current = _replaced(text, findings)
    return Redacted(text=current, findings=tuple(findings))


def _find(text: str, rules: Rules) -> list[SecretFinding]:
    # U+0130 is the one character whose lower case is longer; rules need both texts to have the same positions.
    lowered = text.replace("\u0130", "i").lower()
    findings = list(
        chain(
            find_blocks(text),
            find_tokens(text),
            find_locators(text, lowered),
            find_assignments(text, lowered),
            find_prose(text, lowered),
            find_marked(text, lowered),
            find_personal(text, rules.personal_data),
            find_words(lowered, rules.words),
            find_environment(text, rules.environment),
        )
    )
    if not findings:
        return findings
    protected = sorted(chain(protected_spans(text), public_blocks(text), documented_spans(text)))
    return _united(_outside(findings, protected))


def _outside(findings: Iterable[SecretFinding], protected: list[tuple[int, int]]) -> Iterator[SecretFinding]:
    starts = [start for start, _ in protected]
    for finding in findings:
        before = bisect_right(starts, finding.start) - 1
        if before >= 0 and finding.end <= protected[before][1]:
            continue
        if finding.end > finding.start:
            yield finding


def _united(findings: Iterable[SecretFinding]) -> list[SecretFinding]:
    """Return the findings in order, overlapping ones as one, named by the vendor where one of them is."""
    united: list[SecretFinding] = []
    for finding in sorted(findings, key=lambda each: (each.start, -each.end)):
        if united and finding.start < united[-1].end:
            last = united[-1]
            rule = finding.rule if last.rule in _GENERAL else last.rule
            united[-1] = SecretFinding(rule, last.start, max(last.end, finding.end))
        else:
            united.append(finding)
    return united


def _is_crowded(findings: list[SecretFinding], text: str) -> bool:
    """Return whether a text is a list of secrets, in which nothing is worth keeping that stands between two of them."""
    return len(findings) >= CROWD and len(findings) * CROWDED_WITHIN > len(text)


def _gathered(findings: list[SecretFinding]) -> list[SecretFinding]:
    """Return the findings, those that follow one another closely as one."""
    gathered: list[SecretFinding] = []
    for finding in findings:
        if gathered and finding.start - gathered[-1].end <= CROWDED_GAP:
            gathered[-1] = replace(gathered[-1], end=finding.end)
        else:
            gathered.append(finding)
    return gathered


def _replaced(text: str, findings: list[SecretFinding]) -> str:
    parts: list[str] = []
    at = 0
    for finding in findings:
        parts += (text[at : finding.start], finding.marker)
        at = finding.end
    return "".join((*parts, text[at:]))


def _located(found: list[SecretFinding], earlier: list[SecretFinding]) -> Iterator[SecretFinding]:
    """Yield findings in a text whose earlier ones are replaced, at their places in the original text."""
    starts: list[int] = []
    shifts: list[int] = []
    shift = 0
    for finding in earlier:
        starts.append(finding.start + shift)
        shift += len(finding.marker) - (finding.end - finding.start)
        shifts.append(shift)
    for finding in found:
        start = _original(finding.start, earlier, starts, shifts, end=False)
        end = _original(finding.end, earlier, starts, shifts, end=True)
        yield SecretFinding(finding.rule, start, end)


def _original(at: int, earlier: list[SecretFinding], starts: list[int], shifts: list[int], *, end: bool) -> int:
    before = bisect_right(starts, at - end) - 1
    if before < 0:
        return at
    if at - end < starts[before] + len(earlier[before].marker):
        return earlier[before].end if end else earlier[before].start
    return at - shifts[before]
