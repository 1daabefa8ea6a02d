"""What one memory is to another, in words that read well from either end."""

from collections.abc import Iterable
from typing import Final

from memoryd_client.wire.edges import Edge

_FORWARDS: Final = {
    "related_to": "related to",
    "supersedes": "replacing",
    "merged_into": "merged into",
    "contradicts": "contradicting",
    "summarises": "a summary of",
}
_BACKWARDS: Final = {
    "related_to": "related to",
    "supersedes": "replaced by",
    "merged_into": "made of",
    "contradicts": "contradicted by",
    "summarises": "told in",
}
_JOINING: Final = frozenset("of to by in on at with from for into than as about after before behind".split())
"""Words after which the other one is named: `part of`, `depends on`."""


def beside(edges: Iterable[Edge], memory_id: str) -> list[tuple[str, str]]:
    """Return how a memory stands to others, in words, and their ids; what reads the same is told once.

    Two memories may be related from either end: two edges, one sentence.
    """
    told = [(relation_words(one.relation, outgoing=one.from_id == memory_id), _other(one, memory_id)) for one in edges]
    return list(dict.fromkeys(told))


def _other(edge: Edge, memory_id: str) -> str:
    return edge.to_id if edge.from_id == memory_id else edge.from_id


def relation_words(relation: str, *, outgoing: bool) -> str:
    """Return how a memory stands to the one that is named after these words; `outgoing`: their edge begins at it.

    Of a name that somebody made up, `explains` is `explains` from the one end and `explains this` from the other, a
    noun (`cause`) is `cause of` and `cause of this`.
    """
    known = (_FORWARDS if outgoing else _BACKWARDS).get(relation)
    if known is not None:
        return known
    words = " ".join(relation.replace("_", " ").replace("-", " ").split())
    last = words.rpartition(" ")[2]
    if not last.endswith("s") and last not in _JOINING:
        words += " of"
    return words if outgoing else f"{words} this"
