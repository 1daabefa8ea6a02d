"""What a model may not overrule."""

from dataclasses import replace

from memoryd_actors.comparison.statement import Comparison

_DOUBT = 0.5
"""Below every threshold: the pair is queued."""


def vetoed(said: Comparison, local: Comparison) -> Comparison:
    """Return a model's comparison, unless it says `same` where the local one has found a guard.

    Then the local one counts; where that one calls it mere resemblance, in doubt, so that somebody looks.
    """
    if said.relation != "same" or not local.guarded:
        return replace(said, guarded=local.guarded)
    reason = f"{local.reason} (a model called them the same)"
    return replace(local, confidence=min(local.confidence, _DOUBT), reason=reason)
