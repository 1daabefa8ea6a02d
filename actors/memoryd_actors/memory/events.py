"""What the system did, in counts: one row for each thing done."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from memoryd_client.wire.traces import Trace

EventStatus = Literal["ok", "error", "skipped"]
OPERATIONS: Final[Mapping[str, str]] = {
    "ADD": "create",
    "UPDATE": "update",
    "MERGE": "merge",
    "SUPERSEDE": "supersede",
    "DELETE": "delete",
    "RESTORE": "restore",
    "LINK": "link",
    "UNLINK": "unlink",
    "TTL": "ttl",
    "UNDO": "undo",
    "CONSENT": "consent",
    "PURGE": "purge",
}
"""What each event of the history is counted as."""


class Happened(msgspec.Struct, frozen=True):
    """Something that was done, or was not."""

    owner: str
    node: str
    """Who did it: pipeline, client, keeper, comparer, consolidation, ageing."""
    op: str
    """classify, search, query, knowledge_search, or one of `OPERATIONS`."""
    status: EventStatus = "ok"
    thread: str = ""
    """The session in which it was done."""
    agent: str = ""
    """Who had it done."""
    memory_id: str = ""
    category: str = ""
    sim: float | None = None
    """Cosine of the best neighbour, where one was searched for."""
    duration_ms: float | None = None


def of_context(owner: str, trace: Trace, *, failed: bool = False) -> Happened:
    """Return what became of a context: searched for, with the best cosine, or passed over by the gate."""
    searched = "search" in trace.timings_ms
    best = max((candidate.vector_score for candidate in trace.candidates), default=None)
    return Happened(
        owner=owner,
        node="pipeline",
        op="search" if searched or failed else "classify",
        status="error" if failed else "ok" if searched else "skipped",
        thread=trace.session,
        agent=trace.agent,
        sim=best,
        duration_ms=trace.timings_ms.get("total"),
    )
