"""What one memory is to another reads well from either end."""

import pytest

from memoryd_client.relation_words import relation_words


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
