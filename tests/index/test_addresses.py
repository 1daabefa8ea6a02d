import anyio
import lancedb
import numpy as np
import pytest
from lancedb import AsyncTable

from memoryd.index import LanceIndex
from memoryd.index.addresses import ADDRESS, VECTORS_KEPT, Addresses

from .rows import row, seen_by, unit_vectors


async def table_of(index: LanceIndex) -> AsyncTable:
    return await (await lancedb.connect_async(index.url)).open_table("memories")


async def everything(table: AsyncTable) -> dict[int, str]:
    found = await table.query().select(["id", ADDRESS]).to_arrow()
    return dict(zip(found[ADDRESS].to_pylist(), found["id"].to_pylist(), strict=True))


async def test_rows_are_known_by_address_in_the_order_asked_whether_loaded_or_written_since(index: LanceIndex) -> None:
    vectors = unit_vectors(30)
    await index.apply([row(f"old{n}", vector=vectors[n]) for n in range(20)], removed=[], sequence=1)
    table = await table_of(index)
    addresses = Addresses()
    await addresses.load(table)
    for n in range(20, 30):
        await index.apply([row(f"neu·{n}", vector=vectors[n])], removed=[], sequence=n)
    table = await table_of(index)
    there = await everything(table)
    assert len(there) == 30
    for wanted in (list(there)[25:27], list(there)[::-1]):
        found = await addresses.rows(table, np.array(wanted, np.uint64))
        assert found is not None
        assert found.ids == [there[one] for one in wanted]
        assert found.vectors is not None
        expected = np.stack([vectors[int(there[one].strip("oldneu·"))] for one in wanted])
        assert np.array_equal(found.vectors, expected)


async def test_a_row_that_upkeep_moved_is_not_taken_for_another(index: LanceIndex) -> None:
    for n in range(5):
        await index.apply([row(f"m{n}")], removed=[], sequence=n + 1)
    before = await everything(await table_of(index))
    await index.optimise()
    table = await table_of(index)
    after = await everything(table)
    assert sorted(before.values()) == sorted(after.values())
    assert not before.keys() & after.keys()
    assert await Addresses().rows(table, np.array(list(before), np.uint64)) is None


async def test_a_replaced_row_is_found_as_it_is_now(index: LanceIndex) -> None:
    vectors = unit_vectors(3)
    await index.apply([row("a", text="pear", vector=vectors[0])], removed=[], sequence=1)
    await index.optimise()
    await index.apply([row("a", text="apple", vector=vectors[1], sequence=2)], removed=[], sequence=2)
    (found,) = await index.search(vector=vectors[1], words="apple", visible=seen_by(), limit=5)
    assert found.id == "a"
    assert found.vector_score == pytest.approx(1.0, abs=1e-5)
    assert found.word_score > 0


async def test_a_search_during_upkeep_misses_nothing(index: LanceIndex) -> None:
    vectors = unit_vectors(60)
    seen: list[set[str]] = []

    async def look() -> None:
        for _ in range(20):
            found = await index.search(vector=vectors[0], words="straw", visible=seen_by(), limit=60)
            seen.append({hit.id for hit in found})

    for n in range(60):
        await index.apply([row(f"m{n}", text="straw", vector=vectors[n])], removed=[], sequence=n + 1)
    async with anyio.create_task_group() as group:
        group.start_soon(look)
        for _ in range(3):
            await index.optimise()
    assert len(seen) == 20
    assert all(ids == {f"m{n}" for n in range(60)} for ids in seen)


async def test_a_large_table_keeps_no_vectors_and_scores_alike(index: LanceIndex) -> None:
    count = VECTORS_KEPT + 1
    vectors = unit_vectors(count)
    rows = [row(f"m{n}", text=f"straw {n % 50}", vector=vectors[n]) for n in range(count)]
    await index.apply(rows, removed=[], sequence=1)
    await index.optimise()
    table = await table_of(index)
    addresses = Addresses()
    await addresses.load(table)
    assert not addresses.keeps_vectors
    found = await index.search(vector=vectors[7], words="straw 7", visible=seen_by(), limit=20)
    for hit in found:
        assert hit.vector_score == pytest.approx(float(vectors[int(hit.id[1:])] @ vectors[7]), abs=1e-5)
        assert hit.word_score > 0
    assert found[0].id == "m7"
