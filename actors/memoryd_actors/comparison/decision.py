"""What follows from a comparison."""

from typing import Final, Literal

from memoryd_actors.comparison.statement import Comparison

Action = Literal["merge", "supersede", "contradict", "keep", "queue"]
"""merge: one memory, strengthened. supersede: the new one replaces the old one. contradict: both, with an edge
`contradicts`, and the rule of trust decides which is active. keep: both. queue: both, and the pair goes to the daily
worker."""

MERGE: Final = 0.75
"""Above are the pairs that differ in nothing that is not harmless, and those of which one says what follows from the
other: of 9,071 labelled ones 21% of the duplicates, 1.8% of the close, none of the merely related, and 0.2% of the
conflicts, all of them equal to the letter (`benchmarks/pairs.py`)."""
SUPERSEDE: Final = 0.6
"""Half of the real updates are above, and 0.2% of the pairs that are merely related."""
CONTRADICT: Final = 0.6
KEEP: Final = 0.6
"""Below, two memories that are not the same are so close that somebody should look."""


def action(comparison: Comparison) -> Action:
    """Return what to do; the table is in the package's docstring."""
    sure = comparison.confidence
    match comparison.relation:
        case "same":
            return "merge" if sure >= MERGE and not comparison.guarded else "queue"
        case "changes":
            return "supersede" if sure >= SUPERSEDE else "queue"
        case "contradicts":
            return "contradict" if sure >= CONTRADICT else "queue"
        case "resembles":
            return "keep" if sure >= KEEP else "queue"
