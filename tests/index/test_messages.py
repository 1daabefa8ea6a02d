"""The index of messages on its own: before and after it has learned how its vectors lie."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from memoryd.config import IndexConfig
from memoryd.index.messages import LanceMessages
from memoryd_actors.ports import Vector
from memoryd_actors.transcripts import MessageRow, Wanted

from .rows import DIMENSIONS, unit_vectors

MANY = 1_600


@pytest.fixture
async def messages(tmp_path: Path) -> AsyncIterator[LanceMessages]:
    index = LanceMessages(tmp_path / "messages", IndexConfig(ann_rows=1500, keep_versions_s=0.001))
    await index.open(model="m", dimensions=DIMENSIONS)
    yield index
    await index.close()


def said(sequence: int, vector: Vector | None, text: str = "", session: str = "s", owner: str = "local") -> MessageRow:
    return MessageRow(
        owner=owner,
        session=session,
        sequence=sequence,
        text=text or f"word{sequence} and others",
        vector=vector,
        kind="message",
        role="user",
        name="Ada",
        at=sequence,
    )


async def nearest(index: LanceMessages, vector: Vector, *, limit: int = 10, wanted: Wanted | None = None) -> list[int]:
    found = await index.search(wanted or Wanted("local"), vector=vector, words="", limit=limit)
    return [one.sequence for one in sorted(found, key=lambda one: -one.vector_score)]


async def test_what_is_nearest_is_found_before_and_after_the_vectors_are_indexed(messages: LanceMessages) -> None:
    vectors = unit_vectors(MANY)
    await messages.apply([said(n, vector) for n, vector in enumerate(vectors)])
    # Rows without a vector are neither in the way of the index nor found by it.
    await messages.apply([said(MANY + n, None) for n in range(20)])
    exact = {n: set(np.argsort(-(vectors @ vectors[n]))[:10].tolist()) for n in range(0, MANY, 100)}
    before = {n: await nearest(messages, vectors[n]) for n in exact}
    assert {n: set(some) for n, some in before.items()} == exact
    await messages.optimise()
    kept = [len(exact[n] & set(await nearest(messages, vectors[n]))) for n in exact]
    assert sum(kept) >= 0.95 * 10 * len(exact)
    assert all([(await nearest(messages, vectors[n]))[0] == n for n in exact])


async def test_what_comes_after_the_vectors_were_indexed_is_found_as_well(messages: LanceMessages) -> None:
    vectors = unit_vectors(MANY + 50)
    await messages.apply([said(n, vector) for n, vector in enumerate(vectors[:MANY])])
    await messages.optimise()
    late = list(range(MANY, MANY + 50))
    await messages.apply([said(n, vectors[n]) for n in late])
    assert [(await nearest(messages, vectors[n], limit=3))[0] for n in late] == late
    await messages.optimise()
    assert [(await nearest(messages, vectors[n], limit=3))[0] for n in late] == late


async def test_filters_hold_in_an_indexed_table(messages: LanceMessages) -> None:
    vectors = unit_vectors(MANY)
    rows = [
        said(n, vector, session=f"s{n % 40}", owner="local" if n % 2 else "ada") for n, vector in enumerate(vectors)
    ]
    await messages.apply(rows)
    await messages.optimise()
    for n in range(1, MANY, 160):
        wanted = Wanted("local", session=f"s{n % 40}")
        found = await messages.search(wanted, vector=vectors[n], words=f"word{n}", limit=10)
        assert n in {one.sequence for one in found}
        assert {one.session for one in found} == {f"s{n % 40}"}
        assert all(one.sequence % 2 for one in found)


async def test_every_candidate_has_both_scores_whichever_side_found_it(messages: LanceMessages) -> None:
    vectors = unit_vectors(200)
    await messages.apply([said(n, vector) for n, vector in enumerate(vectors)])
    await messages.apply([said(200, None, text="word7 without a vector")])
    await messages.optimise()
    found = {
        one.sequence: one for one in await messages.search(Wanted("local"), vector=vectors[0], words="word7", limit=5)
    }
    assert found[7].word_score > 0
    assert found[7].vector_score == pytest.approx(float(vectors[7] @ vectors[0]), abs=1e-5)
    assert found[200].word_score > 0
    assert found[200].vector_score == 0.0
    assert found[0].vector_score == pytest.approx(1.0, abs=1e-5)
    assert (found[0].name, found[0].role, found[0].at) == ("Ada", "user", 0)
