"""Decisions as a person reads them: a context that came again is told with the one that decided it."""

from collections.abc import Iterable

import msgspec

from memoryd_client.wire.traces import SAME_CONTEXT, Trace

AGAIN = "; asked again: "


def decisions(traces: Iterable[Trace]) -> list[Trace]:
    """Return traces, newest first, in which what was asked again is the decision on it, whose outcome says so."""
    found: list[Trace] = []
    latest: dict[tuple[str, int], Trace] = {}
    for trace in reversed([*traces]):
        turn = trace.session, trace.turn
        before = latest.get(turn)
        if trace.outcome == SAME_CONTEXT and before is not None:
            found.remove(before)
            latest[turn] = asked_again(before)
        else:
            latest[turn] = trace
        found.append(latest[turn])
    return found[::-1]


def asked_again(decision: Trace) -> Trace:
    """Return a decision that says that the same context came once more."""
    outcome = decision.outcome.partition(AGAIN)[0]
    return msgspec.structs.replace(decision, outcome=f"{outcome}{AGAIN}{SAME_CONTEXT}")
