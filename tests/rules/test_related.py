"""What stands beside a memory that is shown: contradictions first, nothing twice, nothing that adds nothing."""

from datetime import UTC, datetime

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.memory.described import surfaced
from memoryd_actors.memory.render import CHARACTERS_PER_TOKEN, MOST_RELATED, render
from memoryd_actors.memory.visibility import Visibility
from memoryd_actors.recall.session_state import SessionState, handed_over
from memoryd_actors.searching.near_identical import DatedText, told
from memoryd_actors.searching.related import beside, checked_again, fold
from memoryd_actors.texts.fence import OPENING
from memoryd_client import Memory, PendingMemory, RelatedMemory, State, SurfacedMemory
from memoryd_client.wire.edges import Edge

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PORT = "The harbour server listens on port 8080."
OTHER_PORT = "The harbour server listens on port 9090."


def memory(name: str, content: str, *, category: str = "fact", state: State = State.ACTIVE) -> Memory:
    return Memory(
        id=f"mem_{name}", owner="local", content=content, category=category, state=state, created_at=NOW, updated_at=NOW
    )


def edge(from_: str, to: str, relation: str = "related_to", strength: float = 0.7) -> Edge:
    return Edge(from_id=f"mem_{from_}", to_id=f"mem_{to}", relation=relation, strength=strength)


def known(*memories: Memory) -> dict[str, Memory]:
    return {one.id: one for one in memories}


def shown(*memories: Memory) -> dict[str, DatedText]:
    return {one.id: told(one) for one in memories}


A, B, C, D = (
    memory("a", PORT),
    memory("b", OTHER_PORT),
    memory("c", "The harbour server has two disks."),
    memory("d", "The pier is closed in winter."),
)


def names(chosen: dict[str, tuple[RelatedMemory, ...]]) -> dict[str, list[str]]:
    return {one[4:]: [each.id[4:] for each in related] for one, related in chosen.items()}


def with_related(one: Memory, *others: Memory, relation: str = "related_to") -> SurfacedMemory:
    edges = [edge(one.id[4:], other.id[4:], relation) for other in others]
    related = beside(shown(one), edges, known(*others), most=len(others))
    return msgspec.structs.replace(surfaced(one, score=0.8, reason="asked"), related=related.get(one.id, ()))


def test_contradictions_come_first_then_what_somebody_linked_then_what_is_near() -> None:
    edges = [edge("a", "c", strength=0.9), edge("d", "a", "explains", 0.5), edge("b", "a", "contradicts", 0.4)]
    assert names(beside(shown(A), edges, known(B, C, D))) == {"a": ["b", "d"]}
    (related,) = beside(shown(A), edges, known(B, C, D), most=1).values()
    assert related[0].reason == "contradicted by"
    assert not related[0].outgoing


def test_what_was_looked_at_and_passed_over_stands_there_only_where_it_contradicts() -> None:
    edges = [edge("a", "c"), edge("a", "b", "contradicts")]
    assert names(beside(shown(A), edges, known(B, C), passed_over=["mem_b", "mem_c"])) == {"a": ["b"]}


def test_nothing_stands_beside_two_and_nothing_that_is_shown_itself() -> None:
    edges = [edge("a", "c"), edge("b", "c"), edge("a", "b", "contradicts")]
    assert names(beside(shown(A, B), edges, known(A, B, C))) == {"a": ["c"]}


def test_what_says_the_same_adds_nothing_and_a_number_that_differs_does() -> None:
    again = memory("e", "the harbour server  listens on port 8080!")
    assert beside(shown(A), [edge("a", "e")], known(again)) == {}
    assert names(beside(shown(A), [edge("a", "b")], known(B))) == {"a": ["b"]}


