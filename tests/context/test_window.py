"""What fits into a context, and what a compaction takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.context.counting import PER_MESSAGE
from memoryd_actors.context.window import (
    LONGEST_PIECE,
    Caps,
    Conversation,
    WindowItem,
    WindowSettings,
    pressure,
    recent,
    to_compact,
)

WHOLE = Caps(tool=10**9, other=10**9)
PARTS = st.tuples(
    st.sampled_from(["message", "message", "tool_call", "tool_result"]),
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["", "a", "b", "c"]),
    st.integers(PER_MESSAGE, 400),
)


def conversation(parts: list[tuple[str, str, str, int]]) -> list[WindowItem]:
    return [
        WindowItem(n, kind, role if kind == "message" else "", tokens, "" if kind == "message" else call)
        for n, (kind, role, call, tokens) in enumerate(parts)
    ]


CONVERSATIONS = st.lists(PARTS, max_size=40).map(conversation)


def messages(*sizes: int) -> list[WindowItem]:
    return [WindowItem(n, "message", "assistant" if n % 2 else "user", size) for n, size in enumerate(sizes)]


def split_calls(left: list[WindowItem], right: list[WindowItem]) -> list[WindowItem]:
    """The results on the right whose call is on the left, and the user said nothing since."""
    split: list[WindowItem] = []
    for at, item in enumerate(right):
        if item.kind != "tool_result":
            continue
        before = [*left, *right[:at]]
        spoke = max((n for n, one in enumerate(before) if one.begins_turn), default=-1)
        if not item.call_id:
            if at == 0 and left and left[-1].kind in {"tool_call", "tool_result"}:
                split.append(item)
            continue
        calls = [one for one in before[spoke + 1 :] if one.kind == "tool_call" and one.call_id == item.call_id]
        if calls and calls[-1] in left:
            split.append(item)
    return split


def test_a_call_and_its_results_are_one_piece_with_what_stands_between() -> None:
    said = [
        WindowItem(0, "message", "user", 1),
        WindowItem(1, "tool_call", "", 1, "x"),
        WindowItem(2, "tool_call", "", 1, "y"),
        WindowItem(3, "tool_result", "", 1, "x"),
        WindowItem(4, "message", "assistant", 1),
        WindowItem(5, "tool_result", "", 1, "y"),
        WindowItem(6, "message", "user", 1),
    ]
    assert [len(piece.items) for piece in Conversation(said).pieces()] == [1, 5, 1]


def test_an_id_that_is_used_again_begins_another_call() -> None:
    said = [WindowItem(n, kind, "", 1, "1") for n, kind in enumerate(["tool_call", "tool_result"] * 3)]
    assert [len(piece.items) for piece in Conversation(said).pieces()] == [2, 2, 2]


def test_results_without_an_id_stay_with_the_call_right_before_them() -> None:
    said = [WindowItem(n, kind, "", 1) for n, kind in enumerate(["tool_call", "tool_result", "tool_result", "message"])]
    assert [len(piece.items) for piece in Conversation(said).pieces()] == [3, 1]


def late(between: list[WindowItem]) -> list[WindowItem]:
    """A call whose result comes after all that."""
    n = len(between)
    moved = [WindowItem(at, one.kind, one.role, one.tokens, one.call_id) for at, one in enumerate(between, start=1)]
    return [WindowItem(0, "tool_call", "", 1, "late"), *moved, WindowItem(n + 1, "tool_result", "", 1, "late")]


def test_what_the_user_says_ends_a_piece_and_a_late_result_is_one_by_itself() -> None:
    said = late(messages(*[10] * 200))
    assert [len(piece.items) for piece in Conversation(said).pieces()] == [1] * 202
    assert len(recent(Conversation(said), turns=50, tokens=500, caps=WHOLE)) == 50
    left = len(said) - len(to_compact(Conversation(said), WindowSettings(protected=300)))
    assert left == 31
    # Also within one turn, and calls that overlap without end.
    alone = late([WindowItem(0, "message", "assistant", 10)] * 200)
    assert [len(piece.items) for piece in Conversation(alone).pieces()] == [1] * 202
    chain = [
        WindowItem(2 * n + at, kind, "", 1, str(call))
        for n in range(200)
        for at, (kind, call) in enumerate((("tool_call", n), ("tool_result", n - 1)))
    ]
    sizes = [len(piece.items) for piece in Conversation(chain).pieces()]
    assert sum(sizes) == 400
    assert LONGEST_PIECE // 2 < max(sizes) <= LONGEST_PIECE


@given(between=CONVERSATIONS, tail=CONVERSATIONS)
def test_a_late_result_ties_nothing_together(between: list[WindowItem], tail: list[WindowItem]) -> None:
    between = [WindowItem(0, "message", "user", 1), *between]
    said = late(between)
    said += [WindowItem(len(said) + n, one.kind, one.role, one.tokens, one.call_id) for n, one in enumerate(tail)]
    first, *others = Conversation(said).pieces()
    assert len(first.items) == 1
    assert all(not one.begins_turn or len(piece.items) == 1 for piece in others for one in piece.items)
    (its,) = (piece for piece in others if any(one.call_id == "late" for one in piece.items))
    without = {one.sequence for one in its.items} & set(range(1, len(between) + 1))
    # Only a call that was open around it holds it.
    assert not without or its.items[0].kind == "tool_call"


@given(calls=st.integers(1, LONGEST_PIECE), texts=st.integers(0, 200), size=st.integers(0, 50))
def test_no_piece_is_longer_than_the_longest(calls: int, texts: int, size: int) -> None:
    said = [WindowItem(n, "tool_call", "", size, str(n)) for n in range(calls)]
    said += [WindowItem(calls + n, "message", "assistant", size) for n in range(texts)]
    said += [WindowItem(calls + texts + n, "tool_result", "", size, str(n)) for n in range(calls)]
    pieces = Conversation(said).pieces()
    assert [item for piece in pieces for item in piece.items] == said
    assert max(len(piece.items) for piece in pieces) <= LONGEST_PIECE
    if len(said) <= LONGEST_PIECE:
        assert len(pieces) == 1


def test_a_huge_piece_older_than_the_last_few_words_is_taken() -> None:
    settings = WindowSettings(protected=1_000, compact_from=5_000)
    assert to_compact(Conversation(messages(10, 4_500, 10)), settings) == messages(10)
    assert to_compact(Conversation(messages(10, 5_500, 10)), settings) == messages(10, 5_500)
    # The newest stays, whatever it is.
    assert to_compact(Conversation(messages(10, 10, 5_500)), settings) == messages(10, 10)


def test_a_turn_that_has_no_answer_yet_stays_where_there_is_room_for_it() -> None:
    settings = WindowSettings(protected=1_000, compact_from=10_000)
    asked = messages(1_500, 1_500, 10)
    work = [WindowItem(3 + n, "tool_call", "", 200, f"c{n}") for n in range(20)]
    assert to_compact(Conversation([*asked, *work]), settings) == asked[:2]
    answered = WindowItem(23, "message", "assistant", 10)
    assert len(to_compact(Conversation([*asked, *work, answered]), settings)) > 3
    longer = [WindowItem(3 + n, "tool_call", "", 200, f"c{n}") for n in range(30)]
    assert len(to_compact(Conversation([*asked, *longer]), settings)) > 3


@given(
    sizes=st.lists(st.one_of(st.integers(1, 300), st.integers(1, 12_000)), min_size=1, max_size=60),
    protected=st.integers(256, 2_000),
    compact_from=st.integers(2_001, 10_000),
)
def test_at_least_the_protected_stay_and_what_is_due_gets_done(
    sizes: list[int], protected: int, compact_from: int
) -> None:
    settings = WindowSettings(protected=protected, compact_from=compact_from)
    taken = to_compact(Conversation(messages(*sizes)), settings)
    left = sizes[len(taken) :]
    assert len(left) == 1 or sum(left) < compact_from or not taken
    if sum(left) < min(protected, sum(sizes)):
        assert sum(left) + taken[-1].tokens >= compact_from
    assert sum(left[1:]) < protected
    if sum(sizes) >= compact_from and len(sizes) > 1:
        assert taken
    rest = Conversation(messages(*sizes)).without(len(taken) - 1)
    assert to_compact(rest, settings) == []


def test_the_end_of_a_conversation_is_kept_within_turns_and_tokens() -> None:
    said = Conversation(messages(*[10] * 10))
    assert [item.sequence for item in recent(said, turns=2, tokens=1_000, caps=WHOLE)] == [6, 7, 8, 9]
    assert [item.sequence for item in recent(said, turns=50, tokens=35, caps=WHOLE)] == [7, 8, 9]


def test_what_is_cut_counts_as_it_is_cut() -> None:
    said = Conversation(
        [*messages(10), WindowItem(1, "tool_call", "", 5, "x"), WindowItem(2, "tool_result", "", 9_000, "x")]
    )
    assert recent(said, turns=9, tokens=100, caps=WHOLE) == []
    assert len(recent(said, turns=9, tokens=100, caps=Caps(tool=50, other=500))) == 3


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(0, "none"), (79_999, "none"), (80_000, "suggested"), (100_000, "due"), (160_000, "overdue")],
)
def test_pressure_grows_with_the_tokens(tokens: int, expected: str) -> None:
    assert pressure(tokens, WindowSettings()) == expected


@given(said=CONVERSATIONS)
def test_pieces_are_the_conversation_and_divide_no_call(said: list[WindowItem]) -> None:
    cut = Conversation(said).pieces()
    assert [item for piece in cut for item in piece.items] == said
    at = 0
    for piece in cut:
        at += len(piece.items)
        assert split_calls(said[:at], said[at:]) == []


@given(said=CONVERSATIONS, turns=st.integers(1, 10), tokens=st.integers(0, 2_000), cap=st.integers(1, 500))
def test_what_is_kept_is_an_end_within_the_budget_that_divides_no_call(
    said: list[WindowItem], turns: int, tokens: int, cap: int
) -> None:
    caps = Caps(tool=cap, other=cap)
    kept = recent(Conversation(said), turns=turns, tokens=tokens, caps=caps)
    left_out = said[: len(said) - len(kept)]
    assert [*left_out, *kept] == said
    assert sum(map(caps.of, kept)) <= tokens
    assert split_calls(left_out, kept) == []


@given(said=CONVERSATIONS, protected=st.integers(256, 2_000))
def test_a_compaction_takes_a_beginning_leaves_the_protected_and_divides_no_call(
    said: list[WindowItem], protected: int
) -> None:
    taken = to_compact(Conversation(said), WindowSettings(protected=protected))
    left = said[len(taken) :]
    assert [*taken, *left] == said
    assert split_calls(taken, left) == []
    assert left or not said
    assert sum(item.tokens for item in left) >= min(protected, sum(item.tokens for item in said))
    if sum(item.tokens for item in said) <= protected:
        assert taken == []


@given(said=CONVERSATIONS, more=CONVERSATIONS, protected=st.integers(256, 2_000))
def test_compaction_done_twice_changes_nothing_and_with_more_said_it_only_goes_on(
    said: list[WindowItem], more: list[WindowItem], protected: int
) -> None:
    settings = WindowSettings(protected=protected)
    taken = to_compact(Conversation(said), settings)
    rest = Conversation(said)
    if taken:
        rest = rest.without(taken[-1].sequence)
    assert to_compact(rest, settings) == []
    later = [WindowItem(len(said) + n, one.kind, one.role, one.tokens, one.call_id) for n, one in enumerate(more)]
    grown = Conversation([*said, *later])
    assert grown.tokens == sum(item.tokens for item in (*said, *later))
    untied = not any(one.kind == "tool_result" for one in later)
    if untied:
        assert len(to_compact(grown, settings)) >= min(len(taken), len(grown) - grown.unanswered())
