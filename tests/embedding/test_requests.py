import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memoryd.embedding.recent import RecentVectors
from memoryd.embedding.requests import RUN_CHARACTERS, SMALL_RUNS_IN_A_ROW, EmbeddingRequest, Key, Queue
from memoryd_actors.ports.embedder import Vector

TEXTS = st.lists(st.text(max_size=30) | st.integers(0, 20_000).map(lambda size: "x" * size), max_size=30)


def vectors(run: dict[Key, str]) -> dict[Key, Vector]:
    return {key: np.ones(1, np.float32) for key in run}


@given(st.lists(st.tuples(TEXTS, st.sampled_from([64, 256])), max_size=8), st.integers(1, 12))
def test_every_request_is_settled_and_no_text_runs_twice(asked: list[tuple[list[str], int]], max_batch: int) -> None:
    queue = Queue(max_batch)
    requests = [EmbeddingRequest.of(texts, max_tokens, max_batch) for texts, max_tokens in asked]
    for request in requests:
        queue.add(request)
    ran: list[Key] = []
    while queue:
        max_tokens, run = queue.next_run()
        assert len(run) <= max_batch
        assert len(run) == 1 or sum(min(len(text), max_tokens * 5) for text in run.values()) <= RUN_CHARACTERS
        assert {limit for _, limit in run} <= {max_tokens}
        ran += run
        queue.supply(vectors(run))
        queue.settle_finished()
    assert len(ran) == len(set(ran))
    for (texts, _), request in zip(asked, requests, strict=True):
        assert request.done.is_set()
        assert [request.vectors[key].shape for key in request.keys] == [(1,)] * len(texts)


def test_bulk_gets_its_turn_among_endless_small_requests() -> None:
    queue = Queue(2)
    queue.add(EmbeddingRequest.of([f"bulk {number}" for number in range(6)], 256, 2))
    kinds: list[str] = []
    for number in range(SMALL_RUNS_IN_A_ROW + 2):
        queue.add(EmbeddingRequest.of([f"small {number}"], 256, 2))
        _, run = queue.next_run()
        kinds.append(next(iter(run.values())).split()[0])
        queue.supply(vectors(run))
        queue.settle_finished()
    assert kinds == ["small"] * SMALL_RUNS_IN_A_ROW + ["bulk", "small"]


def test_texts_of_a_bulk_request_run_by_length() -> None:
    queue = Queue(2)
    queue.add(EmbeddingRequest.of(["x" * 50, "x", "x" * 40, "xx"], 256, 2))
    assert [len(text) for text in queue.next_run()[1].values()] == [1, 2]


@given(st.lists(st.integers(0, 9), max_size=60))
def test_recent_vectors_are_those_used_last(used: list[int]) -> None:
    recent = RecentVectors(4)
    expected: list[int] = []
    for number in used:
        key = (bytes([number]), 256)
        assert bool(recent.find([key])) == (number in expected)
        recent.add({key: np.ones(1, np.float32)})
        expected = [*[each for each in expected if each != number], number][-4:]
