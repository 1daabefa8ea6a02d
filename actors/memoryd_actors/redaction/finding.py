"""What redaction found and where; never the secret itself."""

import re
from dataclasses import dataclass

MARKER = re.compile(r"\[redacted:[a-z0-9-]{1,48}\]")
"""What stands where a secret stood. Rule names fit it, so that it is recognised when the text comes by again."""


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """One secret: the rule that saw it and its place in the text that was given, in characters, end exclusive."""

    rule: str
    start: int
    end: int

    @property
    def marker(self) -> str:
        """What replaces it."""
        return f"[redacted:{self.rule}]"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets. Findings are in order and do not overlap."""

    text: str
    findings: tuple[SecretFinding, ...]
