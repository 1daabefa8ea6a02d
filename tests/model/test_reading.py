"""What is looked at in an answer, whatever it is made of."""

import json

import pytest

from memoryd_actors.model.reading import answers_in, entries

KEPT = json.dumps({"verdicts": [{"index": 0}]})


@pytest.mark.parametrize("piece", ["{}", "[]", "[1]", '{"a":1}', '[{"verdicts":[]}]'])
def test_of_an_answer_in_pieces_some_hundreds_are_looked_at(piece: str) -> None:
    assert 0 < len(answers_in(piece * (1_000_000 // len(piece)))) <= 1_000


def test_what_breaks_off_far_behind_is_not_tried_from_every_brace() -> None:
    beginning = '{"a": [' + "1, " * 1_000
    assert answers_in(beginning * 3 + KEPT) == [KEPT]
    assert answers_in(beginning * 15 + KEPT) == []


def test_of_a_list_without_an_end_the_first_entries_count() -> None:
    answer = json.dumps({"verdicts": [{}] * 50_000})
    assert 0 < len(entries(answer, "verdicts", dict)) <= 1_000


@pytest.mark.parametrize("before", ["", "x" * 900_000, "[1] " * 400, '{"thought": "' + "y" * 400_000 + '"}\n'])
def test_the_answer_at_the_end_of_a_long_text_is_found(before: str) -> None:
    assert answers_in(before + KEPT)[0] == KEPT