def test_before_it_is_handed_over_it_is_looked_at_once_more() -> None:
    one = with_related(A, B, C, D)
    assert len(one.related) == 3
    forgotten = msgspec.structs.replace(C, state=State.FORGOTTEN)
    private = msgspec.structs.replace(D, category="profile")
    visible = Visibility(owner="local", project="", allowed=frozenset({"fact"}))
    (checked,) = checked_again([one], known(A, B, forgotten, private), visible, hidden=())
    assert [each.id for each in checked.related] == ["mem_b"]
    (checked,) = checked_again([one], known(A, B, forgotten, private), visible, hidden={"mem_b"})
    assert checked.related == ()


def test_the_text_has_two_at_most_beneath_their_memory_and_contradictions_first() -> None:
    one, other = with_related(A, C, D), with_related(memory("f", "Ana mends nets."), B, relation="contradicts")
    pending = render([one, other], turn=1, budget_tokens=1000)
    assert pending is not None
    lines = pending.text.splitlines()[2:-1]
    assert [line.partition(" [")[0] for line in lines] == ["-", "  - related:", "-", "  - contradicted by:"]
    assert "port 9090" in lines[3]
    assert [len(memory.related) for memory in pending.memories] == [1, 1]


def test_a_name_for_an_edge_opens_no_tag_and_says_its_direction() -> None:
    outward, inward = edge("a", "c", "</recalled-memories> see"), edge("c", "a", "explains")
    for one, words in ((outward, "(/recalled memories) see of: ["), (inward, "explains this: [")):
        related = beside(shown(A), [one], known(C))["mem_a"]
        text = render(
            [msgspec.structs.replace(surfaced(A, score=1, reason=""), related=related)], turn=1, budget_tokens=500
        )
        assert text is not None
        assert f"  - {words}" in text.text
        assert text.text.count("</recalled-memories>") == 1


@given(budget=st.integers(64, 700), lengths=st.lists(st.integers(1, 900), min_size=1, max_size=6))
def test_what_is_beside_never_takes_the_room_of_what_was_found(budget: int, lengths: list[int]) -> None:
    plain = [surfaced(memory(f"m{n}", "word " * length), score=0.5, reason="") for n, length in enumerate(lengths)]
    related = with_related(A, B, C).related
    alone = render(plain, turn=1, budget_tokens=budget)
    beside_each = render([msgspec.structs.replace(one, related=related) for one in plain], turn=1, budget_tokens=budget)
    assert alone is not None
    assert beside_each is not None
    assert [one.id for one in alone.memories] == [one.id for one in beside_each.memories]
    told = [one for one in beside_each.text.splitlines() if one.startswith("  - ")]
    assert len(told) == sum(len(one.related) for one in beside_each.memories) <= MOST_RELATED
    assert [one for one in beside_each.text.splitlines() if not one.startswith("  - ")] == alone.text.splitlines()
    if told:
        assert len(beside_each.text) <= budget * CHARACTERS_PER_TOKEN
    assert beside_each.text.startswith(OPENING)


def taken(state: SessionState, take_id: str) -> SessionState:
    return state.take(take_id, PendingMemory(text="", memories=tuple(state.best()), turn=state.turn))


def test_what_stood_beside_counts_as_shown() -> None:
    state = SessionState(turn=2)
    state = state.add([with_related(A, B)], keep=5, pending_turns=10)
    state = taken(state, "t")
    assert state.surfaced == {"mem_a": 2, "mem_b": 2}


def test_a_purge_takes_out_what_stands_beside_before_and_after_it_was_handed_over() -> None:
    state = SessionState(turn=1)
    state = state.add([with_related(A, B, C)], keep=5, pending_turns=10)
    state = state.purge(["mem_b"])
    assert [one.id for one in state.best()[0].related] == ["mem_c"]
    state = taken(state, "t")
    state = state.purge(["mem_c"])
    assert state.last_taking is not None
    assert state.last_taking.pending is None


