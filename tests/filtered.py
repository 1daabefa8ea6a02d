"""Filters, and which of four memories they show; the index and the ledger have to agree on it."""

from memoryd_client.wire.filters import Filters

FILTERED: list[tuple[Filters, set[str]]] = [
    (Filters(), {"global", "here", "tagged"}),
    (Filters(scope="project"), {"here", "tagged"}),
    (Filters(scope="global"), {"global"}),
    (Filters(states=("forgotten",)), {"forgotten"}),
    (Filters(states=()), {"global", "here", "tagged", "forgotten"}),
    (Filters(categories=("preference", "nothing")), {"tagged"}),
    (Filters(tags=("a",)), {"tagged"}),
    (Filters(tags=("a", "b")), {"tagged"}),
    (Filters(tags=("a", "c")), set[str]()),
    (Filters(pinned=True), {"tagged"}),
    (Filters(pinned=False), {"global", "here"}),
]
"""`here` and `tagged` are of the project, and `tagged` is a pinned preference with the tags a and b."""
