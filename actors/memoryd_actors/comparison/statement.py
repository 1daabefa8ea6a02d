"""What is compared, and what comes out."""

from datetime import datetime
from typing import Literal

import msgspec

Relation = Literal["same", "changes", "contradicts", "resembles"]


class Statement(msgspec.Struct, frozen=True):
    """A memory as far as it is compared."""

    text: str
    category: str = "fact"
    created_at: datetime | None = None
    occurred_at: datetime | None = None
    """When what it says was so, where that is known."""
    speaker: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """What a new statement is to an old one."""

    relation: Relation
    confidence: float
    """0 to 1; what follows from it is in `decision`."""
    reason: str
    """What differs, in words a person can check: `number 3 ≠ 5`, `negated`, `version 1.2 ≠ 1.3`."""
    guarded: bool = False
    """Something differs that no similarity makes up for: a number, a date, a version, a negation, a name."""
