"""Where a memory was shown, as the decision traces have it."""

from collections.abc import Iterable, Iterator

from memoryd_client.wire.edges import Edge
from memoryd_client.wire.origin import Showing
from memoryd_client.wire.traces import Trace


def showings(memory_id: str, traces: Iterable[Trace]) -> Iterator[Showing]:
    """Yield when a memory came into question, in the order of the traces."""
    for trace in traces:
        for candidate in trace.candidates:
            if candidate.id == memory_id:
                yield Showing(
                    session=trace.session, turn=trace.turn, at=trace.at, kept=candidate.kept, reason=candidate.reason
                )


def other_end(edge: Edge, memory_id: str) -> str:
    """Return the memory at the other end of an edge."""
    return edge.to_id if edge.from_id == memory_id else edge.from_id
