"""The benchmark of what conversations bring: its counts, on a conversation made up for them."""

import pytest
from benchmarks.extraction import by_rules, entries, fitted, floors, measure, sessions
from benchmarks.recall.data import DataSet, Said


def said(number: int, text: str, group: str = "g", speaker: str = "Ana") -> Said:
    return Said(id=f"{group}/{number}", group=group, text=text, session=1, ts="2026-03-01", speaker=speaker)


DATA = DataSet(
    "made up",
    tuple(
        said(number, text, group)
        for group in ("g", "h")
        for number, text in enumerate(
            (
                "How are you?",
                f"I moved to Kiel {group} in March 2025.",
                "We met Bo Berg at the pier last Sunday.",
                "Nice!",
            )
        )
    ),
    (),
)
FACTS = frozenset({"g/1", "h/1"})


def test_captured_and_junk_are_counted_by_the_messages_that_memories_rest_on() -> None:
    found = measure([("g/1",), ("g/2", "g/3"), ("h/0",)], FACTS, FACTS | {"g/2"})
    assert found == {
        "memories": 3,
        "captured": 0.5,
        "junk": pytest.approx(2 / 3),
        "junk wide": pytest.approx(1 / 3),
    }


def test_the_floors_are_every_message_and_as_many_at_random() -> None:
    found = floors(DATA, 4, FACTS, FACTS)
    assert (found["every message"]["captured"], found["every message"]["junk"]) == (1.0, 0.75)
    assert found["as many at random"]["memories"] == 4
    assert found["as many at random"]["junk"] == pytest.approx(0.75, abs=0.05)


def test_rules_take_the_two_facts_of_each_conversation() -> None:
    assert by_rules(DATA, 0.6) == {group: [(f"{group}/1",), (f"{group}/2",)] for group in ("g", "h")}


def test_what_is_fitted_is_measured_on_the_conversation_left_out() -> None:
    found = fitted(DATA, FACTS, FACTS)
    assert set(found) == {"g", "h"}
    assert all(one["captured"] == 1.0 and one["junk"] <= 0.5 for one in found.values())


def test_a_session_is_appended_in_order_with_names_and_dates() -> None:
    (first, *_) = sessions(DATA).values()
    appended = entries(first)
    assert [one.content for one in appended] == [one.text for one in first]
    assert {one.name for one in appended} == {"Ana"}
    assert [one.at for one in appended] == sorted(one.at for one in appended if one.at)
