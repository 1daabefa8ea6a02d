"""What redaction found and where; never the secret itself."""

import re

import msgspec

MARKER = re.compile(r"\[redacted:[a-z0-9-]{1,48}\]")
"""What stands where a secret stood. Rule names fit it, so that it is recognised when the text comes by again."""


class SecretFinding(msgspec.Struct, frozen=True):
    """One secret: the rule that saw it and its place in the text that was given, in characters, end exclusive."""

    rule: str
    start: int
    end: int

    @property
    def marker(self) -> str:
        """What replaces it."""
        return f"[redacted:{self.rule}]"


class Redacted(msgspec.Struct, frozen=True):
    """A text without its secrets. Findings are in order and do not overlap."""

    text: str
    findings: tuple[SecretFinding, ...]


def reads_as(kept: str, given: str) -> bool:
    """Return whether a text is what another one becomes where markers take the place of some of it."""
    first, *further = MARKER.split(kept)
    if not further:
        return kept == given
    if not given.startswith(first):
        return False
    at = len(first)
    *between, last = further
    for part in between:
        if (found := given.find(part, at)) < 0:
            return False
        at = found + len(part)
    return len(given) - len(last) >= at and given.endswith(last)
