"""What a session remembers of itself: turns, what was shown, what waits, what was taken."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from memoryd_actors.recall.session_state import Found, SessionState, decode_state, encode_state
from memoryd_client import PendingMemory, SurfacedMemory

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def memory(memory_id: str, score: float = 0.5) -> SurfacedMemory:
    return SurfacedMemory(id=memory_id, content=memory_id, score=score, reason="", date=NOW)


def pending(state: SessionState) -> PendingMemory:
    return PendingMemory(text="", memories=tuple(state.best()), turn=state.turn)


def test_what_is_found_counts_as_surfaced_only_once_it_is_taken() -> None:
    state = SessionState(turn=3)
    state = state.add([memory("mem_a")], keep=5, pending_turns=10)
    assert state.surfaced == {}
    state = state.take("t1", pending(state))
    assert state.surfaced == {"mem_a": 3}
    assert state.found == ()


def test_a_newer_find_is_merged_with_what_waits_and_the_better_score_stays() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_a", 0.9), memory("mem_b", 0.4)], keep=5, pending_turns=10)
    state = replace(state, turn=2)
    state = state.add([memory("mem_b", 0.6), memory("mem_c", 0.5)], keep=5, pending_turns=10)
    assert [(found.id, found.score) for found in state.best()] == [("mem_a", 0.9), ("mem_b", 0.6), ("mem_c", 0.5)]


def test_only_the_best_wait() -> None:
    state = SessionState(turn=1)
    state = state.add([memory(f"mem_{n}", n / 10) for n in range(8)], keep=3, pending_turns=10)
    assert [found.id for found in state.best()] == ["mem_7", "mem_6", "mem_5"]


def test_what_nobody_takes_expires_by_turns() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_a")], keep=5, pending_turns=3)
    state = replace(state, turn=3)
    state = state.expire(pending_turns=3)
    assert state.waiting() == {"mem_a"}
    state = replace(state, turn=4)
    state = state.expire(pending_turns=3)
    assert state.waiting() == set()


def test_a_topic_change_clears_what_was_shown_and_what_waits() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_a")], keep=5, pending_turns=10)
    state = state.take("t1", pending(state))
    state = state.add([memory("mem_b")], keep=5, pending_turns=10)
    state = replace(state, turn=2).change_topic(2)
    assert state.surfaced == {}
    assert state.found == ()


def test_a_topic_change_keeps_what_this_turn_found_and_what_was_taken_in_it() -> None:
    state = SessionState(turn=2)
    state = state.add([memory("mem_a")], keep=5, pending_turns=10)
    state = state.take("t1", pending(state))
    state = state.add([memory("mem_b")], keep=5, pending_turns=10)
    state = state.change_topic(2)
    assert state.surfaced == {"mem_a": 2}
    assert state.waiting() == {"mem_b"}


def test_what_was_taken_while_the_turn_was_decided_is_not_found_again() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_a")], keep=5, pending_turns=10)
    state = state.take("t1", pending(state))
    state = state.add([memory("mem_a"), memory("mem_b")], keep=5, pending_turns=10)
    assert state.waiting() == {"mem_b"}


def test_what_had_no_room_in_the_text_waits_for_the_next_take() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_a", 0.9), memory("mem_b", 0.5)], keep=5, pending_turns=10)
    state = state.take("t1", PendingMemory(text="", memories=(state.best()[0],), turn=1))
    assert state.waiting() == {"mem_b"}


def test_a_topic_that_began_a_turn_ago_keeps_what_it_brought_up_itself() -> None:
    state = SessionState(turn=1)
    state = state.add([memory("mem_old"), memory("mem_waits")], keep=5, pending_turns=10)
    state = state.take("t1", pending(state))
    state = state.add([memory("mem_waits")], keep=5, pending_turns=10)
    state = replace(state, turn=2)
    state = state.add([memory("mem_new")], keep=5, pending_turns=10)
    state = replace(state, surfaced={**state.surfaced, "mem_shown": 2}, turn=3)
    state = state.change_topic(2)
    assert state.surfaced == {"mem_shown": 2}
    assert state.waiting() == {"mem_new"}
    assert state.topic_turn == 2


def test_every_fiftieth_turn_lets_memories_be_shown_again() -> None:
    state = SessionState(surfaced={"mem_a": 0}, written={"mem_b": 0})
    resets: list[int] = []
    for _ in range(120):
        before, state = state, state.begin_turn(None, reset_turns=50)
        if state.reset_at_turn != before.reset_at_turn:
            resets.append(state.turn)
    assert resets == [50, 100]
    assert state.surfaced == {}
    assert state.written == {}


def test_what_still_stands_in_the_conversation_is_not_shown_again_whatever_is_reset() -> None:
    state = SessionState(turn=49, surfaced={"mem_long_ago": 3, "mem_near": 48})
    assert set(state.begin_turn(None, reset_turns=50, stands=2).surfaced) == {"mem_near"}
    assert set(state.change_topic(49, stands=2).surfaced) == {"mem_near"}
    assert set(state.change_topic(49).surfaced) == set()


def test_a_host_that_clears_its_context_is_told_everything_again() -> None:
    state = SessionState(turn=3, surfaced={"mem_a": 2}, written={"mem_b": 1})
    state = state.note_in_force("an agent", {"mem_rule": "as it reads"})
    assert state.known("an agent") == {"mem_a", "mem_b", "mem_rule"}
    assert state.known("another") == {"mem_a", "mem_b"}
    assert state.clear().known("an agent") == set()
    # Also where another daemon does not know of it yet.
    assert state.join(state.clear()).known("an agent") == set()
    assert state.clear().join(state).known("an agent") == set()


def test_an_agents_own_turn_count_moves_forward_only() -> None:
    state = SessionState()
    state = state.begin_turn(7, reset_turns=50)
    assert state.turn == 7
    state = state.begin_turn(2, reset_turns=50)
    assert state.turn == 8


def test_an_update_that_was_overtaken_is_late_and_other_clients_do_not_matter() -> None:
    state = SessionState()
    assert not state.is_late("one", 5)
    state = state.note_update("one", 5)
    assert state.is_late("one", 4)
    assert state.is_late("one", 5)
    assert not state.is_late("two", 1)
    assert not state.is_late("", 0)
    for n in range(100):
        state = state.note_update(f"client {n}", 1)
    assert len(state.sequences) <= 32


def test_a_turn_stays_a_number_that_can_be_saved_whatever_a_client_counts() -> None:
    state = SessionState(turn=2**64 - 1)
    state = state.begin_turn(2**64 - 1, reset_turns=50)
    assert decode_state(encode_state(state)).turn <= 2**33


def test_of_what_a_session_stored_only_the_newest_is_remembered() -> None:
    state = SessionState(turn=1)
    state = state.note_written(f"mem_{n}" for n in range(2000))
    assert len(state.written) == 500
    assert "mem_1999" in state.written


def test_asking_again_with_the_same_id_gets_the_same_answer_also_after_a_restart() -> None:
    state = SessionState(turn=2)
    state = state.add([memory("mem_a")], keep=5, pending_turns=10)
    handed = pending(state)
    state = state.take("t1", handed)
    revived = decode_state(encode_state(state))
    again = revived.repeated_take("t1")
    assert again is not None
    assert again.pending == handed
    assert revived.repeated_take("t2") is None


class EveryMemoryIsTakenOnce(RuleBasedStateMachine):
    """Whatever the order of finding, taking, forgetting and changing the topic."""

    def __init__(self) -> None:
        super().__init__()
        self.state = SessionState()
        self.takes = 0

    @rule(ids=st.sets(st.sampled_from([f"mem_{n}" for n in range(6)]), max_size=4), score=st.floats(0, 1))
    def find(self, ids: set[str], score: float) -> None:
        self.state = self.state.begin_turn(None, reset_turns=50)
        self.state = self.state.expire(pending_turns=5)
        fresh = [memory(one, score) for one in sorted(ids)]
        self.state = self.state.add(fresh, keep=3, pending_turns=5)

    @rule()
    def take(self) -> None:
        self.takes += 1
        waiting = self.state.waiting()
        shown = set(self.state.surfaced)
        handed = pending(self.state)
        assert not {one.id for one in handed.memories} & shown
        self.state = self.state.take(f"take {self.takes}", handed)
        assert waiting <= set(self.state.surfaced)

    @rule(ids=st.sets(st.sampled_from([f"mem_{n}" for n in range(6)]), max_size=2))
    def forget(self, ids: set[str]) -> None:
        self.state = self.state.withdraw(ids)
        assert not self.state.waiting() & ids

    @rule()
    def change_topic(self) -> None:
        self.state = self.state.change_topic(self.state.turn)

    @rule()
    def restart(self) -> None:
        self.state = decode_state(encode_state(self.state))

    @invariant()
    def what_waits_is_bounded_and_was_not_shown(self) -> None:
        assert len(self.state.found) <= 3
        assert not self.state.waiting() & set(self.state.surfaced)


TestEveryMemoryIsTakenOnce = EveryMemoryIsTakenOnce.TestCase
TestEveryMemoryIsTakenOnce.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)


TURNS = st.integers(0, 6)
IDS = st.sampled_from(["mem_a", "mem_b", "mem_c", "mem_d"])


@st.composite
def states(draw: st.DrawFn) -> SessionState:
    """A session as some daemon may know it: what was shown does not wait, and nothing is older than the last reset."""
    reset, topic = draw(TURNS), draw(TURNS)
    turn = draw(st.integers(max(reset, topic), 9))
    later = st.integers(max(reset, topic), turn)
    surfaced = draw(st.dictionaries(IDS, later))
    found = draw(st.dictionaries(IDS, later))
    return SessionState(
        turn=turn,
        reset_at_turn=reset,
        topic_turn=topic,
        surfaced=surfaced,
        written=draw(st.dictionaries(IDS, st.integers(reset, turn))),
        found=tuple(Found(memory(one), at) for one, at in found.items() if one not in surfaced),
        told=draw(st.none() | st.integers(0, 9)),
        revision=draw(st.integers(0, 9)),
        captured=draw(st.dictionaries(IDS, TURNS)),
    )


@given(states(), states())
def test_of_a_session_that_two_daemons_know_nothing_is_shown_twice_and_no_find_is_lost(
    mine: SessionState, other: SessionState
) -> None:
    before, mine = mine, mine.join(other)
    since = max(before.reset_at_turn, other.reset_at_turn, before.topic_turn, other.topic_turn)
    for state in (before, other):
        assert {one for one, turn in state.surfaced.items() if turn >= since} <= mine.surfaced.keys()
        assert state.captured.keys() <= mine.captured.keys()
        for one in state.found:
            assert one.turn < since or one.memory.id in mine.waiting() | mine.surfaced.keys()
    assert not mine.waiting() & mine.surfaced.keys()
    assert len(mine.waiting()) == len(mine.found)
    assert mine.turn == max(before.turn, other.turn)
    assert mine.revision == max(before.revision, other.revision)
    assert mine.told == max((one for one in (before.told, other.told) if one is not None), default=None)


@given(states(), states())
def test_a_state_taken_over_from_another_daemon_is_that_state_but_for_the_last_answer(
    mine: SessionState, other: SessionState
) -> None:
    mine = mine.take("t1", None).become(other)
    assert mine.repeated_take("t1") is not None
    assert replace(mine, last_taking=None) == other
