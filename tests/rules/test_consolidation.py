"""What is done about two memories follows from what they are to each other, and from nothing nearer."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison import Comparison
from memoryd_actors.comparison.statement import Relation
from memoryd_actors.keeping.merging import (
    ComparedNeighbour,
    compare_with,
    is_statement,
    plan,
    plan_pair,
    select_comparable,
)
from memoryd_actors.keeping.neighbours import Neighbour
from memoryd_actors.memory.steps import CONTRADICTS, Absorb, Add, AddCandidatePair, AddEdge, Merge, Step, Supersede
from memoryd_client import Memory
from memoryd_client.wire.memory import Source

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def memory(memory_id: str, content: str = "The deploy job runs at 02:00 UTC.", **fields: object) -> Memory:
    plain = Memory(id=memory_id, owner="local", content=content, created_at=NOON, updated_at=NOON)
    return msgspec.structs.replace(plain, **fields)


def compared(
    other: Memory, relation: Relation, confidence: float = 0.95, *, by_model: bool = False
) -> ComparedNeighbour:
    return ComparedNeighbour(Neighbour(other, 0.9), Comparison(relation, confidence, "because"), by_model)


def kinds(steps: list[Step]) -> list[type]:
    return [type(step) for step in steps]


def test_the_same_is_merged_and_nothing_else_is_done() -> None:
    new, old = memory("new"), memory("old")
    (step,) = plan(new, [], [compared(old, "same")], {"gate": "trimmed"})
    assert isinstance(step, Merge)
    assert (step.into, step.notes) == ("old", {"gate": "trimmed"})


def test_the_same_in_another_category_is_kept_beside_it() -> None:
    """Agents may see one category and not the other."""
    steps = plan(memory("new", category="preference"), [], [compared(memory("old"), "same")], {})
    assert kinds(steps) == [Add]


def test_what_only_differs_in_a_value_may_be_about_another_thing_and_stays_with_a_note() -> None:
    new = memory("new", "Ward 4 has twelve beds.")
    near = Neighbour(memory("old", "Ward 3 has twelve beds."), 0.95)
    steps = plan(new, [], [compare_with(new, near)], {})
    assert kinds(steps) == [Add, AddEdge, AddCandidatePair]
    assert isinstance(steps[1], AddEdge)
    assert steps[1].relation == CONTRADICTS


def test_the_day_on_which_something_was_said_makes_no_later_value_of_it() -> None:
    content = 'The user said on 2026-03-{}: "I went to the {} yesterday with Ana."'
    old = memory("old", content.format("01", "gym"), source=Source.EXTRACTED, occurred_at=NOON)
    later = NOON + timedelta(days=7)
    new = memory("new", content.format("08", "cinema"), source=Source.EXTRACTED, occurred_at=later, created_at=later)
    assert compare_with(new, Neighbour(old, 0.75)).comparison.relation == "resembles"
    again = memory("new", content.format("08", "gym"), source=Source.EXTRACTED, occurred_at=NOON, created_at=later)
    assert compare_with(again, Neighbour(old, 1.0)).comparison.relation == "same"


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("I prefer tabs.", 'The user said: "I prefer tabs."', "I prefer tabs."),
        ('The user said: "I prefer tabs."', "I prefer tabs.", "I prefer tabs."),
        ('The user said: "I like jazz."', "I like jazz", 'The user said: "I like jazz."'),
        ("I like jazz.", 'The user said: "I like jazz"', "I like jazz."),
    ],
)
def test_what_the_user_said_is_the_same_as_those_words_by_themselves(old: str, new: str, kept: str) -> None:
    first, second = (
        memory(name, content, source=Source.EXTRACTED if "said" in content else Source.USER)
        for name, content in (("old", old), ("new", new))
    )
    (step,) = plan(second, [], [compare_with(second, Neighbour(first, 0.9))], {})
    assert isinstance(step, Merge)
    assert (step.into, step.content) == ("old", kept)


def test_what_another_said_is_not_what_is_stored_as_it_is() -> None:
    said = memory("old", 'Ana said: "I prefer tabs."', source=Source.EXTRACTED, speaker="Ana")
    mine = memory("new", "I prefer tabs.")
    assert kinds(plan(mine, [], [compare_with(mine, Neighbour(said, 0.9))], {}))[0] is Add


def test_what_says_itself_that_it_changed_takes_the_place_of_the_old_one() -> None:
    new = memory("new", "The deploy job has moved to 04:00 UTC.")
    steps = plan(new, [], [compared(memory("old"), "changes")], {})
    assert steps[1:] == [Supersede("old", "new", "because")]


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"category": "correction", "trust": 0.8}, {"pinned": True}, Supersede),
        ({"category": "correction", "trust": 0.5}, {"pinned": True}, AddEdge),
        ({"trust": 0.9}, {"trust": 0.5}, Supersede),
        ({"trust": 0.5}, {"trust": 0.5}, Supersede),
        ({"trust": 0.5}, {"trust": 0.9}, Supersede),
        ({"trust": 0.5, "pinned": True}, {"trust": 0.9}, AddEdge),
        ({"trust": 0.9}, {"trust": 0.5, "pinned": True}, AddEdge),
        ({"trust": 1.0}, {"category": "correction", "trust": 0.8}, AddEdge),
        ({"trust": 0.5, "pinned": True}, {"category": "correction", "trust": 0.8}, AddEdge),
        ({"trust": 0.5}, {"category": "correction", "trust": 0.8}, Supersede),
    ],
)
def test_the_users_correction_wins_then_trust_then_time(
    new: dict[str, object], old: dict[str, object], expected: type
) -> None:
    newer = msgspec.structs.replace(memory("new", created_at=NOON + timedelta(days=1)), **new)
    older = msgspec.structs.replace(memory("old"), **old)
    steps = plan_pair(newer, compared(older, "contradicts", by_model=True))
    assert kinds(steps) == [expected]


def test_what_somebody_trusted_less_contradicts_gives_way_and_what_they_say_has_changed_stays_beside() -> None:
    newer = memory("new", created_at=NOON + timedelta(days=1), trust=0.5)
    older = memory("old", trust=0.8)
    (step,) = plan_pair(newer, compared(older, "contradicts", by_model=True))
    assert step == Supersede("new", "old", "what is trusted more stands against it: because")
    assert kinds(plan_pair(newer, compared(older, "changes"))) == [AddEdge]


def test_what_arrives_late_does_not_retire_what_was_said_after_it() -> None:
    late = memory("late", occurred_at=NOON - timedelta(days=9), created_at=NOON + timedelta(days=1))
    (step,) = plan_pair(late, compared(memory("standing"), "changes", by_model=True))
    assert step == Supersede("late", "standing", "because")


def test_of_two_stored_ones_the_newer_is_absorbed() -> None:
    (step,) = plan_pair(memory("new", created_at=NOON + timedelta(days=1)), compared(memory("old"), "same"))
    assert isinstance(step, Absorb)
    assert (step.absorbed, step.into) == ("new", "old")


def test_a_doubt_changes_nothing_and_is_queued() -> None:
    assert kinds(plan_pair(memory("new"), compared(memory("old"), "same", 0.1))) == [AddCandidatePair]


def test_a_message_kept_as_it_was_said_is_compared_with_nothing() -> None:
    said = memory("said", speaker="Ana", source_messages=(3, 3))
    assert not is_statement(said)
    assert is_statement(msgspec.structs.replace(said, source=Source.USER))
    assert select_comparable(memory("new"), [Neighbour(said, 0.99)]) == []


@given(
    relation=st.sampled_from(["same", "changes", "contradicts", "resembles"]),
    confidence=st.floats(0, 1),
    by_model=st.booleans(),
    guarded=st.booleans(),
)
def test_nothing_is_merged_but_what_is_surely_the_same(
    relation: Relation, confidence: float, by_model: bool, guarded: bool
) -> None:
    found = ComparedNeighbour(Neighbour(memory("old"), 0.99), Comparison(relation, confidence, "", guarded), by_model)
    steps = [*plan(memory("new"), [], [found], {}), *plan_pair(memory("new"), found)]
    if relation != "same" or guarded:
        assert not {Merge, Absorb} & set(kinds(steps))
