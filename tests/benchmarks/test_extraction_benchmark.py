"""The benchmark of what conversations bring: its counts, on a conversation made up for them."""

import pytest
from benchmarks.answers import Fact, held, words
from benchmarks.extraction import (
    Kept,
    Truth,
    by_rules,
    entries,
    fitted,
    floors,
    in_sessions,
    measure,
    requested,
)
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
EVIDENCE = frozenset({"g/1", "h/1"})
TRUTH = Truth(EVIDENCE, EVIDENCE)


def test_captured_and_junk_are_counted_by_the_messages_that_memories_rest_on() -> None:
    known = [Fact("g/1", frozenset({"kiel", "2025"})), Fact("h/1", frozenset({"kiel", "2025"}))]
    kept = [Kept(("g/1",), "Ana moved to Kiel in 2025."), Kept(("g/2", "g/3")), Kept(("h/0",), "Kiel in 2025")]
    found = measure(kept, Truth(EVIDENCE, EVIDENCE | {"g/2"}, known))
    assert found == {
        "memories": 3,
        "captured": 0.5,
        "held": 0.5,
        "junk": pytest.approx(2 / 3),
        "junk wide": pytest.approx(1 / 3),
    }


def test_a_memory_of_the_right_message_that_quotes_the_wrong_sentence_holds_no_fact() -> None:
    known = [Fact("g/1", words("moved to Kiel in March 2025"))]
    assert held(known, [("g/1", 'Ana said: "The weather was fine."')]) == 0.0
    assert held(known, [("g/1", 'Ana said: "I moved to Kiel in March."')]) == 1.0


def test_the_floors_are_every_message_and_as_many_at_random() -> None:
    kept = [Kept(("g/1",)), Kept(("g/1",)), Kept(("h/0",)), Kept(("h/2", "h/3"))]
    found = floors(DATA, kept, TRUTH)
    assert (found["every message"]["captured"], found["every message"]["junk"]) == (1.0, 0.75)
    assert [found[f"as many {what} at random"]["memories"] for what in ("messages", "sentences")] == [4, 4]
    assert found["as many messages at random"]["junk"] == pytest.approx(0.75, abs=0.05)


def test_rules_take_the_two_facts_of_each_conversation() -> None:
    taken = {group: [one.messages for one in some] for group, some in by_rules(DATA).items()}
    assert taken == {group: [(f"{group}/1",), (f"{group}/2",)] for group in ("g", "h")}


def test_what_is_asked_for_counts_with_the_message_that_asks() -> None:
    asking = DataSet("asking", (said(0, "Remember that the staging server is in Graz."), said(1, "And now?")), ())
    assert [one.messages for one in requested(asking)] == [("g/0",)]


def test_what_is_fitted_is_measured_on_the_conversation_left_out() -> None:
    found = fitted(DATA, TRUTH)
    assert set(found) == {"g", "h"}
    assert all(one["captured"] == 1.0 and one["junk"] <= 0.5 for one in found.values())


def test_a_session_is_appended_in_order_with_names_and_dates() -> None:
    (first, *_) = in_sessions(DATA).values()
    appended = entries(first)
    assert [one.content for one in appended] == [one.text for one in first]
    assert {one.name for one in appended} == {"Ana"}
    assert [one.at for one in appended] == sorted(one.at for one in appended if one.at)
