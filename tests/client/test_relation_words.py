"""What one memory is to another reads well from either end."""

import pytest

from memoryd_client.relation_words import beside, relation_words
from memoryd_client.wire.edges import Edge


@pytest.mark.parametrize(
    ("relation", "from_it", "to_it"),
    [
        ("related_to", "related to", "related to"),
        ("contradicts", "contradicting", "contradicted by"),
        ("supersedes", "replacing", "replaced by"),
        ("explains", "explains", "explains this"),
        ("depends_on", "depends on", "depends on this"),
        ("part-of", "part of", "part of this"),
        ("cause", "cause of", "cause of this"),
    ],
)
def test_a_relation_is_told_from_either_end(relation: str, from_it: str, to_it: str) -> None:
    assert relation_words(relation, outgoing=True) == from_it
    assert relation_words(relation, outgoing=False) == to_it


def test_two_edges_that_read_the_same_are_told_once() -> None:
    def edge(from_id: str, to_id: str, relation: str) -> Edge:
        return Edge(from_id=from_id, to_id=to_id, relation=relation, strength=1.0, at="")

    edges = [edge("a", "b", "related_to"), edge("b", "a", "related_to"), edge("a", "b", "related to")]
    edges += [edge("b", "a", "explains"), edge("a", "c", "related_to")]
    assert beside(edges, "a") == [("related to", "b"), ("explains this", "b"), ("related to", "c")]
