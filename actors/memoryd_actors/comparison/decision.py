"""What follows from a comparison, and what a model may not overrule."""

from typing import Final, Literal

from msgspec.structs import replace

from memoryd_actors.comparison.statement import Comparison, Relation

Action = Literal["merge", "supersede", "contradict", "keep", "queue"]
"""See the package's table. queue: both are kept, and the pair goes to the daily worker."""

MERGE: Final = 0.75
"""Above are the pairs that are equal in their canonical form (`benchmarks/pairs.py`)."""
_ELSE: Final = 0.6
"""Above is nothing that stays true beside the other, of real updates (`benchmarks/daily_pairs.py`)."""
_SURE: Final[dict[Relation, tuple[Action, float]]] = {
    "same": ("merge", MERGE),
    "changes": ("supersede", _ELSE),
    "contradicts": ("contradict", _ELSE),
    "resembles": ("keep", _ELSE),
}


def action(comparison: Comparison) -> Action:
    """Return what to do; the table is in the package's docstring."""
    sure, least = _SURE[comparison.relation]
    guarded = comparison.guarded and sure == "merge"
    return sure if comparison.confidence >= least and not guarded else "queue"


def vetoed(said: Comparison, local: Comparison) -> Comparison:
    """Return a model's comparison, unless it says `same` where the local one has found a guard.

    Then the local one counts; where that one calls it mere resemblance, in doubt, so that somebody looks.
    """
    if said.relation != "same" or not local.guarded:
        return replace(said, guarded=local.guarded)
    reason = f"{local.reason} (a model called them the same)"
    return replace(local, confidence=min(local.confidence, 0.5), reason=reason)  # below every threshold
