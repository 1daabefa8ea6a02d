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


def test_what_a_model_says_has_no_sequence_that_steers_a_terminal() -> None:
    said = {
        "\x1b[31m\x00The blade": "The blade",
        "\x9b31mThe \x1b[1;4mblade\x1b[0m": "The blade",
        "The\x1b]0;title\x07 blade\x1b]8;;https://x.example\x1b\\!\x9d8;;\x9c": "The blade!",
        "The\x0bblade\x7f\x85": "The blade ",
        "One\r\ntwo\tthree\rfour": "One\ntwo\tthree\nfour",
        "Write \\u001b[31m for red, Grün for Ünïcode": "Write \\u001b[31m for red, Grün for Ünïcode",
        "The blade\x1b]0;title without its end\nOf steel\x1b": "The blade\nOf steel",
    }
    given = {"memories": [{"content": text, "trust": 0.5, "points": [text]} for text in said]}
    expected = [{"content": text, "trust": 0.5, "points": [text]} for text in said.values()]
    for is_ascii in (True, False):
        assert entries(json.dumps(given, ensure_ascii=is_ascii), "memories", dict) == expected
    assert entries('{"memories": [{"content": "a\\u0007b"}, {"trust": 1e999}]}', "memories", dict) == [
        {"content": "ab"},
        {"trust": None},
    ]


@pytest.mark.parametrize("deep", [300, 900, 980, 100_000])
def test_nothing_is_too_deep_to_be_read_or_passed_over(deep: int) -> None:
    assert len(answers_in('{"a":' * deep + '"\\u0007"' + "}" * deep)) <= 1
