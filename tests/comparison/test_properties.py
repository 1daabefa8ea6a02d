from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.comparison import Comparison, Statement, action, compare, vetoed
from memoryd_actors.keeping.merging import merge_content
from memoryd_client.wire.memory import MAX_CONTENT_BYTES

COSINES = st.floats(-1, 1)
WORDS = st.lists(
    st.sampled_from(
        ("the", "server", "cache", "runs", "not", "never", "5", "three", "v1.2.3", "Alice", "May", "before", "red,")
    ),
    max_size=12,
).map(" ".join)
TEXTS = WORDS | st.text(max_size=80)


@given(TEXTS, TEXTS, COSINES)
def test_any_two_texts_can_be_compared(new: str, old: str, cosine: float) -> None:
    found = compare(Statement(new), Statement(old), cosine)
    assert 0 <= found.confidence <= 1
    assert found.reason or found.relation == "resembles"


@given(TEXTS, COSINES)
def test_a_text_is_the_same_as_itself(text: str, cosine: float) -> None:
    assert compare(Statement(text), Statement(text), cosine).relation == "same"


@given(WORDS, WORDS, st.integers(1, 999), st.integers(1, 999), COSINES)
def test_another_number_is_never_merged(before: str, after: str, one: int, other: int, cosine: float) -> None:
    if one != other:
        new, old = (Statement(f"{before} limit {number} requests {after}") for number in (one, other))
        assert action(compare(new, old, cosine)) != "merge"


@given(WORDS, COSINES)
def test_a_negation_is_never_merged(words: str, cosine: float) -> None:
    old, new = Statement(f"Ann uses tabs {words}"), Statement(f"Ann does not use tabs {words}")
    assert compare(new, old, cosine).relation != "same"


@given(TEXTS, TEXTS)
def test_merging_takes_one_of_the_two_wordings(old: str, new: str) -> None:
    assert merge_content(old, new) in {old, new}


@given(TEXTS, TEXTS, COSINES, st.sampled_from(["same", "changes", "contradicts", "resembles"]))
def test_no_model_merges_what_a_guard_forbids(new: str, old: str, cosine: float, said: str) -> None:
    local = compare(Statement(new), Statement(old), cosine)
    assert said in {"same", "changes", "contradicts", "resembles"}
    found = vetoed(Comparison("same", 1.0, said), local)
    assert (action(found) == "merge") == (not local.guarded)


def test_the_more_complete_wording_stays() -> None:
    short, long = "The user prefers tabs.", "The user prefers tabs in Python files."
    assert merge_content(short, long) == long
    assert merge_content(long, short) == long
    assert merge_content(short, "User prefers tabs") == short
    assert merge_content("The limit is 5.", "The limit is 6.") == "The limit is 5."


def test_a_wording_beyond_what_a_memory_may_hold_is_not_taken() -> None:
    short = "The user prefers tabs."
    assert merge_content(short, f"{short} {'indeed ' * MAX_CONTENT_BYTES}") == short