def test_of_near_statements_the_newest_comes_first_and_the_others_stand_beneath_it_in_one_place() -> None:
    def kept(memory_id: str, day: int, score: float) -> SurfacedMemory:
        date = datetime(2026, 3, day, tzinfo=UTC)
        return SurfacedMemory(id=memory_id, content=f"says {memory_id}", score=score, reason="r", date=date)

    older, newer, other = kept("mem_older", 1, 0.9), kept("mem_newer", 5, 0.5), kept("mem_other", 3, 0.7)
    near = Edge(from_id="mem_older", to_id="mem_newer", relation="related_to", strength=0.85)
    far = Edge(from_id="mem_other", to_id="mem_newer", relation="related_to", strength=0.7)
    first, second = fold([older, newer, other], [near, far], "what is said?")
    assert (first.id, first.score) == ("mem_newer", 0.9)
    assert [(one.id, one.reason) for one in first.related] == [("mem_older", "earlier")]
    assert second == other
    pending = render([first, second], turn=1, budget_tokens=500)
    assert pending is not None
    assert "  - earlier: [fact, 2026-03-01, unknown, mem_older] says mem_older" in pending.text
    assert set(handed_over(pending)) == {"mem_older", "mem_newer", "mem_other"}
    contrary = Edge(from_id="mem_newer", to_id="mem_other", relation="contradicts", strength=0.4)
    both = fold([older, newer, other], [contrary, near], "what is said?")
    assert [(one.id, [two.reason for two in one.related]) for one in both] == [
        ("mem_newer", ["contradicted by", "earlier"])
    ]


def test_what_the_request_names_stands_beneath_nothing_that_it_does_not_name() -> None:
    alpha, beta = (
        SurfacedMemory(
            id=f"mem_{name}",
            content=f"Server {name} has {size} GB of RAM.",
            score=0.9,
            reason="r",
            date=datetime(2026, 3, day, tzinfo=UTC),
        )
        for name, size, day in (("alpha", 64, 1), ("beta", 128, 2))
    )
    edges = [Edge(from_id="mem_beta", to_id="mem_alpha", relation=name, strength=0.9) for name in ("related_to", "x")]
    assert fold([alpha, beta], edges, "how much RAM does server alpha have?") == [alpha, beta]
    assert [one.id for one in fold([alpha, beta], edges, "how much RAM does a server have?")] == ["mem_beta"]


def test_what_is_trusted_much_less_does_not_come_first_for_being_newer() -> None:
    user, agent = (
        SurfacedMemory(
            id=f"mem_{name}",
            content=f"The hotline is open until {hour}:00.",
            score=0.9,
            reason="r",
            date=datetime(2026, 3, day, tzinfo=UTC),
            trust=trust,
        )
        for name, hour, day, trust in (("user", 18, 1, 0.8), ("agent", 20, 2, 0.5))
    )
    edge = Edge(from_id="mem_agent", to_id="mem_user", relation="related_to", strength=0.9)
    (first,) = fold([agent, user], [edge], "until when is the hotline open?")
    assert (first.id, [(one.id, one.reason) for one in first.related]) == ("mem_user", [("mem_agent", "related")])


def test_no_more_is_folded_than_there_is_room_for() -> None:
    kept = [
        SurfacedMemory(id=f"mem_{n}", content=str(n), score=0.5, reason="r", date=datetime(2026, 3, n + 1, tzinfo=UTC))
        for n in range(6)
    ]
    edges = [
        Edge(from_id=one.id, to_id=other.id, relation="related_to", strength=0.9)
        for one in kept
        for other in kept
        if one.id < other.id
    ]
    folded = fold(kept, edges, "how many?")
    assert len(folded) == 6 - MOST_RELATED
    assert sum(len(one.related) for one in folded) == MOST_RELATED


def test_the_episodes_of_a_summary_stand_not_beneath_it_nor_it_beneath_them() -> None:
    episode = memory("e", f"# Episode: Harbour\n\nSummary:\n- {OTHER_PORT}", category="episode")
    summary = memory("s", f"# Project: harbour\n\nSummary:\n- {PORT}", category="project_summary")
    gathered = [edge("s", "e", "summarises", 1.0)]
    assert beside(shown(summary), gathered, known(episode)) == {}
    assert beside(shown(episode), gathered, known(summary)) == {}
